import { InterruptedError } from "../../src/runtime/errors.ts";
import type { Alert } from "../../src/runtime/protocol.ts";
import { drive, Process, VirtualTime } from "./clock.ts";
import { type DeliveredAlert, type History, keyOfEvent, type RunRecord, type Violation } from "./history.ts";
import { Host, LeftAlerts, type Message } from "./host.ts";
import { checkRun, checkScenario } from "./invariants/invariants.ts";
import type { Plugin } from "./plugin.ts";
import { mix, Random } from "./random.ts";
import { plainPoll } from "./scenarios.ts";
import type { PollPlan, Scenario } from "./scenario.ts";
import { token } from "./tenant/signature.ts";
import { Tenant } from "./tenant/tenant.ts";
import { lendTimers } from "./timers.ts";
import { EPOCH, HOUR, MINUTE, World } from "./world.ts";

/** A run without a deadline that is still busy after this long will never end: a slow line may take hours for a page. */
const ENDLESS_MS = 72 * HOUR;
/** How many polls the quiet end of a scenario has for getting everything, and how far apart they are. */
const QUIET_POLLS = 8;
const QUIET_INTERVAL_MS = 65 * MINUTE;
/** What is read once a day only must have come by then. */
const LAST_PAUSE_MS = 26 * HOUR;

export interface Outcome {
  violations: Violation[];
  history: History;
  polls: number;
  delivered: number;
}

export interface SimulateOptions {
  /** Stops at the first run that breaks an invariant. */
  stopEarly?: boolean;
  /** Invariants that are not checked. */
  except?: readonly string[];
}

/** Runs a whole scenario and checks every invariant after every poll. */
export function simulate(scenario: Scenario, plugin: Plugin, options: SimulateOptions = {}): Promise<Outcome> {
  return new Simulation(scenario, plugin, options).run();
}

class Simulation {
  readonly #scenario: Scenario;
  readonly #plugin: Plugin;
  readonly #stopEarly: boolean;
  readonly #except: ReadonlySet<string>;
  readonly #world: World;
  readonly #tenant: Tenant;
  readonly #host: Host;
  readonly #time: VirtualTime;
  readonly #history: History = { runs: [], deliveries: new Map(), promised: new Map() };
  readonly #violations: Violation[] = [];

  constructor(scenario: Scenario, plugin: Plugin, { stopEarly = true, except = [] }: SimulateOptions) {
    this.#scenario = scenario;
    this.#plugin = plugin;
    this.#stopEarly = stopEarly;
    this.#except = new Set(except);
    this.#world = new World(scenario);
    this.#tenant = new Tenant(this.#world);
    this.#host = new Host(scenario.host.kind);
    this.#time = new VirtualTime(mix(scenario.seed, 2));
  }

  async run(): Promise<Outcome> {
    for (const plan of this.#scenario.polls) {
      await this.#poll(plan, Math.max(plan.at, this.#time.now + 1_000), false);
      if (this.#broken) return this.#outcome();
    }
    await this.#quietEnd();
    return this.#outcome();
  }

  get #broken(): boolean {
    return this.#stopEarly && this.#violations.length > 0;
  }

