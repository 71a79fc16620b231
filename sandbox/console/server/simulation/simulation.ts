import { systemClock, type Clock } from "../../../../src/clock.ts";
import { counted, durationText } from "../../../../src/text.ts";
import { startTenant, type SpokenDialect, type Tenant, type WireFinding } from "../../../tenant/index.ts";
import type { TenantCommand, TenantFinding, TenantView } from "../../contract/index.ts";
import { FAULT_SENTENCES, InjectedFaults } from "./faults.ts";
import type { DataCommand } from "./commands.ts";
import { loadTenant, saveTenant, type SavedTenant } from "./saved.ts";

const MOST_FINDINGS_SHOWN = 500;
const DAY_MS = 86_400_000;

export interface SimulationOptions {
  /** Where the tenant is kept; it goes on where it stood. */
  file: string;
  /** Of a new tenant; one that is kept goes on speaking its own. */
  dialect?: SpokenDialect;
  clock?: Clock;
}

/** Tells the tenant what time it is. While kept changes are made again, that is when they were made first. */
interface Time {
  replayed: number | null;
  now(): number;
}

/** A simulated tenant that a person controls. Its data outlives the process; how it behaves does not. */
export class Simulation {
  readonly tenant: Tenant;
  readonly #saved: SavedTenant;
  readonly #file: string;
  readonly #time: Time;
  readonly #faults: InjectedFaults;
  #latencyMs = 0;
  #clockAheadMs = 0;
  #passedMs = 0;
  #isAnalysing = false;
  #reachable = true;

  constructor(tenant: Tenant, saved: SavedTenant, file: string, time: Time) {
    this.tenant = tenant;
    this.#saved = saved;
    this.#file = file;
    this.#time = time;
    this.#faults = new InjectedFaults(tenant.control);
    for (const { at, command } of saved.changes) {
      time.replayed = at;
      this.#change(command);
    }
    time.replayed = null;
    saveTenant(file, saved);
  }

  /** How much time a person has let pass, in milliseconds. */
  get passedMs(): number {
    return this.#passedMs;
  }

  get dialect(): SpokenDialect {
    return this.#saved.dialect;
  }

  view(): TenantView {
    const { url, data, requests } = this.tenant;
    return {
      url,
      dialect: this.dialect,
      environments: data.environments.map(({ id, name, type, collected }) => {
        const findingTypes = data.findingTypes(id);
        const findings = findingTypes.reduce(
          (sum, findingType) => sum + (data.findings(id, findingType)?.size ?? 0),
          0,
        );
        return { id, name, type, collected, findingTypes, findings };
      }),
      requests: requests.length,
      isAnalysing: this.#isAnalysing,
      latencyMs: this.#latencyMs,
      clockAheadMs: this.#clockAheadMs,
      passedMs: this.#passedMs,
      remediated: this.tenant.control
        .remediated()
        .map(({ environmentId, findingType, finding }) => shown(environmentId, findingType, finding)),
      reachable: this.#reachable,
      faults: this.#faults.list(),
    };
  }

  /** The newest findings of a pair; null when the tenant does not have the pair. */
  findings(environmentId: string, findingType: string): TenantFinding[] | null {
    const table = this.tenant.data.findings(environmentId, findingType);
    if (table === undefined) return null;
    const sort = [{ column: "id", descending: true }];
    const { findings } = table.query({ filters: [], sort, unsorted: "id", skip: 0, limit: MOST_FINDINGS_SHOWN });
    return findings.map((finding) => shown(environmentId, findingType, finding));
  }

  /**
   * Does what a command says.
   * @returns one sentence about what it did; null when the tenant does not have what the command names
   */
  async perform(command: TenantCommand): Promise<string | null> {
    switch (command.do) {
      case "go_away":
        await this.tenant.control.goAway();
        this.#reachable = false;
        return "The tenant is gone: connections to it are refused.";
      case "come_back":
        if (!this.#reachable) await this.tenant.control.comeBack();
        this.#reachable = true;
        return "The tenant can be reached again.";
      case "begin_analysis":
      case "end_analysis":
      case "inject":
      case "clear_faults":
      case "set_latency":
      case "move_clock":
        return this.#behave(command);
      default:
        return this.#keep(command);
    }
  }

  async close(): Promise<void> {
    await this.tenant.close();
  }

  #keep(command: DataCommand): string | null {
    const at = this.#time.now() + this.#clockAheadMs;
    const sentence = this.#change(command);
    if (sentence === null) return null;
    this.#saved.changes.push({ at, command });
    saveTenant(this.#file, this.#saved);
    return sentence;
  }

  #change(command: DataCommand): string | null {
    const { data, control } = this.tenant;
    if (command.do === "analyse") return this.#analyse(command.environmentId);
    if (command.do === "pass_time") {
      control.passTime(command.milliseconds);
      this.#passedMs += command.milliseconds;
      return `Skipped ${durationText(command.milliseconds)} for the service and its analyses.`;
    }
    if (!("findingType" in command)) return this.#changeEnvironment(command);
    const { environmentId, findingType } = command;
    if (data.findings(environmentId, findingType) === undefined) return null;
    switch (command.do) {
      case "add_findings": {
        const added = control.addFindings(environmentId, findingType, command.count);
        return `Added ${counted(added.length, "finding")} of ${findingType}.`;
      }
      case "accept_finding":
        return control.acceptFinding(environmentId, findingType, command.id)
          ? `Finding ${command.id} is accepted. The service still lists it, marked as accepted.`
          : null;
      case "remediate_finding":
        return control.remediateFinding(environmentId, findingType, command.id)
          ? `Finding ${command.id} is remediated. The service no longer lists it.`
          : null;
      case "delete_finding":
        return control.deleteFinding(environmentId, findingType, command.id)
          ? `Finding ${command.id} is marked as deleted.`
          : null;
      case "bring_back":
        return control.bringFindingBack(environmentId, findingType, command.id)
          ? `Finding ${command.id} is back, under a new id.`
          : null;
    }
  }

