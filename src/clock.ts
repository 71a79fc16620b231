import { setTimeout as delay } from "node:timers/promises";

/** The only source of time and the only timer. Tests use their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Whole milliseconds since some moment. They measure how long something takes: nobody can set this clock. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The longest delay that a Node timer can hold; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  async sleep(ms, signal) {
    try {
      for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
        await delay(Math.min(left, LONGEST_TIMER_MS), undefined, signal && { signal });
      }
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};

/** What a promise gives within `ms` milliseconds, else "late"; it rejects like the promise. */
export async function raceTimeout<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | "late"> {
  const settled = new AbortController();
  const late = clock.sleep(ms, settled.signal).then(
    () => "late" as const,
    () => "late" as const,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    settled.abort(null);
    // The promise may reject after nobody waits for it any more.
    promise.catch(() => undefined);
  }
}

/** Settles like the promise, or rejects with `late` once `ms` milliseconds have passed. */
export async function withTimeout<T>(promise: Promise<T>, ms: number, clock: Clock, late: unknown): Promise<T> {
  const settled = await raceTimeout(promise, ms, clock);
  if (settled === "late") throw late;
  return settled;
}
