import type { RunRecord } from "../history.ts";
import type { FindingPlan } from "../scenario.ts";
import type { World } from "../world.ts";

/** Counts that say nothing. */
const UNUSABLE: ReadonlySet<string> = new Set(["negative", "text", "null", "missing"]);

/**
 * Whether a list of which the service grants one record at a time both lost and gained findings while a run read it. Such
 * pages cannot overlap, and the count alone does not tell that the records have moved. Without a count, it is enough that
 * it lost one. Where one replica has a finding that another one lacks, the places differ, and so do the counts: that of the last
 * answer may fit by chance.
 */
export function movedUnnoticed(world: World, { start, end }: RunRecord, { environment, type }: FindingPlan): boolean {
  const { tenant, faults } = world.scenario;
  if (tenant.pageCap !== 1) return false;
  const isNow = (moment: number | undefined): boolean =>
    moment !== undefined && moment > start - world.lagMs && moment <= end;
  const findings = world.findingsOf(environment, type);
  const gained = findings.some(({ visible, deleted }) => isNow(visible) || isNow(deleted?.backAt));
  const isUncounted =
    tenant.counts !== undefined || faults.some(({ what }) => what.kind === "count" && UNUSABLE.has(what.lie));
  const lost = findings.some(({ deleted }) => isNow(deleted?.at));
  return (lost && (gained || isUncounted)) || (gained && world.lagMs > 0);
}
