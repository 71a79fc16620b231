import type { Delivery, History, RunRecord } from "../history.ts";
import type { FindingPlan } from "../scenario.ts";
import type { LogEntry } from "../tenant/log.ts";
import { DAY, EPOCH, type World } from "../world.ts";
import { saysStateIsFull } from "./promises.ts";
import { isRoomScarce } from "./room.ts";
import { hasVanished } from "./vanished.ts";

/** The memory of an environment or type that is gone for a week is dropped; polls and clocks need not agree on the hour. */
const FORGOTTEN_MS = 6.9 * DAY;

export interface Repeat {
  world: World;
  history: History;
  run: RunRecord;
  key: string;
  before: Delivery;
  /** The host did not know the alert. */
  isNew: boolean;
}

/** Whether a finding that comes again could not be helped. */
export function isExcused(repeat: Repeat): boolean {
  return [
    memoryWasSpoilt,
    wasGoneForAWeek,
    stateWasFull,
    clockWasSetBack,
    hostKeptNoCheckpoint,
    hostKeptNoPatch,
    runsOverlapped,
    wasGoneForAWhile,
    idsWereReusedSince,
  ].some((excuse) => excuse(repeat));
}

/** Whether a host has to see that a finding is back: it drops alerts that it has. */
export function mustBeNew(repeat: Repeat): boolean {
  if (!wasGoneForAWeek(repeat)) return false;
  const excuses = [
    memoryWasSpoilt,
    stateWasFull,
    clockWasSetBack,
    hostKeptNoCheckpoint,
    hostKeptNoPatch,
    runsOverlapped,
  ];
  return !excuses.some((excuse) => excuse(repeat));
}

/** The state that overlapping runs leave tells what either of them delivered, and perhaps not what both did. */
function runsOverlapped({ history, run, before }: Repeat): boolean {
  return history.runs.slice(before.run, run.index + 1).some(({ overlapped }) => overlapped);
}

function idsWereReusedSince({ world, history, key, before, run }: Repeat): boolean {
  const { message = "" } = history.runs[before.run]?.result ?? {};
  // The run that noticed it may have delivered the finding before it did.
  const from = /The next run delivers the rest of them/.test(message) ? before.run : before.run + 1;
  return idsWereReused({ world, history, key, from, to: run.index });
}

interface KeyInRuns {
  world: World;
  history: History;
  key: string;
  /** The first and the last of the runs. */
  from: number;
  to: number;
}

/** Where the service gives known ids to other findings, a repeat is better than a loss, if the result says so. */
export function idsWereReused({ world, history, key, from, to }: KeyInRuns): boolean {
  const finding = world.findings.get(key);
  if (finding === undefined) return false;
  const others = world.findingsOf(finding.environment, finding.type);
  const runs = history.runs.slice(from, to + 1);
  const isReused = others.some((other) => other.visible <= (runs.at(-1)?.end ?? 0) && world.hasUsedId(other));
  return isReused && runs.some(({ result }) => mayRepeat(result));
}

/** A run that was killed cannot say so. */
function mayRepeat(result: RunRecord["result"]): boolean {
  return result === null || /may be repeated/.test(result.message);
}

/** A finding that was gone for a while is reported as new. */
function wasGoneForAWhile({ world, history, run, key, before }: Repeat): boolean {
  return hasVanished(world, history, key, { from: before.run, to: run.index });
}

/** Between the two deliveries the host handed over a state that was not the last one, and does not know of the first. */
function memoryWasSpoilt({ history, run, before }: Repeat): boolean {
  const runs = between(history, before.run, run.index);
  return runs.some(({ plan: { memory }, stateBefore }, place) => {
    if (memory.kind !== "stale") return memory.kind !== "kept";
    const old = JSON.stringify(stateBefore);
    return !runs.slice(0, place).some((earlier) => JSON.stringify(earlier.stateBefore) === old);
  });
}

function between(history: History, from: number, to: number): RunRecord[] {
  return history.runs.slice(from + 1, to + 1);
}

function wasGoneForAWeek({ world, history, run, key, before }: Repeat): boolean {
  const finding = world.findings.get(key);
  if (finding === undefined) return false;
  const runs = [history.runs[before.run], ...between(history, before.run, run.index)].filter((r) => r !== undefined);
  const moments = runs.flatMap(({ start, end }) => [start, end]);
  let gone = -Infinity;
  for (const moment of moments) {
    const listed = world.isListedThroughout(finding.environment, finding.type, moment, moment);
    if (gone !== -Infinity && moment - gone >= FORGOTTEN_MS) return true;
    if (listed) gone = -Infinity;
    else if (gone === -Infinity) gone = moment;
  }
  return false;
}

/** Where the state has no room for more, a repeat is better than a loss, if the result says so. */
function stateWasFull({ world, history, run, key, before }: Repeat): boolean {
  const isRedated = world.findings.get(key)?.redated?.some(({ at }) => at <= run.end) === true;
  return [history.runs[before.run], ...between(history, before.run, run.index)].some(
    (each) =>
      each !== undefined &&
      (hasNoRoom(world, each) || (isRedated && isRoomScarce(world, each) && saysStateIsFull(each))),
  );
}

/**
 * Whether the scenario leaves the state too little room for what it has to remember, and the run says that findings may
 * repeat; a run that was killed cannot. A window that is only shortened repeats nothing
 * but what is dated anew.
 */
export function hasNoRoom(world: World, run: RunRecord): boolean {
  const { result } = run;
  if (!isRoomScarce(world, run)) return false;
  return result === null || /state is full\. \d+ streams? may repeat/.test(result.message);
}