  /** The service is well, nothing changes any more, and the host has all the time in the world. */
  async #quietEnd(): Promise<void> {
    this.#time.skipTo(this.#time.now + 1_000);
    this.#world.quietFrom = this.#time.now;
    for (let poll = 0; poll < QUIET_POLLS && !this.#broken; poll++) {
      const record = await this.#poll(quietPoll, this.#time.now + QUIET_INTERVAL_MS, true);
      if (record.result?.status === "completed") break;
    }
    for (const pause of [LAST_PAUSE_MS, QUIET_INTERVAL_MS]) {
      if (!this.#broken) await this.#poll(quietPoll, this.#time.now + pause, true);
    }
    if (!this.#broken) this.#violations.push(...checkScenario(this.#world, this.#history, this.#except));
  }

  async #poll(plan: PollPlan, at: number, quiet: boolean): Promise<RunRecord> {
    this.#time.skipTo(at);
    const timers = new Process(this.#time);
    const restore = lendTimers(timers);
    const first = this.#begin(plan, quiet);
    const runs = [first];
    const { overlapAfterMs, ...alone } = plan;
    let other: Promise<unknown> = Promise.resolve();
    if (overlapAfterMs !== undefined) {
      other = new Promise((resolve) => {
        this.#time.after(overlapAfterMs, () => {
          const second = this.#begin({ ...alone, memory: { kind: "kept" } }, quiet);
          runs.push(second);
          resolve(second.over);
        });
      });
    }
    const all = Promise.all([first.over, other]);
    if (!(await drive(this.#time, all, this.#time.now + ENDLESS_MS))) for (const { kill } of runs) kill("hang");
    restore();
    for (const { process } of [...runs, { process: timers }]) process.kill();
    for (const { record } of runs) {
      record.overlapped = runs.length > 1;
      this.#violations.push(...checkRun(this.#world, this.#history, record, this.#except));
    }
    return first.record;
  }

  /** Starts a run, and tells when it is over, however it ends. */
  #begin(plan: PollPlan, quiet: boolean): Started {
    const process = new Process(this.#time);
    const stateBefore = this.#host.handOver(plan.memory);
    const record: RunRecord = {
      index: this.#history.runs.length,
      plan,
      quiet,
      start: this.#time.now,
      end: this.#time.now,
      stateBefore,
      messages: [],
      garbage: [],
      output: "",
      stderr: "",
      result: null,
      exitCode: null,
      ending: "ended",
      alerts: [],
      requests: [],
      overlapped: false,
      left: new Set(),
    };
    const { leaves } = plan;
    const left = leaves === undefined ? null : new LeftAlerts(leaves);
    this.#history.runs.push(record);
    let killed: () => void = () => undefined;
    const death = new Promise<void>((resolve) => {
      killed = resolve;
    });
    const kill = (ending: RunRecord["ending"]): void => {
      if (!process.alive) return;
      record.ending = ending;
      process.kill();
      killed();
    };
    const over = Promise.race([this.#run(record, process, { kill, left }), death]).finally(() => {
      record.end = this.#time.now;
      process.kill();
    });
    return { record, process, kill, over };
  }

  async #run(
    record: RunRecord,
    process: Process,
    { kill, left }: Pick<Started, "kill"> & { left: LeftAlerts | null },
  ): Promise<void> {
    const { plan } = record;
    const epoch = EPOCH + this.#world.hostAhead(record.start);
    const stop = new AbortController();
    if (plan.deadlineMs !== null) {
      process.after(plan.deadlineMs, () => {
        kill("deadline");
      });
    }
    if (plan.kill !== null && "afterMs" in plan.kill) {
      process.after(plan.kill.afterMs, () => {
        kill("killed");
      });
    }
    if (plan.stopAfterMs !== undefined) {
      process.after(plan.stopAfterMs, () => {
        stop.abort(new InterruptedError("The host stopped the run before it finished. (SIGTERM)"));
      });
    }
    const random = new Random(this.#scenario.seed, 3, record.start);
    const code = await this.#plugin({
      request: this.#request(record, epoch),
      clock: process.clock(epoch, (moment) => this.#world.hostGain(record.start, moment)),
      random: random.next,
      send: this.#tenant.connect(process, () => this.#time.now, record.requests),
      stop: stop.signal,
      stateCharacters: this.#scenario.host.stateCharacters,
      onLine: (line) => this.#receive(record, process, line, { kill, left }),
      onError: (text) => {
        record.stderr += text;
      },
    });
    if (process.alive) record.exitCode = code;
  }

  #receive(
    record: RunRecord,
    process: Process,
    line: string,
    { kill, left }: Pick<Started, "kill"> & { left: LeftAlerts | null },
  ): Promise<void> | undefined {
    if (!process.alive) return undefined;
    record.output += `${line}\n`;
    const message = parse(line);
    if (message === null) {
      record.garbage.push(line);
      return undefined;
    }
    record.messages.push(message);
    const isNew = this.#host.take(message, left);
    if (message.type === "result") record.result ??= left?.any === true ? withoutCheckpoint(message) : message;
    if (message.type === "alert") this.#deliver(record, message.alert, isNew, message.checkpoint);
    const { plan } = record;
    if (plan.kill !== null && "afterMessages" in plan.kill && record.messages.length >= plan.kill.afterMessages) {
      kill("killed");
    }
    if (plan.hostMs === 0) return undefined;
    return new Promise((resolve) => process.after(plan.hostMs, resolve));
  }

  #deliver(record: RunRecord, alert: Alert, isNew: boolean | "left", patch: DeliveredAlert["patch"]): void {
    const keys = alert.events.map((event) => keyOfEvent(this.#world, event, this.#time.now));
    record.alerts.push({ alert, keys, isNew: isNew !== false, patch });
    for (const key of keys) {
      if (key === null) continue;
      if (isNew === "left") {
        record.left.add(key);
        continue;
      }
      const deliveries = this.#history.deliveries.get(key) ?? [];
      this.#history.deliveries.set(key, deliveries);
      deliveries.push({ run: record.index });
    }
  }

  #request({ index, plan, stateBefore, start }: RunRecord, epoch: number): string {
    const { deadlineMs, maxAlerts, maxEventsPerAlert } = plan;
    return JSON.stringify({
      protocol: 1,
      kind: "connector",
      name: "Attack Path Findings",
      run: {
        id: `r-${index}`,
        deadline: deadlineMs === null ? null : new Date(epoch + start + deadlineMs).toISOString(),
        test: false,
        ...(maxAlerts !== null && { maxAlerts }),
        ...(maxEventsPerAlert !== null && { maxEventsPerAlert }),
      },
      parameters: {
        Server: "https://tenant.simulation.test",
        "Token ID": token.id,
        "Token Key": token.key,
        "Selected Environments": plan.environments ?? "All",
        "Selected Finding Types": plan.types ?? "All",
        "Product Field Name": "device_product",
        "Event Field Name": "finding_type",
      },
      state: stateBefore,
    });
  }

  #outcome(): Outcome {
    return {
      violations: this.#violations,
      history: this.#history,
      polls: this.#history.runs.length,
      delivered: this.#history.deliveries.size,
    };
  }
}

interface Started {
  readonly record: RunRecord;
  readonly process: Process;
  readonly kill: (ending: RunRecord["ending"]) => void;
  readonly over: Promise<void>;
}

const quietPoll = plainPoll(0);

function parse(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "type" in value ? (value as Message) : null;
  } catch {
    return null;
  }
}

/** The result as the host keeps it that has left an alert. */
function withoutCheckpoint({
  checkpoint,
  ...rest
}: NonNullable<RunRecord["result"]>): NonNullable<RunRecord["result"]> {
  return rest;
}
