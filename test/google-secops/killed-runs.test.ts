import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, expect, it } from "@jest/globals";
import { type Random, seededRandom } from "../../sandbox/tenant/dataset/random.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { Alert } from "../../src/runtime/protocol.ts";
import { StoredFindings } from "../support/stored-findings.ts";
import { startTenant } from "../support/tenant.ts";
import { installBuilt, type Installation, python } from "./installation.ts";
import { StandInPlatform } from "./platform.ts";
import { connectorAnswer, connectorIdentifier, type StartedScript, startConnector } from "./run-script.ts";

/** How far a run has got, in the order in which it gets there. */
const PHASES = [
  "reads",
  "takes alerts",
  "writes alerts",
  "stores the checkpoint",
  "has stored the checkpoint",
] as const;
type Phase = (typeof PHASES)[number];

/** KILLED_RUNS measures more than the tests of every day do: see CONTRIBUTING.md. */
const KILLS = Number(process.env["KILLED_RUNS"] ?? 0);
const KILLS_PER_RUN_THAT_ENDS = 5;
const DATASET = { environments: 2, findingTypes: 2, findingsPerPair: 130 };
const LATENCY_MS = 15;
const CHECKPOINT = `4/${connectorIdentifier}/checkpoint`;
const LONGEST_DELAY_MS = 40;

/** A connector most of whose runs are killed, and what has arrived on its platform. */
class KilledConnector {
  readonly stored = new StoredFindings();
  /** How many runs were killed in each phase. A run that ended before the signal arrived is not counted. */
  readonly killed: Record<string, number> = {};
  readonly #random: Random;
  readonly #installation: Installation;
  readonly #tenant: Tenant;
  readonly #platform: StandInPlatform;
  readonly #keepsAlertsOfKilledRuns: boolean;

  private constructor(installation: Installation, tenant: Tenant, platform: StandInPlatform, keeps: boolean) {
    this.#installation = installation;
    this.#tenant = tenant;
    this.#platform = platform;
    this.#keepsAlertsOfKilledRuns = keeps;
    this.#random = seededRandom(keeps ? 1 : 2);
  }

  static async start(installation: Installation, keepsAlertsOfKilledRuns: boolean): Promise<KilledConnector> {
    const tenant = await startTenant({ dataset: DATASET });
    tenant.control.setLatency(LATENCY_MS);
    const platform = await StandInPlatform.start();
    // Runs that are repeated within minutes would reach the limit.
    platform.properties.set("4/overflow_settings/overflow_settings", '{"max_alerts_in_time_period": 100000}');
    return new KilledConnector(installation, tenant, platform, keepsAlertsOfKilledRuns);
  }

