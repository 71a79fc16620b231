import type { Baseline } from "./baseline.ts";
import type { CommandCost } from "./command-line.ts";
import type { Measured } from "./contest.ts";
import { type Cost, medianCost, type Ratios, ratiosOf } from "./figures.ts";
import type { Growth } from "./growth.ts";
import type { Machine } from "./machine.ts";
import { missedLimits, missedRatios, type RowId, type Target, targetOf } from "./targets.ts";

/** One row of the table: what was measured beside what it may be. */
export interface RowResult extends Target {
  median: Cost;
  /** Median of the baseline's runs; null when there are none. */
  baseline: Cost | null;
  /** The figures as shares of the baseline's. */
  compared: Ratios | null;
  runs: Measured;
  /** Names of the limits that the median goes over. */
  missed: string[];
}

/** All of a bench run, as `--json` writes it. */
export interface BenchResult {
  machine: Machine;
  baseline: Baseline | null;
  rows: RowResult[];
  growth: Growth | null;
  /** Null when the command line was not measured. */
  commands: CommandCost[] | null;
}

export function rowResult(id: RowId, runs: Measured): RowResult {
  const target = targetOf(id);
  const median = medianCost(runs.current);
  const baseline = runs.baseline.length === 0 ? null : medianCost(runs.baseline);
  const compared = baseline === null ? null : ratiosOf(median, baseline);
  const missed = [...missedLimits(target, median), ...missedRatios(target, compared)];
  return { ...target, median, baseline, compared, runs, missed };
}
