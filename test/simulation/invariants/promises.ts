import type { History, RunRecord } from "../history.ts";
import type { Endpoint, FindingPlan, Span } from "../scenario.ts";
import type { LogEntry } from "../tenant/log.ts";
import { deceivedUntil, deceives, goesOn, isOrdered, mayHideOlder, wentOnUntil } from "./deceptions.ts";
import { isRoomScarce } from "./room.ts";
import { isInScope } from "./scope.ts";
import { movedUnnoticed } from "./single-records.ts";
import { DAY, EPOCH, HOUR, MINUTE, type World } from "../world.ts";

/**
 * What a run that says `completed` must have delivered. Where the design leaves room, the reading is the one that loses
 * nothing; what no plugin could know is left out.
 */

/** Everything is read at least once an hour; the minute is for the run itself. */
const READ_EVERY_MS = HOUR + MINUTE;
/** A finding may become visible so long after its created_at. */
const LATE_MS = DAY;
/** Whatever no window finds may wait for a read of everything, once a day. */
const FULL_READ_MS = 25 * HOUR;
/** How a service says that it does not offer something, or not to these credentials. It is believed for a day. */
const DECLINED: ReadonlySet<unknown> = new Set([400, 403, 404]);

/** The findings that must have been delivered when the run is over, delivered or not. */
export function promisedBy(world: World, history: History, run: RunRecord): readonly FindingPlan[] {
  const known = history.promised.get(run.index);
  if (known !== undefined) return known;
  const promised = world.scenario.findings.filter(
    (finding) => isReadable(world, run, finding) && isPromised(world, history, run, finding),
  );
  history.promised.set(run.index, promised);
  return promised;
}

/** Whether the run could see the finding all the time. */
function isReadable(world: World, run: RunRecord, finding: FindingPlan): boolean {
  return (
    world.isThereThroughout(finding, run.start - world.lagMs, run.end) &&
    isInScope(world, finding.environment, finding.type, run)
  );
}

function isPromised(world: World, history: History, run: RunRecord, finding: FindingPlan): boolean {
  const { start, end } = run;
  if (movedUnnoticed(world, run, finding)) return false;
  const since = visibleSince(world, finding);
  const deceived = deceivedUntil(world, history, finding, run);
  if (needsMemory(world, finding, end) && wasStateFull(world, history, run)) return false;
  const honestSince = Math.max(
    since,
    listedSince(world, finding, start),
    deceived,
    comparedSince(world, history, run, finding),
  );
  if (honestSince > start) return false;
  if (isFullyReadSince(world, history, run, honestSince)) return true;
  if (deceived >= since && mayHideOlder(world, history, run, finding)) return false;
  if (!isShown(world, history, run, honestSince) && !wasLeft(world, history, run, finding, honestSince)) return false;
  const isUndated = world.createdAt(finding) === null;
  // A stream's first read has no filter: it finds whatever is there, and shown.
  if ((isUndated ? honestSince : since) <= firstPoll(world, history, finding)) return true;
  if (isUndated || changesIdentity(world, finding, end)) return false;
  return isInTime(world, finding, start) && !mayBeForgotten(world, history, run, finding);
}

/** Since when runs can have compared what an id stands for. */
function comparedSince(world: World, history: History, run: RunRecord, finding: FindingPlan): number {
  return world.hasUsedId(finding) ? wentOnUntil(history, run, finding) : -Infinity;
}

/**
 * Whether the daily read of everything is due since a moment: it finds whatever the windows missed. A full state no longer
 * tells what was delivered long ago.
 */
export function isFullyReadSince(world: World, history: History, run: RunRecord, moment: number): boolean {
  return hasPassed(FULL_READ_MS, moment, world, history, run) && !wasStateFull(world, history, run);
}

/** A finding that an analysis dates anew may leave its window, and an id that was another finding's looks like a known one. */
function changesIdentity(world: World, finding: FindingPlan, moment: number): boolean {
  return world.hasUsedId(finding) || finding.redated?.some(({ at }) => at <= moment) === true;
}

/**
 * A finding type that the service comes to list without a new analysis is found when the environment is read again. So is
 * what one replica does not have yet of an environment that another one lists.
 */
function listedSince(world: World, { environment, type }: FindingPlan, moment: number): number {
  const typeSince = world.typeListedSince(environment, type, moment);
  if (world.lagMs === 0) return typeSince;
  return Math.max(typeSince, world.environmentListedSince(environment, moment)) + world.lagMs;
}

/** A finding that was gone and came back is visible since then, and each replica shows it some time later. */
function visibleSince(world: World, { visible, deleted }: FindingPlan): number {
  return Math.max(visible, deleted?.backAt ?? visible) + world.lagMs;
}

