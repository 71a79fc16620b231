import { type ListPage, readList } from "./paging.ts";
import { malformed } from "../responses/response-body.ts";

export const PAGE_SIZE = 250;

/** A part of a list, as a request names it. */
export interface Place {
  readonly skip: number;
  readonly limit: number;
}

/** Whether the count may be that of the page: that of a full one may, because some services count no more. */
export function mayCountPage(
  { records, total }: { records: readonly unknown[]; total: number | null },
  limit: number,
): boolean {
  return total === records.length && total >= limit;
}

/**
 * The records of a paged list, each once. The records of a page may come in any order, as those of BloodHound's lists of related objects
 * do (cmd/api/src/queries/graph.go, runListQuery).
 *
 * @param ask - requests a page: every entry that the service listed, and how many there are in all if it says so
 * @throws ProtocolError when the list cannot be read to its end, after everything that arrived
 */
export function everyPage<T>(
  ask: (place: Place) => Promise<{ records: readonly T[]; total: number | null }>,
  identity: (record: T) => string,
  pageSize = PAGE_SIZE,
): AsyncGenerator<ListPage<T>> {
  let countsPages = false;
  const overlaps = new Overlaps(identity);
  return readList({
    fetch: async (skip) => {
      const { records, total } = await ask({ skip, limit: pageSize });
      countsPages ||= skip === 0 && mayCountPage({ records, total }, pageSize);
      return { records: overlaps.first(records, skip), total: countsPages ? null : total, invalidValues: [] };
    },
    identity,
    once: true,
    fault: malformed,
  });
}

/** Finds the record that a page has in common with the one before, wherever it stands in them. */
class Overlaps<T> {
  readonly #identity: (record: T) => string;
  /** The last page of more than one record. */
  #page: { readonly skip: number; readonly byIdentity: ReadonlyMap<string, T>; readonly last: T } | null = null;

  constructor(identity: (record: T) => string) {
    this.#identity = identity;
  }

  /** The same records, and where the page overlaps the one before by one, that page's last record first. */
  first(records: readonly T[], skip: number): readonly T[] {
    const inOrder = this.#inOrder(records, skip);
    const last = inOrder.at(-1);
    if (inOrder.length > 1 && last !== undefined)
      this.#page = { skip, byIdentity: new Map(inOrder.map((record) => [this.#identity(record), record])), last };
    return inOrder;
  }

  #inOrder(records: readonly T[], skip: number): readonly T[] {
    const before = this.#page;
    if (before === null || skip !== before.skip + before.byIdentity.size - 1) return records;
    const others = records.filter((record) => !before.byIdentity.has(this.#identity(record)));
    return others.length === records.length - 1 ? [before.last, ...others] : records;
  }
}
