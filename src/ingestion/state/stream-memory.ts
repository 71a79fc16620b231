import { DAY_HOURS, hourOf, latestCursor, type PollTime } from "../time.ts";
import { countIds, hourOfName } from "./delivered-ids.ts";
import type { StreamMemory, UnfinishedRead } from "./state.ts";

/** How far before the cursor a window starts: findings can become visible a day after they were created. */
export const WINDOW_HOURS = DAY_HOURS;
/** How far before the cursor identities are remembered by the hour: one day more, for a service's clock that is set back. */
export const REMEMBERED_HOURS = WINDOW_HOURS + DAY_HOURS;

/** The cursor of a stream that has not been read to its end yet. */
export const NOTHING_READ = 0;

/** Hour of the newest finding read; null before the first. */
export function cursorOf(memory: StreamMemory): number | null {
  if (memory.cursor !== undefined) return memory.cursor === NOTHING_READ ? null : memory.cursor;
  let newest: number | null = null;
  for (const name of Object.keys(memory.ids ?? {})) {
    const hour = hourOfName(name);
    if (hour !== null && (newest === null || hour > newest)) newest = hour;
  }
  return newest;
}

/** Findings created before this hour count as delivered; minus infinity when nothing was cut. */
export function forgottenBefore(memory: StreamMemory): number {
  return memory.forgottenBefore ?? -Infinity;
}

/** First hour of the window that the next read covers; null for the whole history. */
export function windowStart(memory: StreamMemory): number | null {
  if (memory.unfinished !== undefined) return memory.unfinished.from ?? null;
  const cursor = cursorOf(memory);
  return cursor === null ? null : Math.max(cursor - WINDOW_HOURS, forgottenBefore(memory));
}

/** How many delivered findings of the window are remembered. */
export function rememberedInWindow(memory: StreamMemory): number {
  return countIds(memory.ids ?? {}, windowStart(memory) ?? -Infinity);
}

/**
 * The memory to read with when the service's clock may have been set back: the cursor moves back far enough for the
 * window to reach every new finding. Whatever is still remembered is not repeated.
 */
export function afterClockChange(memory: StreamMemory, time: PollTime): StreamMemory {
  const cursor = cursorOf(memory);
  const latest = latestCursor(time);
  if (cursor === null || cursor <= latest) return memory;
  const moved = { ...memory, cursor: latest };
  if (memory.forgottenBefore !== undefined)
    moved.forgottenBefore = Math.max(0, Math.min(memory.forgottenBefore, hourOf(time.earliestNew)));
  // The place refers to the old window.
  if (memory.unfinished !== undefined) moved.unfinished = begunAgain(memory.unfinished, latest - WINDOW_HOURS);
  return moved;
}

function begunAgain({ from }: UnfinishedRead, earliest: number): UnfinishedRead {
  return { ...(from === undefined ? {} : { from: Math.max(0, Math.min(from, earliest)) }), skip: 0, after: "" };
}

/** Whether findings may come again because the service's clock was set back further than memory reaches. */
export function repeatsAfterClockChange(before: StreamMemory, after: StreamMemory): boolean {
  return after !== before && forgottenBefore(after) < forgottenBefore(before);
}

/**
 * The same memory without what follows from the rest, so that a state of a thousand streams stays small.
 *
 * @param memory - with every field given
 */
export function withoutDerivable(memory: StreamMemory): StreamMemory {
  const short: StreamMemory = { ...memory };
  const { cursor, forgottenBefore: cut = 0 } = memory;
  delete short.cursor;
  if (cursor !== undefined && (cursorOf(short) ?? NOTHING_READ) !== cursor) short.cursor = cursor;
  delete short.forgottenBefore;
  if (cut > 0) short.forgottenBefore = cut;
  if (Object.keys(short.ids ?? {}).length === 0) delete short.ids;
  return short;
}
