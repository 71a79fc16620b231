import type { History, RunRecord } from "../history.ts";
import type { World } from "../world.ts";

/** What an invariant finds wrong with a run, in words; null when all is well. */
export type Invariant = (world: World, history: History, run: RunRecord) => string | null;
