import { setMaxListeners } from "node:events";
import type { Clock } from "./clock.ts";
import { AbortedError, DeadlineError, type Exchange, type ServiceError } from "./errors.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A caller's signal may fire a little before the deadline that it stands for. */
const SAME_MOMENT_MS = 1_000;

/** The end of a run for every request in it: the caller's signal or the deadline, whichever comes first. */
export class RunEnd {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #deadline: number | null;
  readonly #callersSignal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #abort = () => {
    this.#controller.abort();
  };

  constructor(clock: Clock, signal: AbortSignal | undefined, deadline: number | null) {
    this.#clock = clock;
    this.#deadline = deadline;
    this.#callersSignal = signal;
    // Every waiting request listens.
    setMaxListeners(0, this.#controller.signal);
    if (signal?.aborted) this.#abort();
    signal?.addEventListener("abort", this.#abort, { once: true });
    if (deadline !== null) {
      this.#timer = setTimeout(this.#abort, Math.min(Math.max(deadline - clock.now(), 0), LONGEST_TIMER_MS)).unref();
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until the deadline; Infinity without one. */
  get remainingMs(): number {
    return this.#deadline === null ? Infinity : this.#deadline - this.#clock.now();
  }

  get reached(): boolean {
    return this.signal.aborted || this.remainingMs <= 0;
  }

  /** Why nothing more is asked. */
  error(exchange: Exchange): ServiceError {
    if (this.remainingMs <= SAME_MOMENT_MS) {
      const message = "The run's time is over; what is left waits for the next run.";
      return new DeadlineError(message, { whoActs: "service", exchange });
    }
    return new AbortedError("The run was called off before the service answered.", { whoActs: "analyst", exchange });
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#callersSignal?.removeEventListener("abort", this.#abort);
  }
}
