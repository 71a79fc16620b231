import { isTexts, parseJson } from "../json.ts";

/** A comma at the end of a line is one with it. */
const SEPARATOR = /,[^\S\n]*\n|[,\n]/;

/** The text is in square brackets, or begins like a JSON array of strings, but is none. */
export class ListSyntaxError extends Error {
  override readonly name = "ListSyntaxError";
}

/**
 * Reads a list as people write it: comma-separated, pasted with one entry on each line, or a JSON array of strings when an
 * entry holds a comma. Blanks around entries are trimmed; empty entries and repetitions are kept.
 *
 * @throws ListSyntaxError when the text is in square brackets, or begins like a JSON array of strings, and is none
 */
export function parseList(text: string): string[] {
  const trimmed = text.trim();
  // The second is an array that lacks its end. A name may begin with a bracket.
  const bracketed = (trimmed.startsWith("[") && trimmed.endsWith("]")) || trimmed.startsWith('["');
  const entries = bracketed ? parseTexts(trimmed) : trimmed.split(SEPARATOR);
  return entries.map((entry) => entry.trim());
}

/** The entries as `parseList` reads them. */
export function listText(entries: readonly string[]): string {
  const text = entries.join(",");
  return entries.some((entry) => SEPARATOR.test(entry)) || text.startsWith("[") ? JSON.stringify(entries) : text;
}

/** How to enter a name that holds a comma, as a sentence. */
export function commaHint(name = "DOE, JANE@EXAMPLE.LOCAL"): string {
  return `Write a JSON array, such as ${JSON.stringify([name])}, when a name holds a comma.`;
}

/** Trims the entries and drops empty ones and repetitions; the order is kept. */
export function cleanList(entries: readonly string[]): string[] {
  return [...new Set(entries.map((entry) => entry.trim()))].filter((entry) => entry !== "");
}

function parseTexts(text: string): string[] {
  const value = parseJson(text);
  if (isTexts(value)) return value;
  throw new ListSyntaxError("The text is not a JSON array of strings.");
}
