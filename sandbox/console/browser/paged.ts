import { useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "../contract/index.ts";
import type { Heard } from "./live.ts";
import { type Resource, useResource } from "./resource.ts";
import { failed } from "./toast.ts";

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
 * A list that comes page by page. A live event renews the first page; the rows below it stay, so that nothing moves away
 * from under the pointer.
 */
export function usePaged<T>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  inputs: readonly unknown[],
  { keyOf, on }: { keyOf: (row: T) => string | number; on?: (event: Heard) => boolean },
): Paged<T> {
  const first = useResource((signal) => load(undefined, signal), inputs, on === undefined ? {} : { on });
  const [rest, setRest] = useState<Page<T> | null>(null);
  const [isLoadingMore, setLoadingMore] = useState(false);
  /** What was asked for by another filter is dropped. */
  const generation = useRef(0);
  useEffect(() => {
    generation.current++;
    setRest(null);
    setLoadingMore(false);
  }, inputs);

  const next = rest === null ? (first.data?.next ?? null) : rest.next;
  const more = (): void => {
    if (next === null || isLoadingMore) return;
    const mine = generation.current;
    setLoadingMore(true);
    load(next, new AbortController().signal)
      .then((page) => {
        if (mine === generation.current) setRest({ ...page, rows: [...(rest?.rows ?? []), ...page.rows] });
      })
      .catch((error: unknown) => {
        if (mine === generation.current) failed(error);
      })
      .finally(() => {
        if (mine === generation.current) setLoadingMore(false);
      });
  };
  const top = first.data?.rows ?? [];
  const known = new Set(top.map(keyOf));
  return {
    ...first,
    rows: [...top, ...(rest?.rows.filter((row) => !known.has(keyOf(row))) ?? [])],
    total: first.data?.total ?? 0,
    isLoadingMore,
    more: next === null ? null : more,
  };
}
