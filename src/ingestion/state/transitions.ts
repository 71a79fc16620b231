import { DAY_HOURS, hourOf, latestCursor, type PollTime } from "../time.ts";
import { type DeliveredIds, type Listing, nextBatch, type Reused, storedBatch } from "./delivered-ids.ts";
import { fitIds, type MemoryCut } from "./fit-ids.ts";
import type { Hour, IdEntry, Key } from "./id-text.ts";
import { checksOf } from "./memory-table.ts";
import type { StreamMemory, UnfinishedRead } from "./state.ts";
import {
  cursorOf,
  forgottenBefore,
  forgottenUpTo,
  NOTHING_READ,
  REMEMBERED_HOURS,
  WINDOW_HOURS,
  windowStart,
  withoutDerivable,
} from "./stream-memory.ts";

/** How long findings are remembered while their finding type is not listed. Later they are delivered again. */
const FORGOTTEN_AFTER_HOURS = 2 * DAY_HOURS;

/** A stream's memory while it is read. */
export type ReadMemory = StreamMemory & { readonly unfinished: UnfinishedRead };

/** What is to be remembered at one point of a read. */
export interface MemoryPoint {
  readonly memory: StreamMemory;
  /** Why memory had to be cut, when it had to be. */
  readonly memoryCut: MemoryCut | null;
  /** Known ids stand for other findings than before, and everything is to be read once more to deliver those. */
  readonly idsReused: boolean;
}

/** Characters that a stream's memory may take in the state. */
export interface Room {
  readonly ids: number;
  /** For checks that tell each finding. */
  readonly checks: number;
}

/** Findings that are stored with one alert. */
export interface TakenBatch {
  readonly added: readonly (IdEntry & { readonly hour: Hour })[];
  /** How many findings of the window are done, and the last of them. */
  readonly place: Pick<UnfinishedRead, "skip" | "after" | "order">;
  /** In this hour or later, findings are still to come. */
  readonly current: number;
  /** Some of what lies before the place could not be read, or not in its order. */
  readonly isDoubted: boolean;
}

/** What a pass over a list has shown at its end. */
export interface EndedPass {
  readonly added: TakenBatch["added"];
  /** Everything that was delivered, in this run or before. */
  readonly delivered: DeliveredIds;
  /** Null when the pass did not begin at the start of the list. */
  readonly listing: Listing | null;
  readonly isDoubted: boolean;
  /** It listed findings from before what is remembered: they count as delivered. */
  readonly hasPassedOver: boolean;
}

/**
 * A read begins, or goes on where an earlier run stopped.
 *
 * @param all - covers the whole history, also what has no usable time and stands in no window
 */
export function begun(memory: StreamMemory, { all, time }: { all: boolean; time: PollTime }): ReadMemory {
  const { unfinished, goneSince, goneUntil, unselectedSince, ...rest } = memory;
  const isWhole = all || memory.wholeHistory === true;
  if (unfinished === undefined || unfinished.skip === 0) {
    const from = isWhole ? null : windowStart(memory);
    const mark = second(unfinished?.isSecond);
    return atStart({ ...rest, unfinished: { ...windowFrom(from), ...mark, skip: 0, after: "" } }, time);
  }
  return marked({ ...rest, unfinished: { ...unfinished, again: unfinished.again ?? 0 } }, isWhole);
}

/** The list begins, perhaps once more: an earlier pass over it counts no longer. */
export function atStart(memory: ReadMemory, time: PollTime): ReadMemory {
  const { order, ...window } = memory.unfinished;
  const { from } = window;
  const again = Math.max(0, hourOf(time.earliestNew) - WINDOW_HOURS);
  const unfinished = { ...window, skip: 0, after: "", again };
  // When this pass is cut, the rest of it cannot be compared with what was delivered before.
  const isComparable = from === undefined && memory.ids !== undefined && unfinished.isSecond !== true;
  return marked({ ...memory, unfinished }, from === undefined ? isComparable : memory.wholeHistory === true);
}

/** A batch is stored, and the read is to go on, perhaps in a later run. */
export function took(memory: ReadMemory, batch: TakenBatch, room: Room): MemoryPoint & { memory: ReadMemory } {
  const { emptied, ...rest } = memory;
  const { order, ...window } = memory.unfinished;
  const unfinished = { ...window, ...batch.place, ...(batch.isDoubted ? { again: 0 } : {}) };
  const ids = withBatch(memory, batch.added, room);
  const taken = { ...rest, ids, cursor: cursorOf(memory) ?? NOTHING_READ, unfinished };
  const { memory: fitted, memoryCut } = fit(taken, { room, current: batch.current });
  return { memory: { ...fitted, unfinished }, memoryCut, idsReused: false };
}

