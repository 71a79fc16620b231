import type { ClockMemory } from "./state/state.ts";

/** Both clocks at one moment, in epoch milliseconds. */
export interface Clocks {
  /** The service's; null as long as no response had a date. */
  readonly service: number | null;
  readonly host: number;
}

/** The service tells its time in whole seconds: an analysis that ended in the same second seems to end later. */
const DATE_STEP_MS = 1_000;

/** When a moment of the service's clock was, at the earliest and at the latest, by the job's time. */
export interface PlacedTime {
  readonly earliest: number;
  readonly latest: number;
}

/**
 * The time that waits are measured by. It begins as the service's clock, and then goes on by what both the service's clock and
 * the host's say has passed since the run before. One that jumps ahead shortens no wait, and one that is set back only makes it
 * longer.
 */
export class JobTime {
  readonly #before: ClockMemory | undefined;
  readonly #read: () => Clocks;

  constructor(before: ClockMemory | undefined, read: () => Clocks) {
    this.#before = before;
    this.#read = read;
  }

  /** In milliseconds, never less than in an earlier run. */
  now(): number {
    return this.toState().time;
  }

  /**
   * The service's clock may have jumped before or after the moment. One that has not come yet was told by a clock that was ahead:
   * it may have been at any time since the run before.
   */
  of(instant: number): PlacedTime {
    const { service, host, time } = this.toState();
    // The first run knows no run before: until then, the service's clock may have agreed with the host's.
    const before = this.#before ?? { service: host, time: service };
    const byNow = time - (service - instant);
    const byRunBefore = before.time + (instant - before.service);
    const runBefore = instant >= service + DATE_STEP_MS ? (this.#before?.time ?? 0) : Infinity;
    const clamped = (moment: number): number => Math.min(time, Math.max(0, moment));
    return {
      earliest: clamped(Math.min(byNow, byRunBefore, runBefore)),
      latest: clamped(Math.max(byNow, byRunBefore)),
    };
  }

  toState(): ClockMemory {
    const { service: said, host: shown } = this.#read();
    const host = Math.max(0, Math.floor(shown));
    const service = Math.max(0, Math.floor(said ?? shown));
    const before = this.#before;
    if (before === undefined) return { service, host, time: service };
    const passed = Math.max(0, Math.min(service - before.service, host - before.host));
    return { service, host, time: before.time + passed };
  }
}
