import type { History, RunRecord } from "../history.ts";
import type { FindingPlan } from "../scenario.ts";
import type { LogEntry } from "../tenant/log.ts";
import { MINUTE, type World } from "../world.ts";
import { isAbout } from "./deceptions.ts";
import { describe, said } from "./wording.ts";
import type { Invariant } from "./invariant.ts";
import { isInScope } from "./scope.ts";
import { clocksAgree, isOptional, isRefusal, missingAfter, outpaces, timeNeeded } from "./service.ts";

/** A run may have to learn that an optional route refuses, one route at a time. */
const MOST_RUNS_IN_VAIN = 6;
const LEAST_TIME_MS = 10_000;
/** Pages become smaller after several timeouts, and a slow service takes its time. */
const TIME_FOR_SLOWNESS_MS = 30 * MINUTE;

/**
 * Every other excuse of a run ends here: a finding whose required requests are answered is delivered within a few runs,
 * whatever the optional routes do, and however slowly the answers come.
 */
export const catchesUp: Invariant = (world, history, run) => {
  let waiting = new Set(missingAfter(world, history, run));
  let runs = 0;
  for (const each of history.runs.slice(0, run.index + 1).reverse()) {
    if (waiting.size === 0 || each.alerts.length > 0 || !hadTheTime(world, each)) return null;
    const missing = new Set(missingAfter(world, history, each));
    waiting = new Set([...waiting].filter((key) => missing.has(key) && !isBlocked(world, history, each, key)));
    if (waiting.size > 0 && ++runs >= MOST_RUNS_IN_VAIN) {
      return `nothing was delivered in ${runs} runs; missing: ${describe(world, [...waiting])}; it says: ${said(run)}`;
    }
    if (each.plan.memory.kind !== "kept") return null;
  }
  return null;
};

function hadTheTime(world: World, run: RunRecord): boolean {
  const { plan, ending, requests } = run;
  if (ending === "killed" || !clocksAgree(world, run)) return false;
  const time = Math.min(plan.deadlineMs ?? Infinity, plan.stopAfterMs ?? Infinity);
  if (time === Infinity) return true;
  const isSlow = world.scenario.tenant.wire !== undefined || requests.some(({ struck, sound }) => struck && sound);
  const needed = Math.max(LEAST_TIME_MS, timeNeeded(world), isSlow ? TIME_FOR_SLOWNESS_MS : 0);
  return plan.hostMs === 0 && time * 0.8 >= needed;
}

/** Whether a required request that leads to the finding failed. What was listed before is read although a list fails. */
function isBlocked(world: World, history: History, run: RunRecord, key: string): boolean {
  const finding = world.findings.get(key);
  if (finding === undefined || outpaces(world, finding.environment, run)) return true;
  const required = run.requests.filter((entry) => !isOptional(entry));
  if (required.every(failed)) return true;
  // Where no response is complete, the first one that is given up may end the run: the service counts as one that does not respond.
  if (required.some(failed) && required.every(({ outcome }) => typeof outcome !== "number")) return true;
  const isKnown = wasReadBefore(world, history, run, finding);
  return required.some((entry) => {
    if (!failed(entry) && !mayRepeatItself(world, entry)) return false;
    if (isRefusal(entry)) return true;
    return isAbout(entry, finding) && !(isKnown && entry.endpoint !== "details");
  });
}

/** The plugin alone is to blame for giving up an answer that is on its way. */
const SILENCE_MS = 25_000;
/** Bytes a second that are worth waiting for. */
const WORTH_WAITING_FOR = 512;

function failed({ struck, sound, outcome, answered, heard, sent, bytes, refused }: LogEntry): boolean {
  if (!struck || refused) return false;
  if (outcome !== "aborted" || answered === null) return !sound || typeof outcome !== "number";
  return answered - (heard ?? sent) >= SILENCE_MS || (bytes * 1_000) / (answered - sent) < WORTH_WAITING_FOR;
}

/** Two entries without a name look alike, and where each is a page of its own, the list seems to repeat itself. */
function mayRepeatItself({ scenario }: World, { struck, endpoint }: LogEntry): boolean {
  return struck && scenario.tenant.listPages === 1 && (endpoint === "environments" || endpoint === "types");
}

/** Whether an earlier run read the finding's type, and no list has denied the type since then. */
function wasReadBefore(world: World, { runs }: History, run: RunRecord, finding: FindingPlan): boolean {
  const before = runs.slice(0, run.index + 1);
  const denies = ({ endpoint, struck, outcome }: LogEntry): boolean =>
    endpoint === "types" && struck && outcome === 200;
  const since = Math.max(
    before.findLastIndex(({ plan }) => plan.memory.kind !== "kept"),
    before.findLastIndex(({ requests }) => requests.some(denies)) + 1,
  );
  return runs
    .slice(since, run.index)
    .some(
      (earlier) =>
        earlier.result?.status === "completed" &&
        earlier.left.size === 0 &&
        isInScope(world, finding.environment, finding.type, earlier) &&
        world.isListedThroughout(finding.environment, finding.type, earlier.start, run.end) &&
        earlier.requests.some((entry) => entry.endpoint === "details" && entry.sound && isAbout(entry, finding)),
    );
}

const PAUSE_MS = 10_000;
/** A page that takes longer than this may be given up for a smaller one. */
const LONG_MS = 115_000;
/** With so many requests on their way, the slowest may have to make room. */
const CROWDED = 50;

/** A body that keeps arriving is not given up while a run has time: a timeout measures silence. */
export const waitsForBodies: Invariant = ({ scenario }, _history, { requests, end, plan }) => {
  if ((plan.deadlineMs ?? Infinity) < TIME_FOR_SLOWNESS_MS) return null;
  const drips = scenario.faults.some(
    ({ what }) => what.kind === "slow body" || (what.kind === "trickle" && what.bytesPerSecond < WORTH_WAITING_FOR),
  );
  if (drips) return null;
  const required = requests.filter((request) => !isOptional(request));
  const impatient = required.find(
    ({ outcome, bodyHeard, answered, sent }) =>
      outcome === "aborted" &&
      bodyHeard !== null &&
      answered !== null &&
      answered - bodyHeard < PAUSE_MS &&
      answered - sent < LONG_MS &&
      end - answered > PAUSE_MS &&
      openAt(requests, answered) < CROWDED,
  );
  return impatient === undefined ? null : `${impatient.target.slice(0, 200)} was given up while its body arrived`;
};

function openAt(requests: readonly LogEntry[], moment: number): number {
  return requests.filter(({ sent, answered }) => sent <= moment && (answered ?? Infinity) >= moment).length;
}
