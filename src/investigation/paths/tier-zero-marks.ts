import { inCapitals } from "../../text.ts";
import { type PathEntry, tierZeroOf } from "./path-entry.ts";

/** Object ids of everything that an entry shows: its ends, its hops, and the edges of the other shortest paths. */
function shownIds({ start, end, hops, alternatives }: PathEntry): string[] {
  const objects = [start, end, ...[...hops, ...alternatives].flatMap(({ from, to }) => [from, to])];
  return objects.flatMap(({ objectId }) => objectId ?? []);
}

/** The entry, with a mark on each of the known objects that it shows. */
export function withTierZero(entry: PathEntry, known: ReadonlySet<string>): PathEntry {
  const marked = shownIds(entry).filter((id) => known.has(id));
  return { ...entry, ...tierZeroOf([...(entry.tierZero ?? []), ...marked]) };
}

/** The entry without the marks on objects that it does not show any more. One stays, since it says that the path leads into Tier Zero. */
export function withShownTierZero({ tierZero = [], ...entry }: PathEntry): PathEntry {
  const shown = new Set(shownIds(entry));
  const kept = tierZero.filter((id) => shown.has(id));
  return { ...entry, ...tierZeroOf(kept.length > 0 ? kept : tierZero.slice(0, 1)) };
}

/**
 * Every object id that any of the entries marks, or that they show and is known to be in Tier Zero.
 *
 * @param known - object ids in capitals
 */
export function everyTierZero(entries: Iterable<PathEntry>, known: ReadonlySet<string>): Set<string> {
  const idsIn = (entry: PathEntry): string[] => shownIds(entry).filter((id) => known.has(inCapitals(id)));
  return new Set([...entries].flatMap((entry) => [...(entry.tierZero ?? []), ...idsIn(entry)]));
}
