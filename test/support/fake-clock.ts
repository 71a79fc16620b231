import { systemClock, type Clock } from "../../src/clock.ts";

interface Sleeper {
  until: number;
  wake(): void;
}

/** Time that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  #setByMs = 0;
  #sleepers: Sleeper[] = [];

  constructor(now = Date.parse("2030-01-31T10:00:00Z")) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#setByMs;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { until: this.#now + Math.max(0, ms), wake: resolve };
      const wakeEarly = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted === true) {
        wakeEarly();
        return;
      }
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", wakeEarly);
    });
  }

  /** Sets what the clock shows forward, or back; no time passes. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }

  /** Whether anyone sleeps. */
  get busy(): boolean {
    return this.#sleepers.length > 0;
  }

  /** Moves time on and wakes whoever has slept long enough. */
  advance(ms: number): void {
    this.#now += ms;
    const due = this.#sleepers.filter(({ until }) => until <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.#now);
    for (const sleeper of due) sleeper.wake();
  }

  /** Moves time from sleeper to sleeper until none is left. */
  async drain(): Promise<void> {
    await settle();
    while (this.busy) await this.drainOnce();
  }

  /** Lets everything run that waits for no clock, and then moves time on to whoever wakes next. */
  async drainOnce(): Promise<void> {
    await settle();
    if (!this.busy) return;
    const next = Math.min(...this.#sleepers.map(({ until }) => until));
    this.advance(Math.max(0, next - this.#now));
    await settle();
  }
}

/** The clock of this machine, moved on by hand; sleeps take their time. Give it to the tenant too. */
export function movableClock(): Clock & { moveOn(ms: number): void } {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    moveOn: (ms) => {
      aheadMs += ms;
    },
  };
}

/** Pauses are shorter than this, timeouts are longer. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * The clock of this machine, which is moved on by pauses: nobody waits. A longer sleep, such as a timeout, lasts until its
 * signal aborts.
 */
export function skippingClock(aheadMs = 0): Clock & { sleeps: number[] } {
  const sleeps: number[] = [];
  let skippedMs = 0;
  return {
    sleeps,
    now: () => systemClock.now() + aheadMs + skippedMs,
    monotonic: () => systemClock.monotonic() + skippedMs,
    sleep: (ms, signal) => {
      if (ms > LONGEST_PAUSE_MS) return untilAborted(signal);
      sleeps.push(ms);
      skippedMs += ms;
      return Promise.resolve();
    },
  };
}

/**
 * How many rounds of the event loop, at a millisecond each, nothing must have happened before time jumps. Jumping over a short
 * sleep too early makes a network slow; jumping over a timeout too early would make it stall.
 */
const QUIET_ROUNDS = { short: 6, long: 120 };

const SHORT_MS = 1_000;

/**
 * A clock that jumps to whoever wakes next once nothing happens any more without it, so that nobody waits for a response that
 * is held back. Both ends of all connections must be in this process, so that it knows of everything that is on its way. While
 * something happens, time passes as on this machine.
 *
 * @param activity - grows with whatever happens, such as the bytes that a tenant has sent and received
 */
export function jumpingClock(activity: () => number): Clock {
  const sleepers = new Set<Sleeper>();
  let timer: NodeJS.Timeout | undefined;
  let aheadMs = 0;
  let seen = -1;
  let quiet = 0;
  const monotonic = (): number => systemClock.monotonic() + aheadMs;
  const leave = (sleeper: Sleeper): void => {
    sleepers.delete(sleeper);
    if (sleepers.size === 0) clearInterval(timer);
  };
  const round = (): void => {
    const now = activity();
    quiet = now === seen ? quiet + 1 : 0;
    seen = now;
    const next = Math.min(...[...sleepers].map(({ until }) => until)) - monotonic();
    if (quiet >= (next < SHORT_MS ? QUIET_ROUNDS.short : QUIET_ROUNDS.long)) {
      quiet = 0;
      aheadMs += Math.max(0, next);
    }
    for (const sleeper of [...sleepers].filter(({ until }) => until <= monotonic())) {
      leave(sleeper);
      sleeper.wake();
    }
  };
  return {
    now: () => systemClock.now() + aheadMs,
    monotonic,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: monotonic() + Math.ceil(Math.max(0, ms)), wake: resolve };
        const wakeEarly = (): void => {
          leave(sleeper);
          reject(signal?.reason as Error);
        };
        if (signal?.aborted === true) {
          reject(signal.reason as Error);
          return;
        }
        if (sleepers.size === 0) timer = setInterval(round, 1);
        sleepers.add(sleeper);
        signal?.addEventListener("abort", wakeEarly);
      }),
  };
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
  });
}

/** Lets everything run that waits for no clock. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
