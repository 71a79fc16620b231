import type { Clock } from "../../clock.ts";
import type { ResponsePatience } from "../errors/connection-errors.ts";

/** Less of a decoded body than this in `silenceMs` counts as silence: a body that comes in drips would otherwise never end. */
const LEAST_BYTES = 16 * 1024;

/**
 * Ends a request whose response is silent for too long. A body that keeps arriving may take as long as it likes, within
 * `wholeMs`. Call `release` once the request has ended.
 */
export class ResponseTimer {
  readonly #clock: Clock;
  readonly #patience: ResponsePatience;
  readonly #expiry = new AbortController();
  #sleep = new AbortController();
  #phase: "head" | "body" = "head";
  /** When silence or waiting for the head ends, and when the body must be complete, by the monotonic clock. */
  #silentUntil: number;
  #completeUntil = Infinity;
  /** Of the body, since `#silentUntil` was last moved. */
  #bytes = 0;

  constructor(clock: Clock, patience: ResponsePatience) {
    this.#clock = clock;
    this.#patience = patience;
    this.#silentUntil = clock.monotonic() + patience.headMs;
    void this.#watch();
  }

  /** Aborts when the response has taken too long. */
  get signal(): AbortSignal {
    return this.#expiry.signal;
  }

  /** What took too long; null as long as nothing has. */
  get expired(): "head" | "silence" | "whole" | null {
    if (!this.signal.aborted) return null;
    if (this.#phase === "head") return "head";
    return this.#clock.monotonic() >= this.#completeUntil ? "whole" : "silence";
  }

  /** Whether the body was arriving, if slowly, when it took too long: it is the line that is slow. */
  get trickled(): boolean {
    return this.signal.aborted && this.#phase === "body" && (this.#bytes > 0 || this.expired === "whole");
  }

  /** @param wholeMs - for the rest of the response, in milliseconds */
  onHead(wholeMs: number): void {
    const now = this.#clock.monotonic();
    this.#phase = "body";
    this.#silentUntil = now + this.#patience.silenceMs;
    this.#completeUntil = now + wholeMs;
    this.release();
    void this.#watch();
  }

  onBody(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < LEAST_BYTES) return;
    this.#bytes = 0;
    this.#silentUntil = this.#clock.monotonic() + this.#patience.silenceMs;
  }

  release(): void {
    // Every request ends here. Without a reason, the signal would make an error with a stack trace, which nobody reads.
    this.#sleep.abort(null);
  }

  /** Sleeps once more for what is left when something has arrived meanwhile. */
  async #watch(): Promise<void> {
    const { signal } = (this.#sleep = new AbortController());
    for (;;) {
      const until = Math.min(this.#silentUntil, this.#completeUntil);
      if (until === Infinity) return;
      const leftMs = until - this.#clock.monotonic();
      if (leftMs <= 0) {
        this.#expiry.abort();
        return;
      }
      try {
        await this.#clock.sleep(leftMs, signal);
      } catch {
        return;
      }
    }
  }
}
