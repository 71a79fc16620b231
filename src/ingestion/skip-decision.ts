import { isWholeNumber } from "../service/resources/finding-identity.ts";
import { holdsId } from "./state/delivered-ids.ts";
import type { EnvironmentMemory, ReadDue, ReadEvidence, StreamMemory } from "./state/state.ts";
import { cursorOf, rememberedInWindow } from "./state/stream-memory.ts";

/**
 * What to do with an environment: `skip` sends no request after the one for the evidence, `probe` asks each stream for one record and a count, `read`
 * reads every window, `read_all` also looks for findings without a usable time, which no window contains.
 */
export type Decision = "skip" | "probe" | "read" | "read_all";

/**
 * Why an environment is skipped, probed or read. `new`: nothing is known of it. `hourly`, `daily`: the last read of its windows, or
 * of everything, was that long ago. `analysis_running`: findings may change at any moment. `same_evidence`, `new_evidence`: compared
 * with the last read. `old_evidence`: nothing to compare with, but the last run already read what it reports. `no_evidence`: the
 * service offers none.
 */
export type EnvironmentReason =
  | ReadDue
  | "new"
  | "hourly"
  | "daily"
  | "analysis_running"
  | "same_evidence"
  | "new_evidence"
  | "old_evidence"
  | "no_evidence";

export interface EnvironmentDecision {
  readonly decision: Decision;
  readonly reason: EnvironmentReason;
}

/**
 * Why a stream is read or not. `environment`: for the reason of its environment. `new`: it was never read to its end, or has no
 * finding with a usable time. `backlog`: an earlier read of it is not at its end. `whole_history`: earlier runs did not read it, or
 * not in one piece. `unchanged`, `changed`: a probe compared it with what was delivered. `probe_failed`: then it is read. `gone`: the
 * service does not list its finding type any more, and has no findings of it.
 */
export type StreamReason =
  | "environment"
  | "new"
  | "backlog"
  | "whole_history"
  | "unchanged"
  | "changed"
  | "probe_failed"
  | "gone";

/** All evidence other than reading is inference, so everything is read at least this often. */
const READ_EVERY_SECONDS = 3600;
const READ_ALL_EVERY_SECONDS = 24 * 3600;

/** What is known in this run. An absent field says nothing. */
export interface Evidence extends ReadEvidence {
  /** An analysis is running: findings may change at any moment. */
  readonly isRunning?: true;
  /** It is older than the last run, which already read what it reports. */
  readonly isOld?: true;
}

type Memory = Pick<EnvironmentMemory, "readAt" | "readAllAt" | "evidence" | "due">;

/** What is remembered of an empty sparkline. It proves nothing by itself, but a later one that is not empty shows a change. */
export const EMPTY_TREND = "";

/**
 * Whether evidence is worth asking for: only if it can lead to a skip, in this run or in the next.
 *
 * @param isShort - the run may end before it has read everything: then only a skip in this run is worth a request
 */
export function wantsEvidence(memory: Memory | undefined, isShort: boolean, nowSeconds: number): boolean {
  return isShort ? memory !== undefined && reasonToRead(memory, nowSeconds) === null : memory?.readAt !== undefined;
}

/** Why an environment has to be read whatever its evidence says; null when that may decide. */
function reasonToRead({ due, readAt }: Memory, nowSeconds: number): EnvironmentReason | null {
  if (due !== undefined) return due;
  if (readAt === undefined) return "left";
  return isRecent(readAt, READ_EVERY_SECONDS, nowSeconds) ? null : "hourly";
}

/**
 * What to do with an environment, and why.
 *
 * @param evidence - requested before anything else in this run; an absent field is ignored
 */
