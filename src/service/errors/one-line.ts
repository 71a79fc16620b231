const LONGEST = 400;
/** Before anything is replaced: a service may send megabytes, and only the beginning is ever shown. */
const LOOKED_AT = 10_000;

/**
 * The beginning of a text of the service on one line: without control characters, valid Unicode, and short enough for a
 * message or a log line.
 */
export function oneLine(text: string, longest = LONGEST): string {
  const line = text
    .slice(0, LOOKED_AT)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const shown = line.length > longest ? `${line.slice(0, longest)}…` : line;
  // The cut may have gone through a character.
  return shown.replace(/\p{Surrogate}/gu, "\uFFFD");
}
