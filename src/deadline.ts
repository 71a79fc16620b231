import { setMaxListeners } from "node:events";
import type { Clock } from "./clock.ts";

export interface DeadlineOptions {
  readonly clock: Clock;
  /** Epoch milliseconds at which the work must stop; null when it may take as long as it likes. */
  readonly at: number | null;
  /** Signals that stop the work earlier. `signal` then has their reason. */
  readonly stops?: readonly AbortSignal[];
  /** Makes the reason of `signal` for the case that the time runs out. */
  readonly reason?: () => Error;
}

/**
 * When work must stop: at a moment, or earlier when somebody stops it. Call `release` once the work is done. How far away the
 * moment is, is read from the clock once. From then on time is measured, so a clock that is set meanwhile changes nothing.
 */
export class Deadline {
  /** Epoch milliseconds at which the work must stop; null for never. */
  readonly at: number | null;
  /** Aborts at `at`, or as soon as one of `stops` does. */
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  /** The moment by the monotonic clock; Infinity for never. */
  readonly #endsAt: number;
  readonly #released = new AbortController();
  readonly #stopListening: (() => void)[] = [];
  #timeIsUp = false;

  constructor({ clock, at, stops = [], reason }: DeadlineOptions) {
    const controller = new AbortController();
    this.#clock = clock;
    this.at = at;
    const timeMs = at === null ? Infinity : at - clock.now();
    this.#endsAt = at === null ? Infinity : clock.monotonic() + timeMs;
    this.signal = controller.signal;
    // Every request in progress listens, and so does every deadline with the same stop; Node would warn of a leak from the
    // eleventh on.
    setMaxListeners(0, this.signal, ...stops);
    for (const stop of stops) {
      const forward = (): void => {
        controller.abort(stop.reason);
      };
      if (stop.aborted) forward();
      else stop.addEventListener("abort", forward, { once: true });
      this.#stopListening.push(() => {
        stop.removeEventListener("abort", forward);
      });
    }
    if (at === null || this.signal.aborted) return;
    clock.sleep(timeMs, this.#released.signal).then(
      () => {
        this.#timeIsUp = true;
        controller.abort(reason?.());
      },
      () => undefined,
    );
  }

  /** Milliseconds until `at`, 0 when it has passed; Infinity without one. */
  remainingMs(): number {
    return this.at === null ? Infinity : Math.max(0, this.#endsAt - this.#clock.monotonic());
  }

  /** Whether the time is up. False when somebody stopped the work before that. */
  get expired(): boolean {
    return this.#timeIsUp || this.remainingMs() === 0;
  }

  /** Whether the work must stop now, for whichever reason. */
  get reached(): boolean {
    return this.signal.aborted || this.expired;
  }

  /** Stops the timer and no longer listens to `stops`. The signal does not abort any more. */
  release(): void {
    this.#released.abort(null);
    for (const stopListening of this.#stopListening) stopListening();
  }
}
