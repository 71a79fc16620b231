import { type ListPage, readList } from "./paging.ts";
import { malformed } from "../responses/response-body.ts";

export const PAGE_SIZE = 250;

/** A part of a list, as a request names it. */
export interface Place {
  readonly skip: number;
  readonly limit: number;
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
  return readList({
    fetch: async (skip) => ({ ...(await ask({ skip, limit: pageSize })), invalidValues: [] }),
    identity,
    once: true,
    fault: malformed,
  });
}
