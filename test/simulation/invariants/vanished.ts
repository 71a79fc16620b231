import type { History, RunRecord } from "../history.ts";
import type { FindingPlan } from "../scenario.ts";
import { DAY, EPOCH, HOUR, type World } from "../world.ts";
import { deceivedUntil, isAbout, isDeceived } from "./deceptions.ts";
import { describe } from "./wording.ts";
import { isFullyReadSince } from "./promises.ts";
import { isInScope } from "./scope.ts";
import { movedUnnoticed } from "./single-records.ts";

/** Whether the service left a finding out of a list of its stream between two runs, both included, and had it again. */
export function hasVanished(
  world: World,
  { runs }: History,
  key: string,
  { from, to }: { from: number; to: number },
): boolean {
  const finding = world.findings.get(key);
  if (finding === undefined) return false;
  const { deleted, visible, environment, type } = finding;
  return runs.slice(from, to + 1).some((run) => {
    const [start, end] = [world.settled(run.start) - world.lagMs, world.settled(run.end)];
    if (deleted !== undefined && deleted.at <= end && (deleted.backAt ?? Infinity) > start) return true;
    if (world.lagMs > 0 && start < visible) return true;
    if (!world.isListedThroughout(environment, type, start, end) || movedUnnoticed(world, run, finding)) return true;
    return run.requests.some(
      (entry) => isAbout(entry, finding) && isDeceived(entry, world.scenario.faults, world.scenario.tenant),
    );
  });
}

/**
 * Findings that were delivered, then absent from a complete read of everything, and are back since before the last read of
 * everything: each of them must have been delivered again. Where the list was empty, it took two such reads.
 */
export function undeliveredReturns(world: World, history: History, last: RunRecord): string | null {
  const missing = world.scenario.findings.filter(
    (finding) => mustComeAgain(world, history, last, finding) && !cameAgain(history, finding),
  );
  return missing.length === 0
    ? null
    : `came back and was not delivered again: ${describe(
        world,
        missing.map(({ key }) => key),
      )}`;
}

function mustComeAgain(world: World, history: History, last: RunRecord, finding: FindingPlan): boolean {
  const { deleted, environment, type } = finding;
  if (deleted?.backAt === undefined || deleted.backAt > world.quietFrom) return false;
  const { at, backAt } = deleted;
  if (!world.isListedThroughout(environment, type, backAt, last.end)) return false;
  if (!history.runs.every(({ plan, overlapped }) => plan.memory.kind === "kept" && !overlapped)) return false;
  const forgettableFrom = Math.max(at, ...world.datesOf(finding).map((date) => date - EPOCH + DAY + HOUR));
  // A read of everything that got a wrong answer shows nothing, and the next one is due a day later.
  const isRead = (run: RunRecord, since: number): boolean =>
    isFullyReadSince(world, history, run, Math.max(since, deceivedUntil(world, history, finding, run)));
  const saw = history.runs.filter(
    (run) =>
      run.start - world.lagMs > at &&
      run.end < backAt &&
      isForgettable(world, run, finding) &&
      run.result?.status === "completed" &&
      // A host that leaves an alert keeps the state of before.
      run.left.size === 0 &&
      isInScope(world, environment, type, run) &&
      isRead(run, forgettableFrom + world.lagMs),
  );
  const others = world.findingsOf(environment, type).filter((other) => other !== finding);
  // The read of everything may have been that of any run since then.
  const isEnough = (run: RunRecord): boolean =>
    others.some((other) => world.isThereThroughout(other, forgettableFrom - world.lagMs, run.end)) ||
    saw.some((earlier) => isRead(run, earlier.end));
  return saw.some(isEnough) && wasDeliveredBefore(history, finding, at) && isRead(last, backAt + world.lagMs);
}

/** Newer findings are not forgotten yet, by the clock of the service, which may have been set back. */
function isForgettable(world: World, { start }: RunRecord, finding: FindingPlan): boolean {
  return world.serviceClock(start) - Math.max(-Infinity, ...world.datesOf(finding)) > DAY + HOUR;
}

function wasDeliveredBefore({ runs, deliveries }: History, { key }: FindingPlan, moment: number): boolean {
  return deliveries.get(key)?.some(({ run }) => (runs[run]?.end ?? Infinity) < moment) === true;
}

function cameAgain({ runs, deliveries }: History, { key, deleted }: FindingPlan): boolean {
  return deliveries.get(key)?.some(({ run }) => (runs[run]?.end ?? -Infinity) >= (deleted?.backAt ?? 0)) === true;
}
