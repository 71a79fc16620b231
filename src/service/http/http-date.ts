const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Epoch milliseconds of a date in a header (RFC 9110, section 5.6.7); null for any other text. */
export function parseHttpDate(text: string | undefined): number | null {
  if (text === undefined || !IMF_FIXDATE.test(text)) return null;
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? null : epochMs;
}
