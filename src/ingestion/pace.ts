import type { Clock } from "../clock.ts";
import type { Deadline } from "../deadline.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";

/** Streams that are read at a time: enough to hide latency, few enough to keep memory flat. */
export const MOST_AT_ONCE = 8;
const LONGEST_PATIENCE_MS = 10_000;
/** Typical number of sequential requests before a stream yields. */
const REQUESTS_PER_ITEM = 4;
/** How much more is tried after a run that used its rate and was not refused. */
const RATE_GROWTH = 1.25;
/** For how many seconds a run must have sent all the requests that it may, so that the next one tries more. */
const LEAST_BUSY_SECONDS = 3;

export interface PaceOptions {
  readonly service: Pick<AttackPathService, "requestsPerSecond" | "requestsSent">;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** Requests a second as the last run left them; undefined for as many as usual. */
  readonly learned: number | undefined;
}

/** How fast a run may go, and for how long it waits. */
export class Pace {
  /** How long a run waits for what it can do without, in milliseconds. */
  readonly patienceMs: number;
  readonly #options: PaceOptions;
  readonly #usual: number;
  readonly #startedAt: number;

  constructor(options: PaceOptions) {
    const { service, clock, deadline, learned } = options;
    this.#options = options;
    this.#usual = service.requestsPerSecond;
    service.requestsPerSecond = learned ?? this.#usual;
    this.#startedAt = clock.monotonic();
    this.patienceMs = Math.min(LONGEST_PATIENCE_MS, deadline.remainingMs() / 6);
  }

  /** How many streams to read at a time: where few requests are allowed, more would only make each of them slow. */
  get atOnce(): number {
    return Math.min(MOST_AT_ONCE, this.#rate);
  }

  /** Milliseconds without an item after which a stream counts as slow. */
  get slowMs(): number {
    // With few requests a second, streams wait for their turn: that is no sign of a slow service.
    const turnsMs = this.#rate < this.#usual ? (1_000 * this.atOnce * REQUESTS_PER_ITEM) / this.#rate : 0;
    return Math.max(this.patienceMs / 2, turnsMs);
  }

  /** Whether the run may end before it has sent so many requests. */
  isShortFor(requests: number): boolean {
    return this.#rate * this.#options.deadline.remainingMs() < 1_000 * requests;
  }

  /**
   * How many requests a second the next run may send; null for as many as usual. A tenant that everything behind one address
   * shares refuses some of them, and a run that begins with too many again would end with its first requests.
   */
  next(wasRefused: boolean): number | null {
    const faster = this.#wasUsed ? Math.ceil(this.#rate * RATE_GROWTH) : this.#rate;
    const next = wasRefused ? Math.max(1, Math.floor(this.#rate / 2)) : faster;
    return next < this.#usual ? next : null;
  }

  get #rate(): number {
    return this.#options.service.requestsPerSecond;
  }

  /** Whether the run sent about as many requests as it was allowed to, for some time. */
  get #wasUsed(): boolean {
    const { service, clock } = this.#options;
    const seconds = (clock.monotonic() - this.#startedAt) / 1_000;
    return service.requestsSent >= this.#rate * Math.max(LEAST_BUSY_SECONDS, seconds / 2);
  }
}
