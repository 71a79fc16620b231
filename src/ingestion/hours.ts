import { parseInstant } from "../service/instants.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_HOURS = 24;

/** Whole hours since the epoch. */
export function hourOf(epochMs: number): number {
  return Math.floor(epochMs / HOUR_MS);
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
  const epochMs = parseInstant(text)?.epochMs ?? 0;
  return epochMs <= 0 ? null : epochMs;
}
