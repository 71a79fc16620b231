import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildPortable } from "../src/packaging/portable.ts";
import { type Baseline, findBaseline, installBaseline, unpack } from "./baseline.ts";
import { runWorkload } from "./contest.ts";
import { measureCommandLine } from "./command-line.ts";
import { measureGrowth } from "./growth.ts";
import { describeMachine } from "./machine.ts";
import { type BenchResult, rowResult } from "./results.ts";
import type { RowId } from "./targets.ts";
import { workloads } from "./workloads.ts";

export interface BenchOptions {
  rows: readonly RowId[];
  /** Runs of each row; the figures are medians. */
  rounds: number;
  growth: "none" | "short" | "full";
  /** What the command line is measured with: 100,000 findings, or a million. */
  commandLine: "none" | "short" | "full";
  /** Commit to compare with; null: none, undefined: the one before the latest change of src. */
  baseline: string | null | undefined;
  /** What is measured now, for people. */
  tell: (text: string) => void;
}

/** Findings that the command line streams. */
const SIZES = { short: [1e4, 1e5], full: [1e4, 1e5, 1e6] } as const;

/** Builds the packages, measures them, and leaves nothing behind. */
export async function runBench({
  rows,
  rounds,
  growth,
  commandLine,
  baseline,
  tell,
}: BenchOptions): Promise<BenchResult> {
  const machine = describeMachine();
  const compared: Baseline | null = baseline === null ? null : await findBaseline(baseline);
  const scratch = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    tell("building the package");
    const packages = { current: await installPackage(scratch), baseline: null as string | null };
    if (compared !== null) {
      tell(`building the package of ${compared.commit} (${compared.subject})`);
      packages.baseline = await installBaseline(compared, scratch);
    }
    const results = [];
    for (const workload of workloads.filter(({ row }) => rows.includes(row))) {
      tell(workload.row);
      results.push(rowResult(workload.row, await runWorkload(workload, packages, rounds)));
    }
    const grown = growth === "none" ? null : await measureGrowth(packages.current, growth === "full", tell);
    const commands =
      commandLine === "none" ? null : await measureCommandLine(scratch, { rounds, sizes: SIZES[commandLine], tell });
    return { machine, baseline: compared, rows: results, growth: grown, commands };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

const rootDir = resolve(import.meta.dirname, "..");

/** Builds the portable package and unpacks it below `folder`; returns where `plugin.mjs` lies. */
async function installPackage(folder: string): Promise<string> {
  const { path } = await buildPortable(rootDir, join(folder, "dist"));
  return unpack(path, join(folder, "current"));
}
