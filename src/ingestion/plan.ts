import type { Environment } from "../service/records/environments.ts";
import type { PairKey } from "./checkpoint.ts";
import type { EnvironmentTypes } from "./scope.ts";

/** A pair to be asked in this run. */
export interface PlannedPair extends PairKey {
  environment: Environment;
  /** How far the run came with it; unfinished: it was cut short. */
  progress: "waiting" | "unfinished" | "done" | "failed";
  /** Whether the run delivered anything of it. */
  delivered: boolean;
}

/** The pairs in a fixed order, begun at the one where the last run was cut short. */
export function planOf(types: EnvironmentTypes[], next: PairKey | null): PlannedPair[] {
  const pairs: PlannedPair[] = types.flatMap(({ environment, findingTypes }) =>
    findingTypes.map((findingType) => ({
      environment,
      environmentId: environment.id,
      findingType,
      progress: "waiting" as const,
      delivered: false,
    })),
  );
  const start = pairs.findIndex(
    (pair) => pair.environmentId === next?.environmentId && pair.findingType === next.findingType,
  );
  return start > 0 ? [...pairs.slice(start), ...pairs.slice(0, start)] : pairs;
}

/**
 * Where the next run begins: at the first pair that had no turn; when all had one, behind the first
 * unfinished one, so that a large pair cannot keep the others waiting. Null when nothing is left.
 */
export function nextStart(plan: PlannedPair[]): PairKey | null {
  const open = plan.filter(({ progress }) => progress === "waiting" || progress === "unfinished");
  const next = open.find(({ delivered }) => !delivered) ?? open[1] ?? open[0];
  return next === undefined ? null : { environmentId: next.environmentId, findingType: next.findingType };
}

/** How a pair is called in messages. */
export function pairName({ environment, findingType }: PlannedPair): string {
  return `${environment.name ?? environment.id} / ${findingType}`;
}
