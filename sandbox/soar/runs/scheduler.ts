import type { Clock } from "../../../src/clock.ts";
import type { Logger } from "../../../src/logger.ts";
import { ParameterError } from "../../../src/runtime/errors.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import type { LiveEvents } from "../live.ts";
import type { RunRecords } from "./run-records.ts";
import type { Runner } from "./runner.ts";
import type { Store } from "../store.ts";
import { messageOf } from "../../../src/text.ts";

/** The field of a connector that holds its interval in minutes. */
const RUN_EVERY = "Run Every";
const MINUTE_MS = 60_000;
/** One year. The date of a run that is planned much later could not be written. */
const MOST_MINUTES = 525_600;
/** Of a job, which declares none, and of a connector without a usable one. */
const DEFAULT_EVERY_MS = 60 * MINUTE_MS;

/** @throws ParameterError when the interval of a connector is too long to plan with. */
export function checkInterval(parameters: JsonObject): void {
  if (Number(parameters[RUN_EVERY]) > MOST_MINUTES)
    throw new ParameterError(RUN_EVERY, `must be at most ${MOST_MINUTES}: a year has as many minutes.`);
}

export interface SchedulerParts {
  store: Store;
  records: RunRecords;
  runner: Runner;
  live: LiveEvents;
  log: Logger;
  clock: Clock;
}

interface Plan {
  /** null while the connector runs. */
  at: number | null;
  cancel: AbortController;
}

/** Runs each enabled connector and job at its interval, one run at a time; it does nothing before {@link start}. */
export class Scheduler {
  private readonly parts: SchedulerParts;
  private readonly plans = new Map<string, Plan>();
  private started = false;

  constructor(parts: SchedulerParts) {
    this.parts = parts;
    parts.live.on((event) => {
      // A run that a person started moves the next one, too.
      if (event.type === "run" && event.run.kind !== "action" && event.run.status !== "running") {
        this.plan(event.run.ownerId);
      }
    });
  }

  /** The polling interval of a connector or a job in milliseconds. */
  runEveryMs(connectorId: string): number {
    const { parameters } = this.parts.store.connector(connectorId);
    const minutes = Number(parameters[RUN_EVERY]);
    return minutes > 0 ? Math.min(minutes, MOST_MINUTES) * MINUTE_MS : DEFAULT_EVERY_MS;
  }

  /** Epoch milliseconds; null while it is disabled or runs. */
  nextRunAt(connectorId: string): number | null {
    return this.plans.get(connectorId)?.at ?? null;
  }

  start(): void {
    this.started = true;
    for (const { id } of this.parts.store.connectors()) this.plan(id);
  }

  stop(): void {
    this.started = false;
    for (const id of [...this.plans.keys()]) this.forget(id);
  }

  /**
   * Plans the next run of a connector anew: one interval after the last one began, at once when that has passed, and never
   * later than one interval from now, because the clock may have been set back since.
   */
  plan(connectorId: string, notBefore = 0): void {
    this.forget(connectorId);
    const { store, records, runner, clock } = this.parts;
    const connector = store.connectors().find(({ id }) => id === connectorId);
    if (!this.started || connector?.enabled !== true || runner.active.of(connectorId) !== null) return;
    const last = records.last(connectorId);
    const now = clock.now();
    const due = last === null ? now : Math.min(last.startedAt, now) + this.runEveryMs(connectorId);
    const plan: Plan = { at: Math.max(now, due, notBefore), cancel: new AbortController() };
    this.plans.set(connectorId, plan);
    void this.runAt(connectorId, plan);
  }

  forget(connectorId: string): void {
    this.plans.get(connectorId)?.cancel.abort();
    this.plans.delete(connectorId);
  }

  private async runAt(connectorId: string, plan: Plan): Promise<void> {
    const { runner, clock, log, live } = this.parts;
    try {
      await clock.sleep((plan.at ?? 0) - clock.now(), plan.cancel.signal);
    } catch {
      return;
    }
    if (plan.cancel.signal.aborted) return;
    plan.at = null;
    try {
      const { report } = await runner.connector(connectorId, { by: "Schedule" });
      await report;
    } catch (error) {
      log.error(`The scheduled run of a connector failed: ${messageOf(error)}`, { connector: connectorId });
      // A run that could not begin has no end that would plan the next one.
      this.plan(connectorId, clock.now() + MINUTE_MS);
    }
    live.emit({ type: "connector", id: connectorId });
  }
}