/** The window is read to its end. It, or another one, may have to be read after it: then memory has an unfinished read. */
export function finished(memory: ReadMemory, pass: EndedPass, time: PollTime, room: Room): MemoryPoint {
  const { unfinished: window, wholeHistory, emptied, ...rest } = memory;
  const trusted = hourOf(time.trusted);
  const { reused, isOpen } = reusedIn(memory, pass);
  const idsReused = reused.size > 0;
  const cursor = idsReused ? (cursorOf(memory) ?? NOTHING_READ) : cursorAfter(memory, pass, trusted);
  // What stood before the window, and before a place where an earlier run stopped, may have other ids, too.
  const next: Pick<UnfinishedRead, "from" | "isSecond"> | null = idsReused
    ? second(window.isSecond)
    : nextWindow(memory, pass, isOpen);
  const end =
    pass.listing === null || isOpen
      ? { ids: withBatch(memory, pass.added, room), ...(emptied === undefined ? {} : { emptied }) }
      : restated(memory, { ...pass, listing: pass.listing, reused, cursor, time, room });
  const current = Math.min(trusted, next === null ? Infinity : (next.from ?? -Infinity));
  const whole = { ...rest, ...end, cursor, ...(next === null ? {} : { unfinished: { ...next, skip: 0, after: "" } }) };
  const { memory: fitted, memoryCut } = fit(whole, { room, current });
  const isOwed = wholeHistory === true && !isWholePass(memory, pass);
  return { memory: marked(fitted, isOwed), memoryCut: memoryCut ?? earlierCut(fitted, pass, time), idsReused };
}

/** An earlier run had no room: findings that become visible late may be among those that this one passed over, or its window begins late. */
function earlierCut(memory: StreamMemory, { hasPassedOver }: EndedPass, time: PollTime): MemoryCut | null {
  const isWindowShort = forgottenBefore(memory) > hourOf(time.service) - WINDOW_HOURS;
  return hasPassedOver || isWindowShort ? "window" : null;
}

/**
 * The identities that stand for other findings now. A window seldom lists all findings of a check, so a later date leaves it open:
 * the whole list shows whether the same finding has only got another date.
 */
function reusedIn({ unfinished }: ReadMemory, { delivered, listing }: EndedPass) {
  const found = listing === null ? NOTHING_REUSED : delivered.reused(listing);
  // Once only: a list that is read over several runs cannot be compared.
  const isOpen =
    found.keys.size > 0 && !found.isProven && unfinished.from !== undefined && unfinished.isSecond !== true;
  return { reused: isOpen ? NOTHING_REUSED.keys : found.keys, isOpen };
}

/** For a read of the window although the whole history is to be read. */
export function windowOnly({ unfinished, wholeHistory, ...rest }: StreamMemory): StreamMemory {
  return rest;
}

/**
 * The window was read while a read of the whole history waits to go on.
 *
 * @param whole - what is remembered of that read
 */
export function afterWindowOnly({ memory, idsReused }: MemoryPoint, whole: StreamMemory): StreamMemory {
  const { unfinished } = whole;
  const isOwed = unfinished === undefined || whole.wholeHistory === true || idsReused;
  return marked({ ...windowOnly(memory), ...(unfinished === undefined ? {} : { unfinished }) }, isOwed);
}

/** The environment does not offer the finding type any more. */
export function gone(memory: StreamMemory, hour: number): StreamMemory {
  const { unselectedSince, goneUntil, goneSince = hour, ...rest } = memory;
  return { ...rest, goneSince, ...(hour > goneSince && { goneUntil: hour }) };
}

/** The finding type is listed. If runs more than two days apart did not list it, its findings are delivered again. */
export function offered(memory: StreamMemory): StreamMemory {
  const { goneSince, goneUntil = goneSince ?? 0, unselectedSince, ...rest } = memory;
  if (goneSince === undefined) return unselectedSince === undefined ? memory : rest;
  if (goneUntil - goneSince <= FORGOTTEN_AFTER_HOURS) return owing(rest);
  return { forgotAt: laterThan(memory.forgotAt, forgottenUpTo(memory, goneSince)) };
}

/** The finding type is listed and not selected: anything may happen in it until it is read again. */
export function unselected(memory: StreamMemory, hour: number): StreamMemory {
  const { unselectedSince = hour } = memory;
  return owing({ ...offered(memory), unselectedSince });
}

/** The next read has to cover the whole history, because this run did not read the stream. */
export function owing(memory: StreamMemory): StreamMemory {
  return { ...memory, wholeHistory: true };
}

/**
 * The service's clock may have been set back: the cursor moves back far enough for the window to reach every new finding.
 * Whatever is still remembered is not repeated.
 */
export function clockMoved(memory: StreamMemory, time: PollTime): StreamMemory {
  const cursor = cursorOf(memory);
  const latest = latestCursor(time);
  if (cursor === null || cursor <= latest) return memory;
  const { forgottenBefore: forgotten, unfinished } = memory;
  return {
    ...memory,
    cursor: latest,
    ...(forgotten === undefined ? {} : { forgottenBefore: Math.max(0, Math.min(forgotten, hourOf(time.earliestNew))) }),
    // The place refers to the old window.
    ...(unfinished === undefined ? {} : { unfinished: movedTo(unfinished, latest - WINDOW_HOURS) }),
  };
}

/** Whether findings may come again because the service's clock was set back further than memory reaches. */
export function repeatsAfterClockChange(before: StreamMemory, after: StreamMemory): boolean {
  return after !== before && forgottenBefore(after) < forgottenBefore(before);
}

