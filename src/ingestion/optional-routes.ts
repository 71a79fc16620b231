import { type Clock, raceTimeout } from "../clock.ts";
import { shortHash } from "../hash.ts";
import { endsTheRun, isNotOffered, ServiceError } from "../service/errors/errors.ts";
import type { RefusedRoute } from "./state/state.ts";
import { secondsOf } from "./time.ts";

/** Operations that save work or add texts. Findings are delivered without them. */
export type OptionalRoute = "analysis" | "sparkline" | "newest" | "documents";

/**
 * Why there is no answer: the first error of this run, or a request was late, or its turn did not come in time, or none was sent
 * because one of an earlier run failed.
 */
export type NoAnswer = ServiceError | "late" | "unsent" | "paused";

/** What became of an optional request. `declined`: the service does not offer it. `failed`: it may answer another time. */
export type Optional<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "declined" | "failed"; readonly why: NoAnswer };

export interface OptionalRoutesOptions {
  readonly clock: Clock;
  /** How long one request is waited for, in milliseconds. */
  readonly patienceMs: number;
}

const SHORTEST_PAUSE_SECONDS = 5 * 60;
/** A day where only work is saved; less for what alerts lack meanwhile. */
const LONGEST_PAUSE_SECONDS: Readonly<Record<OptionalRoute, number>> = {
  analysis: 24 * 3600,
  sparkline: 24 * 3600,
  newest: 24 * 3600,
  documents: 3600,
};
/** After this time without a further failure, the next pause is the shortest one again. */
const FORGOTTEN_AFTER_SECONDS = 48 * 3600;
/** How many refusals a state holds: about 10,000 characters. */
const MOST_REMEMBERED = 150;

/**
 * Sends optional requests. One that is refused, fails or is late neither ends the run nor fails anything: it is cancelled and
 * not sent again for a pause that grows with each run in which it fails, from minutes to a day, or to an hour for texts. That
 * holds for its subject, such as an environment, and for the whole route when nothing else succeeds on it.
 */
export class OptionalRoutes {
  readonly #options: OptionalRoutesOptions;
  /** As the run found them. */
  readonly #before: ReadonlyMap<string, RefusedRoute>;
  readonly #refused: Map<string, RefusedRoute>;
  /** Why this run pauses; nothing of the pauses of earlier runs. */
  readonly #reasons = new WeakMap<RefusedRoute, NoAnswer>();
  readonly #succeeded = new Set<OptionalRoute>();
  /** Requests that were not sent because of a refusal fail with its error: it counts for the first route only. */
  readonly #failures = new Map<ServiceError, OptionalRoute>();

  constructor(refused: Readonly<Record<string, RefusedRoute>>, options: OptionalRoutesOptions) {
    this.#options = options;
    this.#before = new Map(Object.entries(refused));
    this.#refused = new Map(this.#before);
  }

