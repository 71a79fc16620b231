import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import type { ServiceError } from "../../service/errors/errors.ts";
import { isRefused } from "./each.ts";

/** After this many consecutive runs without an answer, the open items fail. */
export const MOST_FRUITLESS_RUNS = 3;

/** How long a run without results waits when the service does not say how long. */
const OWN_PAUSE_MS = 5_000;
/** The longest pause, so that a run without a deadline ends, too. */
const LONGEST_PAUSE_MS = 60_000;
/** All pauses before the open items fail. */
const ALL_PAUSES_MS = (MOST_FRUITLESS_RUNS - 1) * LONGEST_PAUSE_MS;

/** The service refused a part of the work because of its rate limit, and the next run does it. */
export interface Refusal {
  status: number | undefined;
  /** Milliseconds for which the service wants no requests; null when it did not say. */
  retryAfterMs: number | null;
  /** Whether this run has found out nothing. */
  isFruitless: boolean;
}

/** @param errors - why the items that remain were not answered */
export function refusalOf(errors: readonly ServiceError[], isFruitless: boolean): Refusal | null {
  const refused = errors.filter(isRefused);
  if (refused.length === 0) return null;
  const waits = refused.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return {
    status: refused.find(({ status }) => status !== undefined)?.status,
    retryAfterMs: waits.length > 0 ? waits.reduce((longest, wait) => Math.max(longest, wait)) : null,
    isFruitless,
  };
}

/**
 * Waits until the service may take requests again, or until the run must stop: the host may start the next run at once, and it
 * would be refused again. A run that has found out something need not wait, and none waits for what comes after the last pause.
 */
export async function pauseAfter(
  refusal: Refusal | null,
  { clock, deadline }: { clock: Clock; deadline: Deadline },
): Promise<void> {
  if (refusal?.isFruitless !== true) return;
  const wishedMs = refusal.retryAfterMs ?? OWN_PAUSE_MS;
  if (wishedMs > ALL_PAUSES_MS) return;
  const pauseMs = Math.min(wishedMs, LONGEST_PAUSE_MS, deadline.remainingMs());
  try {
    await clock.sleep(pauseMs, deadline.signal);
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
  }
}

/**
 * Says who does the rest, and why.
 *
 * @param does - such as "reads"
 */
export function remainderSentence(does: string, refusal: Refusal | null): string {
  if (refusal === null) return `The next run ${does} the rest.`;
  const status = refusal.status === undefined ? "" : ` (status ${refusal.status})`;
  return `The service limits requests: the next run ${does} the rest${status}.`;
}
