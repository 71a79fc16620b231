import type { PathEntry } from "./prove-path.ts";

/**
 * Platforms take 15 MB of JSON. Google SecOps counts the characters of the text inside another JSON text, with every
 * character that is not ASCII written as an escape (chronicle/soar-sdk, SiemplifyAction.end).
 */
const MOST_CHARACTERS = 14_000_000;

/** How many alternatives of each path are kept, tried in turn until the result fits. */
const ALTERNATIVES_KEPT = [Infinity, 100, 20, 5, 0];

/** The same entries, with alternatives, and in the last resort hops, left out until a platform takes the result. */
export function fitPaths(paths: readonly PathEntry[]): PathEntry[] {
  for (const kept of ALTERNATIVES_KEPT) {
    const fitted = paths.map((entry) => withAlternatives(entry, kept));
    if (charactersOf(fitted) <= MOST_CHARACTERS) return fitted;
  }
  return paths.map((entry) =>
    entry.hops.length === 0 ? entry : { ...entry, hops: [], alternatives: [], truncated: true },
  );
}

function withAlternatives(entry: PathEntry, kept: number): PathEntry {
  const { alternatives } = entry;
  return alternatives.length <= kept ? entry : { ...entry, alternatives: alternatives.slice(0, kept), truncated: true };
}

function charactersOf(paths: readonly PathEntry[]): number {
  return paths.reduce((sum, entry) => sum + platformCharacters(JSON.stringify(entry)), 0);
}

/** Quotation marks and backslashes get another backslash, commas and colons a blank, the rest becomes `\\u1234`. */
function platformCharacters(json: string): number {
  let characters = json.length;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (DOUBLED.has(code)) characters += 1;
    else if (code > LAST_ASCII || code === LESS_THAN) characters += 6;
  }
  return characters;
}

const DOUBLED: ReadonlySet<number> = new Set(['"', "\\", ",", ":"].map((character) => character.charCodeAt(0)));
const LESS_THAN = "<".charCodeAt(0);
const LAST_ASCII = "~".charCodeAt(0);
