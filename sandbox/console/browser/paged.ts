import { useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "../contract/index.ts";
import type { Heard } from "./live.ts";
import { loadPages } from "./load-pages.ts";
import { type Resource, useResource } from "./resource.ts";

/** A list of which a part is shown. */
export interface Shown<T> {
  rows: T[];
  /** Of the whole list. */
  total: number;
  isLoadingMore: boolean;
  /** Shows more rows; null when all are shown. */
  more: (() => void) | null;
}

export interface Paged<T> extends Resource<Page<T>>, Shown<T> {}

/** A list that is there as a whole, too long to be shown at once: `step` rows more each time. */
export function usePart<T>(list: readonly T[], step: number): Shown<T> {
  const [limit, setLimit] = useState(step);
  const more = (): void => {
    setLimit(limit + step);
  };
  return {
    rows: list.slice(0, limit),
    total: list.length,
    isLoadingMore: false,
    more: list.length > limit ? more : null,
  };
}

/**
 * A list that comes page by page. What is shown is asked for again as a whole, after a live event and for more rows: a list that grows at its top
 * pushes rows out of the pages that they came in.
 */
export function usePaged<T>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  inputs: readonly unknown[],
  on: (event: Heard) => boolean,
): Paged<T> {
  /** At least so many rows are shown, if there are as many. */
  const wanted = useRef(0);
  useEffect(() => {
    wanted.current = 0;
  }, inputs);
  const list = useResource((signal) => loadPages((cursor) => load(cursor, signal), wanted.current), inputs, { on });
  const { rows = [], total = 0, next = null } = list.data ?? {};
  const isLoadingMore = list.isLoading && wanted.current > rows.length;
  const more = (): void => {
    if (isLoadingMore) return;
    wanted.current = rows.length + 1;
    list.reload();
  };
  return { ...list, rows, total, isLoadingMore, more: next === null ? null : more };
}
