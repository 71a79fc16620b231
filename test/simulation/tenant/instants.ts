/** A point in time to the nanosecond, as the service keeps it. */
export interface Instant {
  readonly ms: number;
  /** Below the millisecond, 0 to 999999. */
  readonly nanoseconds: number;
}

export const ZERO_TIME = "0001-01-01T00:00:00Z";
const ZERO_MS = -62_135_596_800_000;

/** As Go writes it (RFC3339Nano): zeros at the end of the fraction are left out. */
export function writeInstant({ ms, nanoseconds }: Instant): string {
  if (ms === ZERO_MS) return ZERO_TIME;
  const text = new Date(ms).toISOString();
  const fraction = (text.slice(20, 23) + String(nanoseconds).padStart(6, "0")).replace(/0+$/, "");
  return `${text.slice(0, 19)}${fraction === "" ? "" : `.${fraction}`}Z`;
}

const PATTERN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

/** Null for anything but an RFC 3339 instant in UTC: the service's filters take no offsets. */
export function readInstant(text: string): Instant | null {
  const match = PATTERN.exec(text);
  if (!match) return null;
  const seconds = Date.parse(`${match[1] ?? ""}Z`);
  if (Number.isNaN(seconds)) return null;
  const digits = (match[2] ?? "").padEnd(9, "0");
  return { ms: seconds + Number(digits.slice(0, 3)), nanoseconds: Number(digits.slice(3)) };
}

export function compareInstants(a: Instant, b: Instant): number {
  return a.ms - b.ms || a.nanoseconds - b.nanoseconds;
}

export const zeroInstant: Instant = { ms: ZERO_MS, nanoseconds: 0 };
