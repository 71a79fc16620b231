import type { Clock } from "../../src/clock.ts";

/** A clock that a person can set ahead, so that nobody has to wait for what takes days. Sleeps take their time. */
export class AheadClock implements Clock {
  aheadMs = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.aheadMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}