export function decide(memory: Memory | undefined, evidence: Evidence, nowSeconds: number): EnvironmentDecision {
  // The first read of a stream has no window: it finds everything.
  if (memory === undefined) return { decision: "read", reason: "new" };
  const reason = reasonToRead(memory, nowSeconds) ?? byEvidence(memory.evidence, evidence);
  if (reason === "same_evidence") return { decision: "skip", reason };
  // Without evidence, send one small request per stream.
  if (reason === "old_evidence" || reason === "no_evidence") return { decision: "probe", reason };
  // What another selection left out may be older than any window.
  if (reason === "selection") return { decision: "read_all", reason };
  // Where no full read is remembered, runs that were killed may have read some streams long ago.
  if (isRecent(memory.readAllAt, READ_ALL_EVERY_SECONDS, nowSeconds)) return { decision: "read", reason };
  return { decision: "read_all", reason: reason === "hourly" ? "daily" : reason };
}

function byEvidence(last: ReadEvidence = {}, evidence: Evidence): EnvironmentReason {
  if (evidence.isRunning === true) return "analysis_running";
  const kind = evidence.analysis === undefined ? "trend" : "analysis";
  const today = evidence[kind];
  if (today === undefined || today === EMPTY_TREND) return "no_evidence";
  const before = last[kind];
  if (before === today) return "same_evidence";
  return before === undefined && evidence.isOld === true ? "old_evidence" : "new_evidence";
}

/**
 * What is remembered of an environment once the run is over.
 *
 * @param outcome - its `decision` is null when the run ended before there was one
 */
export function environmentAfterRun(
  memory: Memory = {},
  { decision, complete, evidence }: { decision: Decision | null; complete: boolean; evidence: Evidence },
  nowSeconds: number,
): Memory {
  const { readAt, readAllAt, due } = memory;
  const read = complete && (decision === "read" || decision === "read_all");
  // An unfinished run counts, too: `checkpoint` marks the streams that it did not read with `wholeHistory`.
  const readAll = decision === "read_all" || (readAllAt === undefined && decision === "read");
  return {
    ...time("readAt", read ? nowSeconds : readAt),
    ...time("readAllAt", readAll ? nowSeconds : readAllAt),
    // Once everything was to be read, each stream remembers what it still owes.
    ...(complete ? comparable(evidence) : { due: decision === "read_all" ? "left" : (due ?? "left") }),
  };
}

function time(name: "readAt" | "readAllAt", seconds: number | undefined): Memory {
  return seconds === undefined ? {} : { [name]: seconds };
}

/** What the next run's evidence is compared with. */
function comparable({ analysis, trend }: Evidence): Memory {
  if (analysis === undefined && trend === undefined) return {};
  return {
    evidence: { ...(analysis === undefined ? {} : { analysis }), ...(trend === undefined ? {} : { trend }) },
  };
}

/** What one small request says about a stream's window. */
export interface Probe {
  count: number | null;
  /** Identity of the finding with the greatest id. */
  newestId: string | null;
}

/** Why a stream has to be read although its environment is only probed; null when a probe may replace a read. */
export function reasonToReadStream(memory: StreamMemory | undefined): StreamReason | null {
  if (memory === undefined) return "new";
  if (memory.unfinished !== undefined) return "backlog";
  if (memory.wholeHistory === true) return "whole_history";
  return cursorOf(memory) === null ? "new" : null;
}

/**
 * Whether a stream's window holds just what was delivered: as many findings, the one with the greatest id among them.
 * Numbers are given in ascending order, so an added finding shows even when another one was deleted; other ids have no
 * order that would show it. A window that also holds deleted findings is always read: they may come back.
 */
export function isUnchanged(memory: StreamMemory, { count, newestId }: Probe): boolean {
  if (reasonToReadStream(memory) !== null || count === null || count !== rememberedInWindow(memory)) return false;
  return newestId === null ? count === 0 : isWholeNumber(newestId) && holdsId(memory.ids ?? {}, Number(newestId));
}

function isRecent(at: number | undefined, forSeconds: number, nowSeconds: number): boolean {
  return at !== undefined && at <= nowSeconds && nowSeconds - at < forSeconds;
}
