import { type EnvironmentReport, isDone, type StreamReport } from "./report/run-summary.ts";
import type { NextStart } from "./state/state.ts";

/** A stream, or an environment whose list of finding types was not read. */
export type UnreadPart = EnvironmentReport | StreamReport;

/** What a run has read, and how far it got. */
export interface RunProgress {
  /** In the order in which the run reads them. */
  readonly environments: ReadonlyMap<string, EnvironmentReport>;
  /** What the service refused for its rate limit. */
  readonly refused: ReadonlySet<UnreadPart>;
  /** Whether the environments were listed. */
  readonly isListed: boolean;
}

/** Every stream that was not read to its end, environments that could not be listed included, in order. */
export function unreadIn(environments: ReadonlyMap<string, EnvironmentReport>): UnreadPart[] {
  return [...environments.values()].flatMap((environment) => [
    ...(isDone(environment) ? [] : [environment]),
    ...[...environment.streams.values()].filter(isUnread),
  ]);
}

/**
 * Where the next run begins: at the first stream that had no turn; when all had one, after the first that was cut
 * short, so that a large stream cannot keep the others waiting. When none waits: null after a run that read
 * everything, else where this run began.
 *
 * @param begin - where this run began: the finding types before that one, and their list, take their turn after all other
 * environments
 */
export function nextStart(run: RunProgress, begin: NextStart | null): NextStart | null {
  const refused = refusedOnTheWay(run, begin);
  if (refused !== undefined) return startAt(refused);
  const unread = unreadIn(run.environments);
  const all = waiting(unread.filter((part) => !run.refused.has(part)));
  const inTurn = [...all.filter((part) => !isBefore(part, begin)), ...all.filter((part) => isBefore(part, begin))];
  const withoutTurn = inTurn.filter(hadNoTurn);
  // What the run began with had all of its time. If it hangs, the others would never have a turn.
  const next = withoutTurn.find((part) => !isBegin(run, part, begin)) ?? withoutTurn[0] ?? inTurn[1] ?? inTurn[0];
  // A run that could not list everything does not know who had no turn.
  if (next === undefined) return afterRefused(run) ?? (!run.isListed || unread.length > 0 ? begin : null);
  const isSame = "streams" in next && next.streams.size === 0 && next.environment.id === begin?.environmentId;
  return isSame ? begin : startAt(next);
}

/**
 * What the rate limit has refused before it had a turn, unless the run began with it or had come round to it: each run must begin
 * further on than the one before.
 */
function refusedOnTheWay(run: RunProgress, begin: NextStart | null): UnreadPart | undefined {
  return [...run.refused].find((part) => hadNoTurn(part) && !isBegin(run, part, begin) && !isBefore(part, begin));
}

/** What comes after what was refused; null when nothing was. */
function afterRefused({ environments, refused }: RunProgress): NextStart | null {
  const [first] = refused;
  if (first === undefined) return null;
  const isRefused = (part: UnreadPart): boolean =>
    part === first || ("stream" in part && environments.get(part.stream.environment.id) === first);
  const all = [...environments.values()].flatMap((report): UnreadPart[] =>
    report.streams.size === 0 ? [report] : [...report.streams.values()],
  );
  const next = all[(all.findLastIndex(isRefused) + 1) % all.length];
  return next === undefined ? null : startAt(next);
}

function isBegin({ environments }: RunProgress, part: UnreadPart, begin: NextStart | null): boolean {
  if ("stream" in part)
    return part.stream.environment.id === begin?.environmentId && part.stream.findingType === begin.findingType;
  const [first] = environments.keys();
  return part.environment.id === (begin?.environmentId ?? first);
}

function hadNoTurn(part: UnreadPart): boolean {
  return !("alerts" in part) || part.alerts === 0;
}

function isUnread(stream: StreamReport): boolean {
  return !isDone(stream);
}

/** Where a run begins that reads this part first. */
export function startAt(part: UnreadPart): NextStart {
  if (!("stream" in part)) return { environmentId: part.environment.id };
  return { environmentId: part.stream.environment.id, findingType: part.stream.findingType };
}

/** Whether its turn comes after the other environments, because the run began after it in its environment. */
function isBefore(part: UnreadPart, begin: NextStart | null): boolean {
  const { environment } = "stream" in part ? part.stream : part;
  if (begin?.findingType === undefined || environment.id !== begin.environmentId) return false;
  return "stream" in part ? part.stream.findingType < begin.findingType : part.streams.size > 0;
}

/** What waits for a turn: what did not answer only where nothing else does, so that slow parts do not go before the rest. */
function waiting(unread: readonly UnreadPart[]): readonly UnreadPart[] {
  // Finding types that were not read stand for their environment, whose list may be late.
  const all = unread.filter((part) => !("streams" in part && [...part.streams.values()].some(isUnread)));
  const left = all.filter(({ outcome }) => outcome === "left");
  return left.length > 0 ? left : all.filter(({ outcome }) => outcome === "unanswered");
}