  get missing(): number {
    return this.stored.missing(this.#tenant);
  }

  /** Runs the connector to its end, or kills it a moment after it has got as far as `phase`. */
  async run(phase?: Phase): Promise<void> {
    this.#grow();
    this.#tenant.control.clearFaults();
    this.#platform.beforeStore = () => Promise.resolve();
    this.#platform.silent.clear();
    this.#platform.operations.length = 0;
    const { url, tokenId, tokenKey } = this.#tenant;
    const fields = { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
    const script = startConnector(this.#installation, this.#platform, { fields });
    let reached: Phase | undefined;
    if (phase !== undefined) {
      const phaseNow = this.#follow(script);
      this.#when(phase, script, async () => {
        if (phase === "reads" || phase === "takes alerts") await wait(this.#random.below(LONGEST_DELAY_MS));
        const now = phaseNow();
        // A platform that discards these alerts has a checkpoint that says that it has them: nothing could be done about it.
        if (now === "has stored the checkpoint" && !this.#keepsAlertsOfKilledRuns) return;
        reached = now;
        script.kill("SIGKILL");
        // A request that is on its way would store the checkpoint after all.
        if (!this.#keepsAlertsOfKilledRuns)
          this.#platform.beforeStore = () => Promise.reject(new Error("the script is gone"));
      });
    }
    const ended = await script.ended;
    const isKilled = ended.exitCode === null;
    if (isKilled && reached) this.killed[reached] = (this.killed[reached] ?? 0) + 1;
    if (isKilled && !(this.#keepsAlertsOfKilledRuns && isComplete(ended.stdout))) return;
    for (const { ticket_id, events } of connectorAnswer(ended).alerts)
      this.stored.store({ id: ticket_id, events } as Alert);
  }

  #grow(): void {
    const environment = this.#random.pick(this.#tenant.data.environments).id;
    const type = this.#random.pick(this.#tenant.data.findingTypes(environment));
    this.#tenant.control.analyse(environment, { findings: { [type]: 1 + this.#random.below(9) } });
  }

  /** Calls back once the script has got so far. */
  #when(phase: Phase, script: StartedScript, then: () => Promise<void>): void {
    const nth = 1 + this.#random.below(4);
    const effect = { kind: "run" as const, run: () => void then() };
    const platform = this.#platform;
    const onStore = (wanted: string, count: number) => {
      let left = count;
      platform.beforeStore = async (key) => {
        if (key !== wanted || --left !== 0) return;
        await then();
        // What the platform does with a request whose sender is gone is its own affair.
        if (!this.#keepsAlertsOfKilledRuns || this.#random.next() < 0.5) throw new Error("the script is gone");
      };
    };
    if (phase === "reads") this.#tenant.control.fault({ path: "details", from: nth, times: 1, effect });
    else if (phase === "takes alerts") onStore("overflow_data", nth);
    else if (phase === "writes alerts") void script.spoke.then(then);
    else if (phase === "stores the checkpoint") onStore("checkpoint", 1);
    else {
      platform.silent.add("SetContextProperty checkpoint");
      platform.beforeStore = (key) => {
        if (key === "checkpoint") setTimeout(effect.run, 1);
        return Promise.resolve();
      };
    }
  }

  /** Returns how far the script has got whenever it is asked: a run goes on until the signal arrives. */
  #follow({ spoke }: StartedScript): () => Phase {
    const { operations, properties } = this.#platform;
    const before = properties.get(CHECKPOINT);
    let hasSpoken = false;
    void spoke.then(() => {
      hasSpoken = true;
    });
    return () => {
      if (properties.get(CHECKPOINT) !== before) return "has stored the checkpoint";
      if (operations.includes("SetContextProperty checkpoint")) return "stores the checkpoint";
      if (hasSpoken) return "writes alerts";
      return operations.includes("SetContextProperty overflow_data") ? "takes alerts" : "reads";
    };
  }
}

function isComplete(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

python.describe("connector runs of Google SecOps that the system kills", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await installBuilt();
  });

  /** Before a run writes its alerts, one platform is like the other. */
  const differing = PHASES.slice(KILLS > 0 ? 0 : 2, 4);

  /** What a platform does with the output of a killed run is not documented. */
  it.each([
    ["keeps the alerts that a killed run has written, whatever the run was doing", true, PHASES],
    ["discards the alerts of a killed run, until its checkpoint is stored", false, differing],
  ])(
    "lose nothing on a platform that %s",
    async (_, keeps, phases) => {
      const connector = await KilledConnector.start(installation, keeps);
      const killed = () => Object.values(connector.killed).reduce((sum, count) => sum + count, 0);
      const kills = Math.max(KILLS, phases.length);
      for (let runs = 0; killed() < kills && runs < 2 * kills; runs += 1) {
        if (runs % KILLS_PER_RUN_THAT_ENDS === KILLS_PER_RUN_THAT_ENDS - 1) await connector.run();
        await connector.run(phases[runs % phases.length]);
      }
      await connector.run();
      const { stored, missing } = connector;
      const figures = { killed: connector.killed, missing, findings: stored.size, repeated: stored.repeated.length };
      if (KILLS > 0) process.stderr.write(`${JSON.stringify(figures)}\n`);
      expect({ killed: killed(), missing }).toEqual({ killed: kills, missing: 0 });
    },
    60_000 + KILLS * 10_000,
  );
});
