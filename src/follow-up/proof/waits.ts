import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../clock.ts";

/** How long findings must be absent at least. */
const WAIT_MS = 24 * HOUR_MS;
/** The service forgets sessions that no collection has seen for 3 days (BloodHound documentation, page Data retention). */
const SESSION_WAIT_MS = 72 * HOUR_MS;
const LONGEST_WAIT_MS = 14 * DAY_MS;

/**
 * How long after the end of an analysis the read must be made that proves an absence: the lists may still be rebuilt before. Less
 * than an hour, so that the next of the hourly runs counts.
 */
export const SETTLED_AFTER_MS = 50 * MINUTE_MS;
/** Where each read comes too early for that, findings must be absent from this many different analyses. */
export const SETTLED_ANALYSES = 5;
/** How many different analyses findings must be absent from. */
export const LEAST_ANALYSES = 2;
/** How long findings must be absent where nothing confirms it: a day longer than the service keeps any data without a collection. */
export const UNCONFIRMED_WAIT_MS = 8 * DAY_MS;
/** How many different analyses they must be absent from then. */
export const UNCONFIRMED_ANALYSES = 3;
/** When nobody has looked for longer than this, absent findings may have been back meanwhile: the wait begins anew. */
export const LONGEST_GAP_MS = 10 * DAY_MS;
/** How long a jump of the service's clock is remembered: longer than any wait. */
export const LONGEST_CLOCK_MEMORY_MS = LONGEST_WAIT_MS + DAY_MS;
/** How long is remembered what the host sends no alert about. */
export const UNSEEN_MS = 30 * DAY_MS;
/** What vanishes within this time counts as vanished at once. */
export const MASS_WINDOW_MS = 8 * DAY_MS;
/** How long an environment or a finding type must not exist any more until its findings count as withdrawn. */
export const WITHDRAWN_AFTER_MS = 7 * DAY_MS;
/** How long the environments or zones that the token sees must be the same after they became fewer. */
export const STABLE_LIST_MS = 26 * HOUR_MS;
/** How long a tenant that has reported the time of its analysis must not report it until sparklines stand for it. */
export const UNTOLD_MS = 7 * DAY_MS;
/** How long after its closing an alert is reopened when a finding returns. */
export const REOPEN_WITHIN_MS = 30 * DAY_MS;

/** @param since - when it was found to be absent, in epoch milliseconds */
export function isWithdrawn(since: number, now: number): boolean {
  return now - since >= WITHDRAWN_AFTER_MS;
}

/**
 * Whether a finding type rests on sessions or logons, going by its name: finding types are named after their relationship. In
 * doubt it does, since that waits longer.
 */
export function restsOnSessions(findingType: string): boolean {
  return /session(?!less)|log[io]n(?!script)/i.test(findingType) && !/PSSession/i.test(findingType);
}

/** How long a finding must be absent until it counts as gone, in milliseconds. Each reopening of its alert doubles it. */
export function waitOf(findingType: string, reopened: number): number {
  const first = restsOnSessions(findingType) ? SESSION_WAIT_MS : WAIT_MS;
  return Math.min(LONGEST_WAIT_MS, first * 2 ** Math.min(reopened, 10));
}