  /**
   * @param subject - what the request is about, where it may fail for one and succeed for others
   * @param request - gives null when the service does not offer it
   * @throws what would end the run whatever the request is for, such as rejected credentials
   */
  async ask<T>(
    route: OptionalRoute,
    subject: string,
    request: (options: { signal: AbortSignal; onSent: () => void }) => Promise<T | null>,
  ): Promise<Optional<T>> {
    const pause = this.#pauseOf(route, subject);
    if (pause !== null) {
      return { kind: pause.declined === true ? "declined" : "failed", why: this.#reasons.get(pause) ?? "paused" };
    }
    const { clock, patienceMs } = this.#options;
    const late = new AbortController();
    let isSent = false as boolean;
    const onSent = (): void => {
      isSent = true;
    };
    try {
      const value = await raceTimeout(request({ signal: late.signal, onSent }), patienceMs, clock);
      if (value === "late") {
        late.abort();
        // That few requests a second are allowed says nothing about the route.
        return isSent ? this.#fail(route, subject, "late") : { kind: "failed", why: "unsent" };
      }
      if (value === null) return this.#decline(route, subject, "paused");
      this.#succeed(route, subject);
      return { kind: "answer", value };
    } catch (error) {
      if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
      // A text that is refused once may be there the next time; one that does not exist is empty.
      return isNotOffered(error) && route !== "documents"
        ? this.#decline(route, subject, error)
        : this.#fail(route, subject, error);
    }
  }

  /** What the next run must know: the newest refusals, as many as a state may hold. */
  toState(): Record<string, RefusedRoute> {
    const now = this.#now();
    const recent = [...this.#refused].filter(([, { at }]) => at <= now && now - at < FORGOTTEN_AFTER_SECONDS);
    return Object.fromEntries(recent.sort(([, a], [, b]) => b.at - a.at).slice(0, MOST_REMEMBERED));
  }

  #pauseOf(route: OptionalRoute, subject: string): RefusedRoute | null {
    const now = this.#now();
    const refusals = [this.#refused.get(route), this.#refused.get(keyOf(route, subject))];
    return refusals.find((each) => each !== undefined && each.at <= now && now - each.at < each.pause) ?? null;
  }

  #succeed(route: OptionalRoute, subject: string): void {
    this.#succeeded.add(route);
    this.#refused.delete(route);
    this.#refused.delete(keyOf(route, subject));
  }

  /** What a gateway says may be over soon, so only the service itself is believed for long. */
  #decline(route: OptionalRoute, subject: string, why: NoAnswer): Optional<never> {
    const isOwnWord = typeof why === "string" || why.wrapped;
    this.#refuse(route, subject, why, (before) => ({
      at: this.#now(),
      pause: isOwnWord ? LONGEST_PAUSE_SECONDS[route] : nextPause(route, before),
      declined: true,
    }));
    return { kind: "declined", why };
  }

  #fail(route: OptionalRoute, subject: string, why: NoAnswer): Optional<never> {
    if (typeof why !== "string") {
      const owner = this.#failures.get(why) ?? route;
      this.#failures.set(why, owner);
      if (owner !== route) return { kind: "failed", why };
    }
    this.#refuse(route, subject, why, (before) => ({
      at: this.#now(),
      // That it was not offered until now is no failure.
      pause: nextPause(route, before?.declined === true ? undefined : before),
    }));
    return { kind: "failed", why };
  }

  #refuse(
    route: OptionalRoute,
    subject: string,
    why: NoAnswer,
    refusalAfter: (before: RefusedRoute | undefined) => RefusedRoute,
  ): void {
    const keys = [keyOf(route, subject), ...(this.#succeeded.has(route) ? [] : [route])];
    for (const key of keys) {
      const paused = this.#refused.get(key);
      // Several requests of one run may fail together: the pause grows once, and the first failure is the reason.
      const refusal = refusalAfter(this.#before.get(key));
      this.#refused.set(key, refusal);
      this.#reasons.set(refusal, (paused && this.#reasons.get(paused)) ?? why);
    }
  }

  #now(): number {
    return secondsOf(this.#options.clock.now());
  }
}

/** Seconds, growing with each run in which a request fails. */
function nextPause(route: OptionalRoute, before: RefusedRoute | undefined): number {
  const pause = Math.max(SHORTEST_PAUSE_SECONDS, 2 * (before?.pause ?? 0));
  return Math.min(pause, LONGEST_PAUSE_SECONDS[route]);
}

/** Short, whatever the subject is called. */
function keyOf(route: OptionalRoute, subject: string): string {
  return `${route} ${shortHash(subject, 12)}`;
}

/** Why texts are missing, as a sentence. */
export function reasonOf(why: NoAnswer): string {
  if (why === "late") return "The texts did not arrive in time.";
  if (why === "unsent") return "Few requests a second are allowed, and other requests came first.";
  if (why === "paused") return "An earlier request for a description failed. They are requested again after a pause.";
  return why.message;
}
