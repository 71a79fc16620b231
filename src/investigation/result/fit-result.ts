import type { PathEntry } from "../paths/path-entry.ts";
import { withShownTierZero } from "../paths/tier-zero-marks.ts";
import type { Asset } from "../assets/read-asset.ts";
import type { NamedObject } from "../objects/object-ids.ts";

/**
 * Platforms take 15 MB of JSON. Google SecOps counts the characters of the text inside another JSON text, with every
 * character that is not ASCII written as an escape (chronicle/soar-sdk, SiemplifyAction.end).
 */
const MOST_CHARACTERS = 14_000_000;

/** How many alternatives of each path are kept, tried in turn until the result fits. */
const ALTERNATIVES_KEPT = [Infinity, 100, 20, 5, 0];
/** How many objects of each list of an asset. */
const RELATED_KEPT = [Infinity, 5, 0];
/** How many candidates of each name. */
const CANDIDATES_KEPT = [Infinity, 10, 3];

/** The same entries, with alternatives, and in the last resort hops, left out until a platform takes the result. */
export function fitPaths(paths: readonly PathEntry[]): PathEntry[] {
  const ways = ALTERNATIVES_KEPT.map((kept) => (path: PathEntry) => withAlternatives(path, kept));
  return fit(paths, ways, withoutHops);
}

/** The same assets, with related objects, and in the last resort properties, left out until a platform takes the result. */
export function fitAssets(assets: readonly Asset[]): Asset[] {
  const ways = RELATED_KEPT.map((kept) => (asset: Asset) => withRelated(asset, kept));
  return fit(assets, ways, withoutProperties);
}

/** The same names, with candidates left out until a platform takes the result. */
export function fitObjects(objects: readonly NamedObject[]): NamedObject[] {
  const ways = CANDIDATES_KEPT.map((kept) => (object: NamedObject) => withCandidates(object, kept));
  return fit(objects, ways, (object) => withCandidates(object, 0));
}

/** Applies the first of these ways that makes the entries fit, else the last resort. */
function fit<T>(entries: readonly T[], ways: readonly ((entry: T) => T)[], lastResort: (entry: T) => T): T[] {
  return entries.map(ways.find((way) => fits(entries, way)) ?? lastResort);
}

/** Counts no further than the limit: a result may be many times as long. */
function fits<T>(entries: readonly T[], way: (entry: T) => T): boolean {
  let characters = 0;
  return entries.every((entry) => {
    characters += platformCharacters(JSON.stringify(way(entry)));
    return characters <= MOST_CHARACTERS;
  });
}

function withAlternatives(entry: PathEntry, kept: number): PathEntry {
  const { alternatives } = entry;
  if (alternatives.length <= kept) return entry;
  return withShownTierZero({ ...entry, alternatives: alternatives.slice(0, kept), truncated: true });
}

function withoutHops(entry: PathEntry): PathEntry {
  if (entry.hops.length === 0) return entry;
  return withShownTierZero({ ...entry, hops: [], alternatives: [], truncated: true });
}

function withCandidates(object: NamedObject, kept: number): NamedObject {
  const { candidates } = object;
  return candidates.length <= kept ? object : { ...object, candidates: candidates.slice(0, kept), truncated: true };
}

function withRelated(asset: Asset, kept: number): Asset {
  const lists = Object.entries(asset.related);
  if (lists.every(([, { items }]) => items === null || items.length <= kept)) return asset;
  const shorter = lists.map(([name, list]) => [name, { ...list, items: list.items?.slice(0, kept) ?? null }]);
  return { ...asset, related: Object.fromEntries(shorter) as Asset["related"], truncated: true };
}

function withoutProperties(asset: Asset): Asset {
  if (asset.status !== "found") return asset;
  return { ...asset, properties: {}, related: {}, truncated: true };
}

function platformCharacters(json: string): number {
  let characters = 0;
  for (let index = 0; index < json.length; index += 1) characters += CHARACTERS[json.charCodeAt(index)] ?? ESCAPED;
  return characters;
}

/** Characters of `\\u1234` in a JSON text. */
const ESCAPED = 7;

/**
 * What the platform makes of each ASCII character: quotation marks and backslashes get another backslash, commas and
 * colons a blank, `<` is escaped.
 */
const CHARACTERS: readonly number[] = Array.from({ length: 0x7f }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === "<") return ESCAPED;
  return '"\\,:'.includes(character) ? 2 : 1;
});
