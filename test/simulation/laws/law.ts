import type { History, RunRecord } from "../history.ts";
import type { World } from "../world.ts";

/** What a law finds wrong with a run, in words; null when all is well. */
export type Law = (world: World, history: History, run: RunRecord) => string | null;
