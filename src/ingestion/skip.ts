import { isWholeNumber } from "../service/resources/finding-identity.ts";
import { holdsId } from "./state/delivered-ids.ts";
import type { EnvironmentMemory, ReadEvidence, StreamMemory } from "./state/state.ts";
import { cursorOf, rememberedInWindow } from "./state/stream-memory.ts";

/**
 * What to do with an environment: `skip` sends no request, `probe` asks each stream for one record and a count, `read`
 * reads every window, `read_all` also looks for findings without a usable time, which no window contains.
 */
export type Decision = "skip" | "probe" | "read" | "read_all";

/** All evidence other than reading is inference, so everything is read at least this often. */
const READ_EVERY_SECONDS = 3600;
const READ_ALL_EVERY_SECONDS = 24 * 3600;

/** What is known in this run. Ignore an absent field. */
export interface Evidence extends ReadEvidence {
  /** An analysis is running: findings may change at any moment. */
  readonly isRunning?: true;
  /** It is older than the last run, which already read what it reports. */
  readonly isOld?: true;
}

type Memory = Pick<EnvironmentMemory, "readAt" | "readAllAt" | "complete">;

/** What is remembered of an empty sparkline. It proves nothing by itself, but a later one that is not empty shows a change. */
export const EMPTY_TREND = "";

/**
 * Whether evidence is worth asking for: only if it can lead to a skip, in this run or in the next.
 *
 * @param isShort - the run may end before it has read everything: then only a skip in this run is worth a request
 */
export function wantsEvidence(memory: Memory | undefined, isShort: boolean, nowSeconds: number): boolean {
  return isShort ? canSkip(memory, nowSeconds) : memory?.readAt !== undefined;
}

/** Whether the evidence may decide: nothing was left unread, and everything was read recently. */
function canSkip(memory: Memory | undefined, nowSeconds: number): boolean {
  return memory?.complete !== undefined && isRecent(memory.readAt, READ_EVERY_SECONDS, nowSeconds);
}

/**
 * What to do with an environment.
 *
 * @param evidence - requested before anything else in this run; an absent field is ignored
 */
export function decide(memory: Memory | undefined, evidence: Evidence, nowSeconds: number): Decision {
  // The first read of a stream has no window: it finds everything.
  if (memory === undefined) return "read";
  // Without a time, a run that was killed may have read streams any time ago.
  const read = isRecent(memory.readAllAt, READ_ALL_EVERY_SECONDS, nowSeconds) ? "read" : "read_all";
  if (!canSkip(memory, nowSeconds) || evidence.isRunning === true) return read;
  const kind = evidence.analysis === undefined ? "trend" : "analysis";
  const before = memory.complete?.[kind];
  const today = evidence[kind];
  // Without evidence, send one small request per stream.
  if (today === undefined || today === EMPTY_TREND) return "probe";
  if (before === today) return "skip";
  // There was none to compare with, but what it reports was there to be read.
  if (before === undefined && evidence.isOld === true) return "probe";
  return read;
}

/**
 * What is remembered of an environment once the run is over.
 *
 * @param outcome - its `decision` is null when the run ended before there was one
 */
export function after(
  memory: Memory = {},
  { decision, complete, evidence }: { decision: Decision | null; complete: boolean; evidence: Evidence },
  nowSeconds: number,
): Memory {
  const { readAt, readAllAt } = memory;
  const read = complete && (decision === "read" || decision === "read_all");
  // What a run left of that is marked in the streams' own memory.
  const readAll = decision === "read_all" || (readAllAt === undefined && decision === "read");
  return {
    ...time("readAt", read ? nowSeconds : readAt),
    ...time("readAllAt", readAll ? nowSeconds : readAllAt),
    // Without this field the next run reads what failed or was left, whatever its evidence.
    ...(complete ? { complete: comparable(evidence) } : {}),
  };
}

function time(name: keyof Memory, seconds: number | undefined): Memory {
  return seconds === undefined ? {} : { [name]: seconds };
}

/** What the next run's evidence is compared with. */
function comparable({ analysis, trend }: Evidence): ReadEvidence {
  return { ...(analysis === undefined ? {} : { analysis }), ...(trend === undefined ? {} : { trend }) };
}

/** What one small request says about a stream's window. */
export interface Probe {
  count: number | null;
  /** Identity of the finding with the greatest id. */
  newestId: string | null;
}

/**
 * Whether a stream's window holds just what was delivered: as many findings, the one with the greatest id among them.
 * Numbers are given in ascending order, so an added finding shows even when another one was deleted; other ids have no
 * order that would show it. A window that also holds deleted findings is always read: they may come back.
 */
export function isUnchanged(memory: StreamMemory, { count, newestId }: Probe): boolean {
  if (!canProbe(memory) || count === null || count !== rememberedInWindow(memory)) return false;
  return newestId === null ? count === 0 : isWholeNumber(newestId) && holdsId(memory.ids ?? {}, Number(newestId));
}

/** Whether a probe can replace a read: only for a stream that was read to its end and was not gone since. */
export function canProbe(memory: StreamMemory | undefined): boolean {
  if (memory === undefined || memory.unfinished !== undefined || memory.returned === true) return false;
  return cursorOf(memory) !== null;
}

function isRecent(at: number | undefined, forSeconds: number, nowSeconds: number): boolean {
  return at !== undefined && at <= nowSeconds && nowSeconds - at < forSeconds;
}
