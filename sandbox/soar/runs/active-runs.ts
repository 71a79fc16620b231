import type { RunView } from "../../console/contract/index.ts";
import { HostError } from "../host-error.ts";
import type { LiveEvents } from "../live.ts";

interface ActiveRun {
  ownerId: string;
  stop: AbortController;
  progress: RunView["progress"];
  isStopped: boolean;
  ended: Promise<unknown>;
}

/** The runs that are under way in this process. */
export class ActiveRuns {
  private readonly live: LiveEvents;
  private readonly runs = new Map<string, ActiveRun>();

  constructor(live: LiveEvents) {
    this.live = live;
  }

  /** Returns a signal that ends the run: when the run is stopped, or when its caller's signal aborts. */
  add({ id, ownerId }: { id: string; ownerId: string }, signal?: AbortSignal): AbortSignal {
    const stop = new AbortController();
    this.runs.set(id, { ownerId, stop, progress: null, isStopped: false, ended: Promise.resolve() });
    return signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  }

  /** How {@link stopAll} knows that the run has ended. */
  keep(id: string, report: Promise<unknown>): void {
    const run = this.runs.get(id);
    // The caller that began the run handles its errors.
    if (run !== undefined) run.ended = report.catch(() => undefined);
  }

  remove(id: string): void {
    this.runs.delete(id);
  }

  note(id: string, progress: NonNullable<RunView["progress"]>): void {
    const run = this.runs.get(id);
    if (run !== undefined) run.progress = progress;
    this.live.emit({ type: "progress", runId: id, ...progress });
  }

  progress(id: string): RunView["progress"] {
    return this.runs.get(id)?.progress ?? null;
  }

  ids(): string[] {
    return [...this.runs.keys()];
  }

  /** Id of the run of an instance or a connector that began last. */
  of(ownerId: string): string | null {
    return [...this.runs].findLast(([, run]) => run.ownerId === ownerId)?.[0] ?? null;
  }

  /** Two runs of one connector would read the same findings. @throws HostError when one is under way. */
  refuseSecond(connectorId: string): void {
    if (this.of(connectorId) === null) return;
    throw new HostError(409, "This connector is already running. Wait until the run has ended, or stop it.");
  }

  /** Asks a run to end. @throws HostError when it is not under way. */
  stop(id: string): void {
    const run = this.runs.get(id);
    if (run === undefined) throw new HostError(409, "This run has already ended.");
    run.isStopped = true;
    run.stop.abort();
  }

  /** Whether a person has asked a run to end. */
  isStopped(id: string): boolean {
    return this.runs.get(id)?.isStopped === true;
  }

  /** Ends all runs in order, and resolves when they have ended. */
  async stopAll(): Promise<void> {
    const runs = [...this.runs.values()];
    for (const { stop } of runs) stop.abort();
    await Promise.all(runs.map(({ ended }) => ended));
  }
}
