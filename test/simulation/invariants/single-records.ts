import type { RunRecord } from "../history.ts";
import type { FindingPlan } from "../scenario.ts";
import type { World } from "../world.ts";

/**
 * Whether a list of which the service grants one record at a time both lost and gained findings while a run read it. Such
 * pages cannot overlap, and the count alone does not tell that the records have moved.
 */
export function movedUnnoticed(world: World, { start, end }: RunRecord, { environment, type }: FindingPlan): boolean {
  if (world.scenario.tenant.pageCap !== 1) return false;
  const isNow = (moment: number | undefined): boolean => moment !== undefined && moment > start && moment <= end;
  const findings = world.findingsOf(environment, type);
  const gained = findings.some(({ visible, deleted }) => isNow(visible) || isNow(deleted?.backAt));
  return gained && findings.some(({ deleted }) => isNow(deleted?.at));
}
