import { timeOf } from "../ingestion/time.ts";
import { SEVERITIES, type Severity } from "../runtime/protocol.ts";
import type { Sort } from "./option-values.ts";

/** What the order of findings depends on, under the names that the events of an alert have. */
export interface Sortable {
  readonly severity: Severity;
  readonly impact_percentage: number | null;
  readonly exposure_percentage: number | null;
  readonly created_at: string | null;
}

export interface Arrangement {
  readonly sort: Sort | undefined;
  /** Most rows; Infinity for all. */
  readonly limit: number;
}

/** Small numbers come first, and rows without one last. */
const RANKS: Readonly<Record<Sort, (row: Sortable) => number | null>> = {
  severity: ({ severity }) => SEVERITIES.indexOf(severity),
  impact: ({ impact_percentage: impact }) => (impact === null ? null : -impact),
  exposure: ({ exposure_percentage: exposure }) => (exposure === null ? null : -exposure),
  created: ({ created_at: created }) => timeOf(created),
};

/**
 * The first rows in the order of a column, the worst or the oldest first. Rows that are equal in it keep their order, of those of one
 * severity the one with more impact comes first. Without a column, rows come as they are read; with one, memory holds twice the limit.
 *
 * @param isCut - called when there are more rows than the limit
 */
export async function* arranged<T extends Sortable>(
  rows: AsyncIterable<T>,
  { sort, limit }: Arrangement,
  isCut: () => void,
): AsyncGenerator<T> {
  if (sort === undefined) yield* firstOf(rows, limit, isCut);
  else yield* firstOf(await sorted(rows, sort, limit), limit, isCut);
}

async function* firstOf<T>(rows: AsyncIterable<T> | Iterable<T>, limit: number, isCut: () => void): AsyncGenerator<T> {
  let count = 0;
  for await (const row of rows) {
    if (count === limit) {
      isCut();
      return;
    }
    count += 1;
    yield row;
  }
}

async function sorted<T extends Sortable>(rows: AsyncIterable<T>, sort: Sort, limit: number): Promise<T[]> {
  const columns: Sort[] = sort === "severity" ? ["severity", "impact"] : [sort];
  const compare = (a: T, b: T): number => {
    for (const column of columns) {
      const [first, second] = [RANKS[column](a) ?? Infinity, RANKS[column](b) ?? Infinity];
      if (first !== second) return first - second;
    }
    return 0;
  };
  // One more than the limit shows that there are more.
  const kept = limit + 1;
  let best: T[] = [];
  for await (const row of rows) {
    if (best.push(row) >= 2 * kept) best = best.sort(compare).slice(0, kept);
  }
  return best.sort(compare);
}
