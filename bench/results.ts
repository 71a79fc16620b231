import type { Growth } from "./growth.ts";
import type { Machine } from "./machine.ts";
import { type Cost, medianCost } from "./measure.ts";
import { missed, rowIds, type RowId, type Target, targetOf } from "./targets.ts";

/** One row of the table: what was measured beside what it may be. */
export interface RowResult extends Target {
  median: Cost;
  runs: Cost[];
  /** Names of the limits that the median goes over. */
  missed: string[];
}

/** All of a bench run, as `--json` writes it. */
export interface BenchResult {
  machine: Machine;
  rows: RowResult[];
  growth: Growth | null;
}

export function rowResults(rounds: readonly Partial<Record<RowId, Cost>>[]): RowResult[] {
  return rowIds.flatMap((id) => {
    const runs = rounds.flatMap((round) => round[id] ?? []);
    if (runs.length === 0) return [];
    const target = targetOf(id);
    const median = medianCost(runs);
    return [{ ...target, median, runs, missed: missed(target, median) }];
  });
}
