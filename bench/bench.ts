import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureGrowth } from "./growth.ts";
import { describeMachine } from "./machine.ts";
import { installPackage } from "./package.ts";
import { type BenchResult, rowResults } from "./results.ts";
import type { RowId } from "./targets.ts";
import { runWorkload, workloads } from "./workloads.ts";

export interface BenchOptions {
  rows: readonly RowId[];
  /** Runs of each row; the figures are medians. */
  rounds: number;
  growth: "none" | "short" | "full";
  /** What is measured now, for people. */
  tell: (text: string) => void;
}

/** Builds the package, measures it, and leaves nothing behind. */
export async function runBench({ rows, rounds, growth, tell }: BenchOptions): Promise<BenchResult> {
  const machine = describeMachine();
  const scratch = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    tell("building the package");
    const folder = await installPackage(scratch);
    const costs = [];
    for (const workload of workloads.filter((candidate) => candidate.rows.some((row) => rows.includes(row)))) {
      tell(workload.rows.join(", "));
      costs.push(...(await runWorkload(workload, folder, rounds)));
    }
    const grown = growth === "none" ? null : await measureGrowth(folder, growth === "full", tell);
    return { machine, rows: rowResults(costs).filter(({ id }) => rows.includes(id as RowId)), growth: grown };
  } finally {
    await rm(scratch, { recursive: true });
  }
}
