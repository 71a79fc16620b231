import { setTimeout as delay } from "node:timers/promises";

/** The only source of time and the only timer. Tests use their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay that a Node timer can hold; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
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
