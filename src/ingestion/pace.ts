import type { Clock } from "../clock.ts";
import type { Deadline } from "../deadline.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { LearnedRate } from "./state/learned.ts";
import type { NextStart, RefusedRate } from "./state/state.ts";
import { secondsOf } from "./time.ts";

/** Streams that are read at a time: enough to hide latency, few enough to keep memory flat. */
export const MOST_AT_ONCE = 8;
const LONGEST_PATIENCE_MS = 10_000;
/** Typical number of sequential requests before a stream yields. */
const REQUESTS_PER_ITEM = 4;
/** How much more is tried after a run that used its rate and was not refused. */
const RATE_GROWTH = 2;
/** With fewer, a run would not get beyond its lists. */
const SLOWEST_RATE = 1 / 16;
/** How long a refused tenant is not asked for more. Doubled each time that more is refused again. */
const SHORTEST_PAUSE_SECONDS = 10 * 60;
const LONGEST_PAUSE_SECONDS = 6 * 3600;
/** After this time without another refusal, the next pause is the shortest one again. */
const FORGOTTEN_AFTER_SECONDS = 48 * 3600;
/** For how many seconds a run must have sent all the requests that it may, so that the next one tries more. */
const LEAST_BUSY_SECONDS = 3;

/** What the rate limit of the tenant refused. */
export interface RateRefusal {
  /** Null when it is not known what was refused, or when the same part was also answered in this run. */
  readonly part: NextStart | null;
  /** Whether other parts were answered. */
  readonly isApart: boolean;
}

export interface PaceOptions {
  readonly service: Pick<AttackPathService, "heldBackMs" | "requestsPerSecond" | "requestsSent">;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** As the last run left it. */
  readonly learned: LearnedRate;
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
    service.requestsPerSecond = learned.requestsPerSecond ?? this.#usual;
    this.#startedAt = clock.monotonic();
    this.patienceMs = Math.min(LONGEST_PATIENCE_MS, deadline.remainingMs() / 6);
  }

  /** How many streams to read at a time: where few requests are allowed, more would only make each of them slow. */
  get atOnce(): number {
    return Math.max(1, Math.min(MOST_AT_ONCE, this.#rate));
  }

  /** How long a list may keep others waiting, in milliseconds: where few requests are allowed, one that hangs uses them up. */
  get listMs(): number {
    return this.atOnce < MOST_AT_ONCE ? this.#options.deadline.remainingMs() / 2 : Infinity;
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
   * How many requests a second the next run may send. All clients of one address share a tenant's limit, and a run that begins with too
   * many again would end with its first requests.
   */
  next({ refusal, wasServed }: { refusal: RateRefusal | null; wasServed: boolean }): LearnedRate {
    const now = secondsOf(this.#options.clock.now());
    const last = this.#lastRefusal(now);
    if (refusal !== null) {
      const refusedRate = this.#refusal(refusal, last, now, wasServed);
      return { requestsPerSecond: this.#unusual(rateAfter(refusedRate, wasServed)), refusedRate };
    }
    // After a pause only: each refusal costs the rest of a run.
    const mayGrow = this.#wasUsed && (last === null || now - last.at >= last.pause);
    return { requestsPerSecond: this.#unusual(mayGrow ? this.#rate * RATE_GROWTH : this.#rate), refusedRate: last };
  }

  #unusual(rate: number): number | null {
    return rate < this.#usual ? rate : null;
  }

  #lastRefusal(now: number): RefusedRate | null {
    const { refusedRate } = this.#options.learned;
    const age = refusedRate === null ? -1 : now - refusedRate.at;
    return age >= 0 && age < FORGOTTEN_AFTER_SECONDS ? refusedRate : null;
  }

  #refusal(refusal: RateRefusal, last: RefusedRate | null, now: number, wasServed: boolean): RefusedRate {
    const rate = this.#rate;
    // Refusals in a row count as one: only a rate that had grown since shows that the pause was too short.
    const hadGrown = last !== null && rate > rateAfter(last, wasServed);
    const pause = hadGrown ? Math.min(2 * last.pause, LONGEST_PAUSE_SECONDS) : (last?.pause ?? SHORTEST_PAUSE_SECONDS);
    const { part } = refusal;
    const alone = last !== null && isAlone(refusal, last);
    return { rate, at: now, pause, ...(part !== null && { part }), ...(alone && { isAlone: true }) };
  }

  get #rate(): number {
    return this.#options.service.requestsPerSecond;
  }

  /**
   * Whether the run sent about as many requests as it was allowed to, for some time, or waited for more. A request holds its place
   * until a second after its response, so where responses take a second or more, a run sends fewer than it is allowed to.
   */
  get #wasUsed(): boolean {
    const { service, clock } = this.#options;
    if (service.heldBackMs >= 1_000 * LEAST_BUSY_SECONDS) return true;
    const seconds = (clock.monotonic() - this.#startedAt) / 1_000;
    return service.requestsSent >= this.#rate * Math.max(LEAST_BUSY_SECONDS, seconds / 2);
  }
}

/** Whether the tenant refuses this part whatever the rate: it refused it the last time, too, and answered others. */
function isAlone({ part, isApart }: RateRefusal, last: RefusedRate): boolean {
  const isSame = part?.environmentId === last.part?.environmentId && part?.findingType === last.part?.findingType;
  return part !== null && isSame && (isApart || last.isAlone === true);
}

/** How many requests a second follow a refusal. */
function rateAfter({ rate, isAlone }: RefusedRate, wasServed: boolean): number {
  // A part that is refused at any rate does not slow the others down: at one request a second, everything before it has its turn.
  return isAlone === true ? Math.max(1, slowerThan(rate, false)) : slowerThan(rate, wasServed);
}

/** Half as many: whole requests a second, as long as there are any. */
function slowerThan(rate: number, wasServed: boolean): number {
  if (rate > 1) return Math.floor(rate / 2);
  // A tenant that refuses everything has another reason than the rate.
  return wasServed ? Math.max(SLOWEST_RATE, rate / 2) : rate;
}
