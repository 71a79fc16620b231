import type { PathEntry } from "../paths/prove-path.ts";
import type { Asset } from "../assets/read-asset.ts";

/**
 * Platforms take 15 MB of JSON. Google SecOps counts the characters of the text inside another JSON text, with every
 * character that is not ASCII written as an escape (chronicle/soar-sdk, SiemplifyAction.end).
 */
const MOST_CHARACTERS = 14_000_000;

/** How many alternatives of each path are kept, tried in turn until the result fits. */
const ALTERNATIVES_KEPT = [Infinity, 100, 20, 5, 0];
/** How many objects of each list of an asset. */
const RELATED_KEPT = [Infinity, 5, 0];

/** The same entries, with alternatives, and in the last resort hops, left out until a platform takes the result. */
export function fitPaths(paths: readonly PathEntry[]): PathEntry[] {
  return fit(paths, [
    ...ALTERNATIVES_KEPT.map((kept) => (path: PathEntry) => withAlternatives(path, kept)),
    withoutHops,
  ]);
}

/** The same assets, with related objects, and in the last resort properties, left out until a platform takes the result. */
export function fitAssets(assets: readonly Asset[]): Asset[] {
  return fit(assets, [...RELATED_KEPT.map((kept) => (asset: Asset) => withRelated(asset, kept)), withoutProperties]);
}

/** The entries as the first of these ways makes them fit; the last one is taken in any case. */
function fit<T>(entries: readonly T[], ways: readonly ((entry: T) => T)[]): T[] {
  let fitted = [...entries];
  for (const way of ways) {
    fitted = entries.map(way);
    if (charactersOf(fitted) <= MOST_CHARACTERS) break;
  }
  return fitted;
}

function withAlternatives(entry: PathEntry, kept: number): PathEntry {
  const { alternatives } = entry;
  return alternatives.length <= kept ? entry : { ...entry, alternatives: alternatives.slice(0, kept), truncated: true };
}

function withoutHops(entry: PathEntry): PathEntry {
  return entry.hops.length === 0 ? entry : { ...entry, hops: [], alternatives: [], truncated: true };
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

function charactersOf(entries: readonly unknown[]): number {
  return entries.reduce<number>((sum, entry) => sum + platformCharacters(JSON.stringify(entry)), 0);
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
