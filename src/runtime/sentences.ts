import { printable } from "./text.ts";

/** Characters of a result's message: platforms show it on one screen. */
const LONGEST_MESSAGE = 1_900;
const LONGEST_NAME = 80;
const MOST_NAMES = 12;

/** Joins sentences into a message; what does not fit is left out from the end. */
export function sentences(parts: readonly string[]): string {
  const text = parts.filter((part) => part !== "").join(" ");
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE)}…`;
}

/** A list of names inside a sentence. */
export function joined(names: readonly string[], none = ""): string {
  if (names.length === 0) return none;
  const more = names.length - MOST_NAMES;
  const named = names.slice(0, MOST_NAMES).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

/** A name that somebody else chose, on one line and of a length that fits into a sentence. */
export function shortened(name: string): string {
  return printable(name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`);
}
