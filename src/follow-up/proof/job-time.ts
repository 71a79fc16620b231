import type { ClockMemory, EarlierClock } from "../state/state.ts";
import { LONGEST_CLOCK_MEMORY_MS } from "./waits.ts";

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

/** Two clocks that only drift differ by less than this from run to run. */
const LEAST_JUMP_MS = 60_000;
/** How many jumps are remembered, the latest ones. */
const MOST_JUMPS = 50;

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
   * A timestamp may date from before or after a jump of the service's clock, so this returns a range. A timestamp in the future
   * came from a clock that was ahead.
   */
  of(instant: number): PlacedTime {
    const { service, time, earlier = [] } = this.toState();
    const clocks = [{ service, time }, ...earlier.filter(({ until }) => instant <= until)];
    const moments = clocks.map((clock) => Math.min(time, Math.max(0, clock.time + (instant - clock.service))));
    const isToCome = instant >= service + DATE_STEP_MS;
    return { earliest: isToCome ? 0 : Math.min(...moments), latest: Math.max(...moments) };
  }

  toState(): ClockMemory {
    const { service: said, host: shown } = this.#read();
    const host = Math.max(0, Math.floor(shown));
    const service = Math.max(0, Math.floor(said ?? shown));
    const before = this.#before;
    // The first run knows no run before: until then, the service's clock may have agreed with the host's.
    if (before === undefined)
      return remembering({ service, host, time: service }, { service: host, time: service, until: host });
    const [serviceMs, hostMs] = [service - before.service, host - before.host];
    const time = before.time + Math.max(0, Math.min(serviceMs, hostMs));
    const until = before.service + Math.max(0, serviceMs, hostMs);
    const last = { service: before.service, time: before.time, until };
    return remembering({ service, host, time }, last, before.earlier);
  }
}

/** @param last - how the service's clock went until this run, which may have found that it has jumped */
function remembering(
  now: Pick<ClockMemory, "service" | "host" | "time">,
  last: EarlierClock,
  earlier: readonly EarlierClock[] = [],
): ClockMemory {
  const jumpMs = Math.abs(now.service - now.time - (last.service - last.time));
  const kept = [...earlier, ...(jumpMs < LEAST_JUMP_MS ? [] : [last])]
    .filter(({ time }) => now.time - time <= LONGEST_CLOCK_MEMORY_MS)
    .slice(-MOST_JUMPS);
  return { ...now, ...(kept.length > 0 && { earlier: kept }) };
}
