import type { Clock } from "../../../src/service/clock.ts";

interface Sleeper {
  until: number;
  wake(): void;
}

/** Time that stands still until `drain` moves it from sleeper to sleeper. */
export class FakeClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(now = Date.UTC(2026, 7, 20, 14, 5, 6)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { until: this.#now + Math.max(0, ms), wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(new Error("woken by the signal"));
      });
    });
  }

  /** Whether anyone sleeps. */
  get busy(): boolean {
    return this.#sleepers.length > 0;
  }

  /** Wakes one sleeper after the other until none is left. */
  async drain(): Promise<void> {
    await settle();
    while (this.#sleepers.length > 0) {
      this.#sleepers.sort((a, b) => a.until - b.until);
      const next = this.#sleepers.shift()!;
      this.#now = Math.max(this.#now, next.until);
      next.wake();
      await settle();
    }
  }
}

/** A clock of real time whose sleeps are over at once, and which says how long they would have been. */
export function impatientClock(offsetMs = 0): Clock & { sleeps: number[] } {
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => Date.now() + offsetMs,
    sleep: (ms) => {
      sleeps.push(ms);
      return Promise.resolve();
    },
  };
}

/** A clock of real time that skips what is slept. */
export function jumpingClock(): Clock {
  let aheadMs = 0;
  return {
    now: () => Date.now() + aheadMs,
    sleep: (ms) => {
      aheadMs += ms;
      return Promise.resolve();
    },
  };
}

/** Lets everything run that waits for no clock. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