function movedTo({ from }: UnfinishedRead, earliest: number): UnfinishedRead {
  return { ...windowFrom(from === undefined ? null : Math.max(0, Math.min(from, earliest))), skip: 0, after: "" };
}

const NOTHING_REUSED: Reused = { keys: new Set(), isProven: false };

function windowFrom(from: number | null | undefined): Pick<UnfinishedRead, "from"> {
  return from == null ? {} : { from };
}

function second(isSecond: boolean | undefined): Pick<UnfinishedRead, "isSecond"> {
  return isSecond === true ? { isSecond } : {};
}

/** @param isOwed - the whole history is still to be read */
function marked<T extends StreamMemory>(
  { wholeHistory, ...rest }: T,
  isOwed: boolean,
): Omit<T, "wholeHistory"> & Pick<T, "wholeHistory"> {
  return isOwed ? { ...rest, wholeHistory: true } : rest;
}

/** Whether the pass has listed the whole history from its start. */
function isWholePass({ unfinished }: ReadMemory, { listing }: EndedPass): boolean {
  return unfinished.from === undefined && listing !== null;
}

/**
 * The window that is to be read once this one is at its end.
 *
 * @param isOpen - only the whole list tells whether identities stand for other findings
 */
function nextWindow(
  memory: ReadMemory,
  pass: EndedPass,
  isOpen: boolean,
): Pick<UnfinishedRead, "from" | "isSecond"> | null {
  const { from, again = 0 } = memory.unfinished;
  if (isOpen) return second(true);
  if (memory.wholeHistory === true && !isWholePass(memory, pass)) return second(from === undefined);
  if (pass.listing !== null) return null;
  const next = Math.max(from ?? 0, pass.isDoubted ? 0 : again);
  return { ...windowFrom(next === 0 ? null : next), ...second(memory.unfinished.isSecond) };
}

function cursorAfter(memory: StreamMemory, { listing, delivered }: EndedPass, trusted: number): number {
  let cursor = cursorOf(memory) ?? NOTHING_READ;
  for (const hour of listing === null ? delivered.hours() : listing.hours())
    if (hour !== null && hour <= trusted && hour > cursor) cursor = hour;
  return cursor;
}

/** What earlier batches hold takes up the room for checks, too. */
function withBatch({ ids = {} }: StreamMemory, added: TakenBatch["added"], room: Room): Record<string, string> {
  return { ...ids, ...storedBatch(nextBatch(ids), added, Math.max(0, room.checks - checksOf({ ids }))) };
}

interface Restating {
  readonly delivered: DeliveredIds;
  readonly listing: Listing;
  readonly reused: ReadonlySet<Key>;
  readonly cursor: number;
  readonly time: PollTime;
  readonly room: Room;
}

/**
 * Remembers what the pass has listed. A read of the whole history forgets what it did not list: should it come back, it is
 * delivered again. Newer findings are not forgotten, because a part of the service may not know them yet; and a list that is
 * empty has to be so in two such reads.
 */
function restated(
  { unfinished, emptied, forgotAt }: ReadMemory,
  { delivered, listing, reused, cursor, time, room }: Restating,
): Pick<StreamMemory, "ids" | "emptied" | "forgotAt"> {
  const isWhole = unfinished.from === undefined && reused.size === 0;
  const isEmptied = isWhole && listing.size === 0 && delivered.size > 0;
  const forgets = isWhole && (!isEmptied || emptied === true);
  const { stored, forgottenUpTo } = delivered.restated(listing, {
    keepsUnlisted: (hour, isDeleted) =>
      !forgets || (!isDeleted && !isEmptied && hour !== null && hour >= hourOf(time.service) - WINDOW_HOURS),
    without: reused,
    checkRoom: room.checks,
    oldest: isWhole ? cursor - REMEMBERED_HOURS : -Infinity,
  });
  // A window that lists anything shows that the service has its findings.
  const isStillEmptied = isEmptied ? !forgets : !isWhole && emptied === true && listing.size === 0;
  return {
    ids: stored,
    ...(isStillEmptied ? { emptied: true } : {}),
    // Not taken from a clock, so that a killed run and the one that repeats it give the same alert ids.
    ...(forgottenUpTo === null ? {} : { forgotAt: laterThan(forgotAt, forgottenUpTo) }),
  };
}

/** Always greater than the last value, so that a finding which returns again gets another alert id each time. */
export function laterThan(forgotAt: number | undefined, hour: number): number {
  return Math.max(hour, (forgotAt ?? -1) + 1);
}

/** Cuts memory that has no room. @param current - hour in which findings are still to come */
function fit(
  memory: StreamMemory,
  { room, current }: { room: Room; current: number },
): Pick<MemoryPoint, "memory" | "memoryCut"> {
  const kept = { stored: memory.ids ?? {}, storedFrom: forgottenBefore(memory) };
  const { stored, storedFrom, cut } = fitIds(kept, { room: room.ids, current });
  return { memory: withoutDerivable({ ...memory, ids: stored, forgottenBefore: storedFrom }), memoryCut: cut };
}
