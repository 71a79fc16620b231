import type { History, RunRecord } from "../history.ts";
import { TRAITS } from "../misbehaviours.ts";
import type { Fault, FindingPlan, TenantPlan } from "../scenario.ts";
import type { LogEntry } from "../tenant/log.ts";
import { inSpan, type World } from "../world.ts";
import { isEmptyList, isReadAllTheSame } from "./empty-lists.ts";

/** Wrong answers that look like right ones: nobody can tell that something is hidden behind them. */

export function isOrdered({ scenario }: World): boolean {
  const { ignoresSorting, refusesSorting } = scenario.tenant;
  return (
    !ignoresSorting &&
    !refusesSorting.includes("created_at") &&
    !scenario.faults.some(({ what }) => what.kind === "unstable order")
  );
}

/**
 * When the service last gave a wrong answer about the finding's stream that looks like a right one, such as a count
 * that is too small. What was hidden by it counts as visible only from then on.
 */
export function deceivedUntil(world: World, history: History, finding: FindingPlan, run: RunRecord): number {
  const { faults, tenant } = world.scenario;
  if (tenant.unlisted !== "empty" && !faults.some((fault) => deceives(fault, faults, tenant))) return -Infinity;
  const deceiving = faults.filter((fault) => !isReadAllTheSame(world, history, run, fault, finding));
  const wrong = history.runs
    .slice(0, run.index + 1)
    .flatMap(({ requests }) => requests)
    .filter(
      (entry) =>
        isAbout(entry, finding) && (isDeceived(entry, deceiving, tenant) || isEmptiedMeanwhile(world, entry, finding)),
    );
  return Math.max(-Infinity, ...wrong.flatMap(({ arrived }) => arrived ?? []));
}

/**
 * Whether the environment lost its data, or the finding type its place in the list, between the list and this answer: the list of
 * findings is empty then, although the run has heard that there is something to read.
 */
function isEmptiedMeanwhile(world: World, { endpoint, outcome, arrived }: LogEntry, finding: FindingPlan): boolean {
  if (world.scenario.tenant.unlisted !== "empty" || endpoint !== "details" || outcome !== 200) return false;
  const { environment, type } = finding;
  return arrived !== null && !world.isListedThroughout(environment, type, arrived, arrived);
}

export function isDeceived(
  { outcome, sound, arrived }: LogEntry,
  faults: readonly Fault[],
  tenant: TenantPlan,
): boolean {
  if (outcome !== 200 || sound || arrived === null) return false;
  return faults.some((fault) => inSpan(arrived, fault.span) && deceives(fault, faults, tenant));
}

/**
 * Whether what was hidden may be older than everything that was shown: where the list has no order, and where the rest of a
 * list was hidden from a run that went on at the place of an earlier one, and then read once more what the last day brought.
 */
export function mayHideOlder(world: World, { runs }: History, { index }: RunRecord, finding: FindingPlan): boolean {
  if (!isOrdered(world)) return true;
  const { faults, tenant } = world.scenario;
  return runs
    .slice(0, index + 1)
    .some((run) => goesOn(run, finding) && pagesOf(run, finding).some((entry) => isDeceived(entry, faults, tenant)));
}

/** Whether the run goes on with a window that an earlier one left, behind its first record at least, and then reads once more. */
export function goesOn(run: RunRecord, finding: FindingPlan): boolean {
  const [first, ...others] = pagesOf(run, finding);
  return (first?.skip ?? 0) > 0 || others.some(({ skip }) => skip === 0);
}

/**
 * Until when runs went on in the middle of the finding's list. Such a read cannot tell that an id is another finding's now: that takes the
 * whole list in one run (docs/how-it-polls.md).
 */
export function wentOnUntil({ runs }: History, { index }: RunRecord, finding: FindingPlan): number {
  const those = runs.slice(0, index + 1).filter((run) => (pagesOf(run, finding)[0]?.skip ?? 0) > 0);
  return Math.max(-Infinity, ...those.map(({ end }) => end));
}

function pagesOf({ requests }: RunRecord, finding: FindingPlan): LogEntry[] {
  return requests.filter((entry) => entry.endpoint === "details" && !entry.isProbe && isAbout(entry, finding));
}

/** Whether an answer may hide a finding: the list of its stream does, and the lists that lead there. */
export function isAbout({ endpoint, environment, type }: LogEntry, finding: FindingPlan): boolean {
  if (endpoint === "environments") return true;
  if (environment !== finding.environment) return false;
  return endpoint === "types" || (endpoint === "details" && type === finding.type);
}

export function deceives(fault: Fault, faults: readonly Fault[], { counts }: TenantPlan): boolean {
  const { what } = fault;
  if (what.kind === "short list") return true;
  if (what.kind === "count") return what.lie === "small" || what.lie === "zero";
  // Only the count tells that something is missing on such pages.
  const isUncounted = faults.some((other) => other.what.kind === "count" && other.what.lie !== "big");
  if (TRAITS[what.kind].hides) return isUncounted || counts !== undefined;
  // A service that ignores the position may have no more than the page that it counts.
  if (what.kind === "repeated page") return counts !== undefined;
  // A list without a usable entry: nobody can tell what is missing in it.
  return what.kind === "body" && (what.text === '{"data":[null]}' || isEmptyList(fault));
}