/**
 * Whether the finding became visible within a day of its created_at. The service's clock of three moments must agree on
 * that: the one that dated it, the one at which it became visible, and the one that the run can ask. A finding that a
 * wrong clock dated days back, and that is first seen once the clock is right, looks like any old one.
 */
function isInTime(world: World, finding: FindingPlan, start: number): boolean {
  const dated = world.createdAt(finding);
  if (dated === null || typeof finding.created !== "number") return false;
  const since = visibleSince(world, finding);
  const seenBy = (clock: number): number => clock - (start - since) - dated;
  const ages = [since - finding.created, world.serviceClock(since) - dated, seenBy(world.serviceClock(start))];
  // Where the service does not tell its time, the host's clock has to do.
  if (!tellsTime(world)) ages.push(seenBy(EPOCH + start + world.hostAhead(start)));
  return ages.every((age) => age <= LATE_MS);
}

/**
 * In another order each time, only what is remembered tells which findings stood before the place where a run stopped. The same
 * goes for a finding that is dated anew, and so has another place.
 */
function needsMemory(world: World, { redated = [] }: FindingPlan, end: number): boolean {
  return !isOrdered(world) || redated.some(({ at }) => at <= end);
}

/**
 * When the state is full, ids are forgotten by the hour, and windows begin after the last hour that was forgotten. Then
 * only what is visible before the next run is sure to be found.
 */
function mayBeForgotten(world: World, { runs }: History, current: RunRecord, finding: FindingPlan): boolean {
  const { index, start } = current;
  const since = visibleSince(world, finding);
  const dated = world.createdAt(finding) ?? 0;
  const hour = (moment: number): number => Math.floor(moment / HOUR);
  const before = runs.slice(0, index).filter((run) => run.start < start && (run.start < since || goesOn(run, finding)));
  // The run itself may forget in one stream before it reads another one.
  const forgetting = before.length > 0 ? [...before, current] : [];
  return forgetting.some(
    (run) => hour(world.serviceClock(run.end)) > hour(dated) && isRoomScarce(world, run) && saysStateIsFull(run),
  );
}

function wasStateFull(world: World, { runs }: History, { index }: RunRecord): boolean {
  return runs.slice(0, index + 1).some((run) => isRoomScarce(world, run) && saysStateIsFull(run));
}

/** A run that was killed cannot say so. */
export function saysStateIsFull({ result }: RunRecord): boolean {
  return result === null || result.message.includes("state is full");
}

function tellsTime({ scenario }: World): boolean {
  return (
    scenario.tenant.dateHeader === "exact" && !scenario.faults.some(({ what }) => what.kind === "wrong date header")
  );
}

/** Whether the run had to look: an analysis that the service shows, or an hour has passed. */
function isShown(world: World, history: History, run: RunRecord, since: number): boolean {
  const { datapipe, sparklineLagMs = 0, refuses = [] } = world.scenario.tenant;
  const { start } = run;
  if (hasPassed(READ_EVERY_MS, since, world, history, run)) return true;
  // One replica may tell of an analysis whose findings another one does not have yet.
  if (world.lagMs > 0 || refuses.length > 0) return false;
  const ended = ([, end]: Span, lag = 0): boolean => end >= since && world.settled(end) === end && end + lag <= start;
  const { analyses } = world.scenario;
  const analysisFailed = failedLately(history, run, "datapipe");
  if (datapipe === 200 && !analysisFailed && !wasDeclined(history, start))
    return analyses.some((span) => ended(span)) || sawActivity(world, run);
  // While the analysis time fails, the sparkline is not asked for either.
  const trendFailed = analysisFailed || failedLately(history, run, "sparkline");
  // A point that a wrong clock has dated back looks like an old one.
  const isDated = ([, end]: Span): boolean => world.serviceAhead(end) === world.serviceAhead(start);
  const isDrawn = (span: Span): boolean => isDated(span) && ended(span, sparklineLagMs);
  return (showsTrend(world) && !trendFailed && analyses.some(isDrawn)) || isCounted(world);
}

/** A sparkline shows what is new only beside a clock. */
function showsTrend(world: World): boolean {
  return world.scenario.tenant.sparkline === "honest" && tellsTime(world);
}

/**
 * Where the tenant offers nothing better, each run asks for the count of each stream. Unless the count lies, it shows every
 * finding that is added, as long as none is taken away, or dated anew and so taken out of its window.
 */
