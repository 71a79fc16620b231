const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** Epoch milliseconds, rounded down, of an RFC 3339 date-time with any number of fraction digits; null for every other text. */
export function parseInstant(text: string): number | null {
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
  return date.getTime() - offsetMs + milliseconds;
}

const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Epoch milliseconds of a date in a header (RFC 9110, section 5.6.7); null for any other text. */
export function parseHttpDate(text: string | undefined): number | null {
  if (text === undefined || !IMF_FIXDATE.test(text)) return null;
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? null : epochMs;
}