/**
 * A clock that is set back by more than a day, or at all where a full state has shortened the window, makes the window begin
 * where ids are long forgotten. A repeat is then better than a loss, if the result says so; a run that was killed has none.
 */
function clockWasSetBack({ world, history, run, before }: Repeat): boolean {
  const runs = history.runs.slice(0, run.index + 1);
  const wasFull = runs.some((each) => isRoomScarce(world, each) && saysStateIsFull(each));
  const moments = runs.flatMap(({ start, end }) => [start, end]);
  const offsets = moments.map((moment) => world.serviceAhead(moment));
  const setBack = isSetBack(offsets, wasFull ? 0 : DAY);
  const said = between(history, before.run, run.index).some(
    ({ result }) => result === null || /repeat/i.test(result.message),
  );
  return setBack && said;
}

function isSetBack(offsets: readonly number[], by: number): boolean {
  return offsets.some((offset, index) => offset < Math.max(...offsets.slice(0, index)) - by);
}

/**
 * A host that keeps the state of results only lost it with the result, or with the result of a run that it stopped and
 * that did not end in time; or it recognises the alert.
 */
function hostKeptNoCheckpoint(repeat: Repeat): boolean {
  const { world, history, before, isNew } = repeat;
  if (world.scenario.host.kind !== "late checkpoint") return false;
  if (!isNew) return true;
  const run = history.runs[before.run];
  if (run === undefined || saysTheSame(repeat, run)) return false;
  return run.result === null || (ranOutOfTime(run) && run.result.status === "failed");
}

/**
 * Whether both runs must have made the same alerts of the finding's stream: they began with the same state, selection and limit,
 * and nothing that they saw of the stream was different.
 */
function saysTheSame({ world, history, run, key }: Repeat, first: RunRecord): boolean {
  const finding = world.findings.get(key);
  if (finding === undefined || first.plan.maxEventsPerAlert !== run.plan.maxEventsPerAlert) return false;
  const beginning = ({ stateBefore, plan }: RunRecord): string =>
    JSON.stringify([stateBefore, plan.environments, plan.types]);
  if (beginning(first) !== beginning(run)) return false;
  if (world.serviceAhead(first.start) !== world.serviceAhead(run.start)) return false;
  if ([first, run].some((each) => ranOutOfTime(each) || wasEndedByAnAnswer(each))) return false;
  // Such as after two days in which the type was not listed.
  if (run.result !== null && /may have been delivered before/.test(run.result.message)) return false;
  const { environment, type } = finding;
  const answers = [first, run].flatMap(({ requests }) =>
    requests.filter((sent) => sent.environment === environment && sent.type === type && sent.outcome !== "abandoned"),
  );
  return (
    answers.every(({ sound, outcome }) => sound && outcome === 200) &&
    world.findingsOf(environment, type).every((each) => isSteady({ world, history }, each, first.start, run.end))
  );
}

/** A run that is about to be ended delivers what it has. */
function ranOutOfTime({ plan, start, end }: RunRecord): boolean {
  return end - start >= Math.min(plan.stopAfterMs ?? Infinity, 0.8 * (plan.deadlineMs ?? Infinity));
}

/** An answer that stands for all requests ends every stream where it is, and each delivers what it has. */
function wasEndedByAnAnswer({ requests }: RunRecord): boolean {
  return requests.some(({ outcome }) => outcome === 401 || outcome === 429);
}

/**
 * Whether a finding is there or not there for the whole time, on each replica, with one date, and in the window of both
 * runs: those without a date, and those that became visible long after it, may be found by the daily read only.
 */
function isSteady(
  { world, history }: Pick<Repeat, "world" | "history">,
  finding: FindingPlan,
  from: number,
  until: number,
): boolean {
  const { visible, deleted, redated = [] } = finding;
  const dated = world.createdAt(finding);
  const isLate =
    dated === null ||
    deleted?.backAt !== undefined ||
    (visible > (history.runs[0]?.start ?? 0) && visible + EPOCH - dated > DAY);
  const changes = [visible, deleted?.at, deleted?.backAt, ...redated.map(({ at }) => at)];
  return !isLate && !changes.some((at) => at !== undefined && at > from - world.lagMs && at <= until);
}

/**
 * Between an alert and its patch a run may be killed. Then that one alert comes again: under its id, unless the next run
 * makes other alerts of what there is.
 */
function hostKeptNoPatch({ world, history, run, key, before, isNew }: Repeat): boolean {
  const killed = history.runs[before.run];
  if (world.scenario.host.kind !== "late patch" || killed === undefined || killed.result !== null) return false;
  const last = killed.alerts.at(-1);
  if (last?.keys.includes(key) !== true) return false;
  return !isNew || isCutOtherwise({ world, history }, [killed, ...between(history, before.run, run.index)], last.alert);
}

/** Whether a stream changed in the course of some runs, or they had reason to cut it into other alerts. */
function isCutOtherwise(
  { world, history }: Pick<Repeat, "world" | "history">,
  runs: readonly RunRecord[],
  { environmentId, findingType }: RunRecord["alerts"][number]["alert"],
): boolean {
  if (new Set(runs.map(({ plan }) => plan.maxEventsPerAlert)).size > 1) return true;
  if (runs.some((run) => ranOutOfTime(run) || wasEndedByAnAnswer(run))) return true;
  const [from, to] = [runs[0]?.start ?? 0, world.settled(runs.at(-1)?.end ?? 0)];
  if (world.findingsOf(environmentId, findingType).some((each) => !isSteady({ world, history }, each, from - 1, to))) {
    return true;
  }
  const failed = ({ type, environment, sound }: LogEntry): boolean =>
    environment === environmentId && type === findingType && !sound;
  return runs.some(({ requests }) => requests.some(failed));
}