function isCounted(world: World): boolean {
  const { tenant, findings, faults } = world.scenario;
  // A sparkline is asked for in every run in which the service tells its time.
  const drawsTrend = tenant.sparkline === "honest" && tenant.dateHeader === "exact";
  if (tenant.datapipe === 200 || drawsTrend || tenant.counts !== undefined) return false;
  const staysInWindow = ({ deleted, redated }: FindingPlan): boolean => deleted === undefined && redated === undefined;
  return findings.every(staysInWindow) && !faults.some((fault) => deceives(fault, faults, tenant));
}

/** Whether the tenant was at work, so that an unchanged time of its last analysis says nothing. */
function sawActivity(world: World, { start, requests }: RunRecord): boolean {
  const activity = world.activityAt(start);
  // The service tells what is true when the request arrives: by then an analysis that is complete has moved the time.
  if (activity === null || world.scenario.analyses.includes(activity.span)) return activity !== null;
  const asked = requests.filter(({ endpoint }) => endpoint === "datapipe");
  return asked.every(({ arrived }) => arrived === null || world.activityAt(arrived) !== null);
}

/**
 * Whether a run that the host remembers delivered something of the finding's stream and not all of it, as a run does that
 * is killed. The state tells that the rest is there, so every later run reads it.
 */
function wasLeft(
  world: World,
  { runs }: History,
  { index }: RunRecord,
  { environment, type }: FindingPlan,
  since: number,
): boolean {
  const { kind } = world.scenario.host;
  const remembers = ({ result, alerts, left }: RunRecord): RunRecord["alerts"] => {
    if (kind === "atomic") return alerts.filter(({ keys }) => !keys.some((key) => key !== null && left.has(key)));
    if (result?.checkpoint !== undefined) return alerts;
    return kind === "late patch" ? alerts.slice(0, -1) : [];
  };
  const remembered = runs.slice(0, index + 1).findLastIndex(({ plan }) => plan.memory.kind !== "kept");
  return runs
    .slice(Math.max(0, remembered), index)
    .some(
      (run) =>
        since <= run.start &&
        remembers(run).some(({ alert }) => alert.environmentId === environment && alert.findingType === type),
    );
}

/** Shorter than any run waits for evidence that is to be waited for: a sixth of its time, less its margin. */
const SOON = 1 / 10;

/** Whether evidence failed or was late within the last day, and may not have been asked for since. */
function failedLately(history: History, { index, start }: RunRecord, endpoint: Endpoint): boolean {
  return history.runs.slice(0, index + 1).some(({ start: at, plan, requests }) => {
    const patienceMs = Math.min(SOON * (plan.deadlineMs ?? Infinity), SOON * MINUTE);
    const fails = ({ endpoint: asked, outcome, sound, sent, answered }: LogEntry): boolean =>
      asked === endpoint &&
      !(endpoint === "datapipe" && DECLINED.has(outcome)) &&
      !(outcome === 200 && sound && answered !== null && answered - sent < patienceMs);
    return at >= start - DAY && requests.some(fails);
  });
}

/** Whether the service said within the last day that it does not offer its analysis time to these credentials. */
function wasDeclined(history: History, start: number): boolean {
  return history.runs.some(
    (run) =>
      run.start >= start - DAY &&
      run.requests.some(({ endpoint, outcome }) => endpoint === "datapipe" && DECLINED.has(outcome)),
  );
}

/**
 * Whether so much time has passed since a moment. It is the host's clock that measures it: no earlier run may look as if
 * it had been later. A run that seems to lie in the future does not count.
 */
function hasPassed(ms: number, since: number, world: World, { runs }: History, run: RunRecord): boolean {
  const { index, start } = run;
  if (since + ms > start) return false;
  const now = start + world.hostAhead(start) - setBackBy(world, run);
  const age = (moment: number): number => now - moment - world.hostAhead(moment);
  const isLongAgo = (moment: number): boolean => age(moment) >= ms || age(moment) < -MINUTE;
  const before = runs.slice(0, index).filter((run) => run.start < since);
  return before.every((run) => isLongAgo(run.start) && isLongAgo(run.end));
}

/** Milliseconds by which the host's clock is set back while a run is on, at most. */
function setBackBy(world: World, { start, end }: RunRecord): number {
  const moments = world.scenario.host.clock
    .map(({ span }) => span[0])
    .filter((moment) => moment > start && moment < end);
  return Math.max(0, ...[...moments, end].map((moment) => -world.hostGain(start, moment)));
}

/** The start of the first run that had to read the finding's stream, or that read it as it came to be listed. */
function firstPoll(world: World, history: History, { environment, type }: FindingPlan): number {
  const isRead = ({ requests }: RunRecord): boolean =>
    requests.some((sent) => sent.endpoint === "details" && sent.environment === environment && sent.type === type);
  return history.runs.find((run) => isInScope(world, environment, type, run) || isRead(run))?.start ?? -Infinity;
}