  #changeEnvironment(command: Extract<DataCommand, { do: "renew_ids" | "drop_environment" | "stop_collector" }>) {
    const { data, control } = this.tenant;
    const { environmentId } = command;
    const environment = data.environment(environmentId);
    if (environment === undefined) return null;
    const { name } = environment;
    switch (command.do) {
      case "renew_ids":
        control.analyse(environmentId, { findings: {}, renumber: true });
        return `An analysis has given every finding of ${name} a new id.`;
      case "drop_environment":
        control.removeEnvironment(environmentId);
        return `The service no longer has ${name}.`;
      case "stop_collector":
        control.stopCollector(environmentId, command.days);
        this.#passedMs += command.days * DAY_MS;
        return `${counted(command.days, "day")} have passed without a collection of ${name}. Run an analysis to see what is left.`;
    }
  }

  #analyse(environmentId: string | undefined): string | null {
    const { data, control } = this.tenant;
    const chosen = data.environments.filter(({ id, collected }) => (environmentId ?? id) === id && collected);
    if (chosen.length === 0) return null;
    const added = chosen.reduce((sum, { id }) => sum + control.analyse(id).length, 0);
    this.#isAnalysing = false;
    return `The analysis of ${chosen.map(({ name }) => name).join(", ")} added ${counted(added, "finding")}.`;
  }

  #behave(command: Exclude<TenantCommand, DataCommand | { do: "go_away" | "come_back" }>): string {
    const { control } = this.tenant;
    switch (command.do) {
      case "begin_analysis":
        control.beginAnalysis();
        this.#isAnalysing = true;
        return "An analysis has begun.";
      case "end_analysis":
        control.endAnalysis();
        this.#isAnalysing = false;
        return "The analysis is complete.";
      case "inject": {
        const { name, path, times } = command.fault;
        this.#faults.inject(command.fault);
        const which = times === null ? "All requests" : `The next ${counted(times, "request")}`;
        return `${which}${path === "" ? "" : ` whose path has "${path}"`} ${FAULT_SENTENCES[name]}.`;
      }
      case "clear_faults":
        this.#faults.clear();
        return "No fault is injected any more. Requests that hang stay so until the plugin gives up.";
      case "set_latency":
        control.setLatency(command.milliseconds);
        this.#latencyMs = command.milliseconds;
        return `Every answer takes ${command.milliseconds.toLocaleString("en-US")} ms longer.`;
      case "move_clock":
        control.skewClock(command.aheadMs);
        this.#clockAheadMs = command.aheadMs;
        return clockSentence(command.aheadMs);
    }
  }
}

/**
 * Starts the simulated tenant that is kept in a file, or a new one.
 * @throws Error that says what to do when its file is damaged or cannot be written, or when its port is taken: instances are configured with it.
 */
export async function startSimulation({
  file,
  dialect = "standard",
  clock = systemClock,
}: SimulationOptions): Promise<Simulation> {
  const saved = loadTenant(file, dialect, clock.now());
  const time: Time = { replayed: null, now: () => time.replayed ?? clock.now() };
  const tenant = await startTenant({
    port: saved.port,
    dialect: saved.dialect,
    dataset: { kind: "demo", analysedAt: saved.analysedAt },
    tokens: [{ id: saved.tokenId, key: saved.tokenKey }],
    clock: time,
  }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(
      `Port ${saved.port}, which the simulated tenant had, is in use. Stop the program that uses it (perhaps another console), or start with --fresh to begin anew.`,
    );
  });
  try {
    return new Simulation(tenant, { ...saved, port: tenant.port }, file, time);
  } catch (error) {
    // A tenant that goes on listening would keep the process alive.
    await tenant.close();
    throw error;
  }
}

function shown(environmentId: string, findingType: string, finding: WireFinding): TenantFinding {
  const { id, Severity: severity, Accepted: accepted } = finding;
  const name = ({ name: given }: Record<string, unknown>, objectId: string) =>
    typeof given === "string" ? given : objectId;
  const ends =
    "ToPrincipal" in finding
      ? {
          source: name(finding.FromPrincipalProps, finding.FromPrincipal),
          target: name(finding.ToPrincipalProps, finding.ToPrincipal),
        }
      : { source: null, target: name(finding.Props, finding.Principal) };
  return { environmentId, findingType, id, ...ends, severity, accepted };
}

function clockSentence(aheadMs: number): string {
  if (aheadMs === 0) return "The tenant's clock agrees with that of this machine.";
  return `The tenant's clock is ${durationText(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"} that of this machine.`;
}
