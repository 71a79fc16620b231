/** An instant in nanoseconds since the Unix epoch: the service keeps nine digits of a second, a Date three. */
export type Nanoseconds = bigint;

const PATTERN = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;
const PER_MILLISECOND = 1_000_000n;
const PER_SECOND = 1_000_000_000n;

/** Reads an RFC 3339 date-time; digits beyond the nanosecond are cut, as the service does. null: not one. */
export function parseInstant(text: string): Nanoseconds | null {
  const match = PATTERN.exec(text);
  if (match === null) return null;
  const [, year = "", month = "", day = "", hour = "", minute = "", second = "", fraction = "", offset = "Z"] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const nanoseconds = BigInt(fraction.slice(0, 9).padEnd(9, "0"));
  return BigInt(date.getTime() - offsetMilliseconds(offset)) * PER_MILLISECOND + nanoseconds;
}

function offsetMilliseconds(offset: string): number {
  if (offset === "Z") return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  return (offset.startsWith("-") ? -minutes : minutes) * 60_000;
}

/** Writes an instant as the service does: UTC, the fraction without trailing zeros, no fraction when it is zero. */
export function formatInstant(instant: Nanoseconds): string {
  const fraction = ((instant % PER_SECOND) + PER_SECOND) % PER_SECOND;
  const seconds = new Date(Number((instant - fraction) / PER_MILLISECOND)).toISOString().slice(0, 19);
  const digits = fraction.toString().padStart(9, "0").replace(/0+$/, "");
  return digits === "" ? `${seconds}Z` : `${seconds}.${digits}Z`;
}

export function fromMilliseconds(milliseconds: number): Nanoseconds {
  return BigInt(Math.floor(milliseconds)) * PER_MILLISECOND;
}

/** The order of two instants, for `Array.sort`. */
export function compareInstants(a: Nanoseconds, b: Nanoseconds): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
