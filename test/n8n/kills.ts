import { setTimeout as delay } from "node:timers/promises";
import { type Random, seededRandom } from "../../sandbox/tenant/dataset/random.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { QueueMode } from "./queue-mode.ts";
import { until } from "./until.ts";

const KINDS = ["worker", "worker", "main", "PostgreSQL connections", "Redis connections"] as const;
type Kind = (typeof KINDS)[number];

const RECOVERY_MS = 300_000;
const MOST_NEW_FINDINGS = 9;

/** What kills of one kind did. */
export interface Toll {
  kills: number;
  /** Executions that ran at that moment, and did not end well. */
  ended: number;
  /** Alerts that arrived again, under an id that the table has. */
  repeatedAlerts: number;
  /** Findings that arrived again in an alert of another id, because the service had new ones meanwhile. */
  repeatedFindings: number;
  /** Rows that have the alert id of another row. */
  rowsTwice: number;
  /** From the kill to the end of the next execution that ends well, in seconds. */
  recovery: number[];
}

const NOTHING = { kills: 0, ended: 0, repeatedAlerts: 0, repeatedFindings: 0, rowsTwice: 0 };
const COUNTS = Object.keys(NOTHING) as (keyof typeof NOTHING)[];

/** Kills parts of n8n while it polls a tenant that keeps adding findings. */
export class Kills {
  readonly tolls = new Map<Kind, Toll>();
  /** How many executions were killed with some of their alerts stored, and no checkpoint. */
  betweenAlertsAndCheckpoint = 0;
  readonly #queue: QueueMode;
  readonly #tenant: Tenant;
  readonly #random: Random;
  /** How long an execution takes that nothing happens to. */
  readonly #ms: number;

  constructor(queue: QueueMode, tenant: Tenant, { seed, executionMs }: { seed: number; executionMs: number }) {
    this.#queue = queue;
    this.#tenant = tenant;
    this.#random = seededRandom(seed);
    this.#ms = executionMs;
  }

  /** Kills once, and waits until n8n polls again. */
  async once(kind: Kind): Promise<void> {
    const before = await this.#queue.arrived();
    const { id: execution, start } = await this.#running();
    const at = Date.now() / 1_000;
    await this.#kill(kind);
    const stored = await this.#queue.storedSince(start);
    const isBetween = stored.alerts > 0 && !stored.checkpoint;
    // An analysis may end between a kill and the next poll, but seldom does.
    const grows = this.#random.next() < 0.3;
    if (grows) this.#grow();
    const end = await until("an execution ends well after the kill", RECOVERY_MS, () => this.#queue.successAfter(at));
    const hasEnded = (await this.#queue.statusOf(execution)) !== "success";
    if (hasEnded && isBetween) this.betweenAlertsAndCheckpoint += 1;
    const after = await this.#queue.arrived();
    const repeatedFindings = after.repeatedFindings - before.repeatedFindings;
    if (!grows && repeatedFindings > 0) {
      throw new Error(`${repeatedFindings} findings arrived again in alerts of other ids, and nothing had changed`);
    }
    this.#add(kind, {
      kills: 1,
      ended: hasEnded ? 1 : 0,
      repeatedAlerts: after.repeatedAlerts - before.repeatedAlerts,
      repeatedFindings,
      rowsTwice: after.rowsTwice - before.rowsTwice,
      recovery: [end - at],
    });
  }

  /** Kinds in a random order, of which each has its share. */
  kinds(count: number): Kind[] {
    return Array.from({ length: Math.ceil(count / KINDS.length) }, () => this.#random.sample(KINDS, KINDS.length))
      .flat()
      .slice(0, count);
  }

  /** Adds findings, and waits for a moment at random in an execution that reads them. */
  async #running(): Promise<{ id: string; start: number }> {
    for (;;) {
      const reads = new Promise<void>((resolve) => {
        const run = (): void => {
          resolve();
        };
        this.#tenant.control.fault({ path: "details", times: 1, effect: { kind: "run", run } });
      });
      this.#grow();
      await reads;
      await delay(this.#random.below(this.#ms));
      const running = await this.#queue.running();
      // It has ended before its moment came.
      if (running !== null) return running;
    }
  }

  #grow(): void {
    const { control, data } = this.#tenant;
    for (const { id } of data.environments) {
      const all = data.findingTypes(id);
      const types = this.#random.sample(all, 1 + this.#random.below(all.length));
      const findings = Object.fromEntries(types.map((type) => [type, 1 + this.#random.below(MOST_NEW_FINDINGS)]));
      control.analyse(id, { findings });
    }
  }

  async #kill(kind: Kind): Promise<void> {
    if (kind === "main") this.#queue.main.kill();
    else if (kind === "worker") this.#queue.busyWorker().kill();
    else if (kind === "PostgreSQL connections") await this.#queue.endDatabaseConnections();
    else await this.#queue.endRedisConnections();
  }

  #add(kind: Kind, { recovery, ...counts }: Toll): void {
    const toll = this.tolls.get(kind) ?? { ...NOTHING, recovery: [] };
    for (const key of COUNTS) toll[key] += counts[key];
    toll.recovery.push(...recovery);
    this.tolls.set(kind, toll);
  }
}
