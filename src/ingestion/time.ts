import { HOUR_MS, MINUTE_MS } from "../clock.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { parseInstant } from "../service/instants.ts";
import type { ClockMemory } from "./state/state.ts";

export const DAY_HOURS = 24;

/** Whole hours since the epoch. */
export function hourOf(epochMs: number): number {
  return Math.floor(epochMs / HOUR_MS);
}

/** Whole seconds since the epoch, the unit of the state. */
export function secondsOf(epochMs: number): number {
  return Math.max(0, Math.floor(epochMs / 1000));
}

/** The beginning of an hour as RFC 3339 in UTC, as the service's filters take it. */
export function hourText(hour: number): string {
  return new Date(hour * HOUR_MS).toISOString().replace(".000Z", "Z");
}

/**
 * Epoch milliseconds of one of the service's times; null when there is none. The zero time of the service's language
 * (0001-01-01T00:00:00Z) and everything else up to 1970 stands for a time that was never set.
 */
export function timeOf(text: string | null | undefined): number | null {
  // Every finding that was never accepted has the zero time: it need not be parsed.
  if (text == null || text.startsWith("0001-")) return null;
  const epochMs = parseInstant(text) ?? 0;
  return epochMs <= 0 ? null : epochMs;
}

/**
 * Whether a finding is as new as that. One without a usable time may be. A service that rejects the filter is read without it, so that
 * the filter alone does not decide.
 *
 * @param since - epoch milliseconds, inclusive; undefined for all
 */
export function wasCreatedSince({ created_at }: Finding, since: number | undefined): boolean {
  const created = timeOf(created_at);
  return since === undefined || created === null || created >= since;
}

/** The times that a run works with, in epoch milliseconds. The clocks of host and service may both be wrong. */
export interface PollTime {
  /** The host's clock, corrected when it was set back. */
  readonly host: number;
  /** The service's clock, which dates new findings. */
  readonly service: number;
  /** The latest time that a cursor may reach. Follows the service's clock, but only gradually when that leaps ahead. */
  readonly trusted: number;
  /** The service's clock in the last run; null before the first, and where its own times cannot be compared with that. */
  readonly lastRun: number | null;
  /** No new finding has an earlier date, except one that the service showed late. */
  readonly earliestNew: number;
}

/**
 * @param remembered - the clocks of the last run
 * @param service - the service's clock by its `Date` header; null when it does not say
 */
export function pollTime(remembered: ClockMemory | undefined, now: number, service: number | null): PollTime {
  if (remembered === undefined) {
    const time = service ?? now;
    return { host: now, service: time, trusted: Math.min(time, now + HOUR_MS), lastRun: null, earliestNew: time };
  }
  const last = { host: remembered.host * 1000, service: remembered.service * 1000, trusted: remembered.trusted * 1000 };
  const elapsed = Math.max(0, now - last.host);
  const time = service ?? Math.max(now, last.service);
  // Twice the elapsed time, so that the trusted time catches up with the service's clock.
  const trusted = Math.min(time, Math.max(last.trusted + 2 * elapsed + MINUTE_MS, now - HOUR_MS));
  // A host's clock that leaps ahead looks like a service's clock that was set back during a long pause. The service
  // rejects requests from clocks that differ by more than an hour, so only then is the host's clock in doubt.
  const hostInDoubt = time >= last.service && Math.abs(now - time) > HOUR_MS;
  const since = hostInDoubt ? Math.min(elapsed, time - last.service) : elapsed;
  const host = hostInDoubt && now < last.host ? last.host + (time - last.service) : now;
  const lastRun = service === null || service < last.service ? null : last.service;
  return { host, service: time, trusted, lastRun, earliestNew: time - since - HOUR_MS };
}

/** What the next run remembers of the clocks. */
export function clockMemory({ host, service, trusted }: Pick<PollTime, "host" | "service" | "trusted">): ClockMemory {
  return { host: secondsOf(host), service: secondsOf(service), trusted: secondsOf(trusted) };
}

/** A service whose clock stands in 1970 dates nothing before this. */
const FIRST_HOUR = 1;

/** The latest cursor from which a window of one day still reaches every finding that may be new. */
export function latestCursor({ service, earliestNew }: PollTime): number {
  return Math.max(FIRST_HOUR, Math.min(hourOf(service), hourOf(earliestNew) + DAY_HOURS));
}
