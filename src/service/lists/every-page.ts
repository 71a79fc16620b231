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
 * The records of a paged list, each once.
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
  return readList({
    fetch: async (skip) => {
      const { records, total } = await ask({ skip, limit: pageSize });
      countsPages ||= skip === 0 && mayCountPage({ records, total }, pageSize);
      return { records, total: countsPages ? null : total, invalidValues: [] };
    },
    identity,
    once: true,
    fault: malformed,
  });
}
