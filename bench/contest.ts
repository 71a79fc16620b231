import type { Json } from "../src/runtime/protocol.ts";
import type { Cost } from "./figures.ts";
import { Workbench } from "./measure.ts";
import { PluginFailedError } from "./plugin-run.ts";
import { polls, type Workload } from "./workloads.ts";

/** Folders of the unpacked packages. */
export interface Packages {
  current: string;
  /** Null: nothing to compare with. */
  baseline: string | null;
}

export interface Measured {
  current: Cost[];
  /** Empty without a baseline, and where its package cannot do this work. */
  baseline: Cost[];
}

/**
 * Polls before a quiet one is measured. The first poll reads everything, the second stores what the third compares. A
 * baseline gets one poll more, so that it is compared at its best.
 */
const POLLS_BEFORE_QUIET = { current: 2, baseline: 3 };

interface Contestant {
  name: keyof Measured;
  bench: Workbench;
  state: Json;
  /** An earlier package may not know how to do the work: then it has no figures. */
  failed: boolean;
}

/** Measures one workload with each package, in turns: whatever else the machine does meanwhile concerns both alike. */
export async function runWorkload(workload: Workload, packages: Packages, rounds: number): Promise<Measured> {
  const measured: Measured = { current: [], baseline: [] };
  const contestants: Contestant[] = [];
  try {
    await enter("current", packages.current);
    if (packages.baseline !== null) await enter("baseline", packages.baseline);
    // Nothing is measured yet, so the packages need not wait for each other.
    await Promise.all(contestants.map((contestant) => attempt(contestant, () => prepare(workload, contestant))));
    for (let round = 0; round < rounds * workload.repeat; round += 1) {
      // The second of two runs may find a warmer machine, so each package is the second one every other time.
      const inTurn = round % 2 === 0 ? contestants : contestants.toReversed();
      for (const contestant of inTurn) await attempt(contestant, () => measure(contestant));
    }
    return measured;
  } finally {
    await Promise.all(contestants.map(({ bench }) => bench.close()));
  }

  async function enter(name: keyof Measured, folder: string): Promise<void> {
    contestants.push({ name, bench: await Workbench.open(folder, workload.tenant), state: null, failed: false });
  }

  async function measure({ name, bench, state }: Contestant): Promise<void> {
    measured[name].push(await workload.round(bench, state));
  }
}

async function prepare({ quiet }: Workload, contestant: Contestant): Promise<void> {
  if (!quiet) return;
  contestant.state = (await polls(contestant.bench, POLLS_BEFORE_QUIET[contestant.name])).state;
}

async function attempt(contestant: Contestant, work: () => Promise<void>): Promise<void> {
  if (contestant.failed) return;
  try {
    await work();
  } catch (error) {
    if (contestant.name === "current" || !(error instanceof PluginFailedError)) throw error;
    contestant.failed = true;
  }
}
