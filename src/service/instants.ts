/**
 * A point in time with every digit that the service sent. The service trims trailing zeros of the fraction and has
 * nanoseconds, so neither texts nor milliseconds order its instants correctly.
 */
export interface Instant {
  /** Epoch milliseconds, rounded down. */
  readonly epochMs: number;
  /** Digits of the fraction of the second, without trailing zeros; empty for a whole second. */
  readonly fraction: string;
  /** The text as received. */
  readonly text: string;
}

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** Reads an RFC 3339 date-time with any number of fraction digits; null for every other text. */
export function parseInstant(text: string): Instant | null {
  const match = RFC_3339.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, digits = "", sign, offsetHours = "0", offsetMinutes = "0"] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  // RFC 3339 allows second 60 for a leap second; it counts as the first second of the next minute.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === "-" ? -1 : 1);
  const milliseconds = Number(digits.slice(0, 3).padEnd(3, "0"));
  return { epochMs: date.getTime() - offsetMs + milliseconds, fraction: withoutTrailingZeros(digits), text };
}

/** A loop, because /0+$/ takes quadratic time and a service may send a fraction of any length. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Below 0 when `a` is earlier, above 0 when it is later, 0 for the same instant, whatever the texts look like. */
export function compareInstants(a: Instant, b: Instant): number {
  if (a.epochMs !== b.epochMs) return a.epochMs < b.epochMs ? -1 : 1;
  // Within one second, fractions without trailing zeros order like texts.
  if (a.fraction === b.fraction) return 0;
  return a.fraction < b.fraction ? -1 : 1;
}
