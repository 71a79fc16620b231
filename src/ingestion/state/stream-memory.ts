import { DAY_HOURS } from "../time.ts";
import { countIds, hourOfName } from "./delivered-ids.ts";
import type { StreamMemory } from "./state.ts";

/** How far before the cursor a window starts: findings can become visible a day after they were created. */
export const WINDOW_HOURS = DAY_HOURS;
/** How far before the cursor identities are remembered by the hour: one day more, for a service's clock that is set back. */
export const REMEMBERED_HOURS = WINDOW_HOURS + DAY_HOURS;

/** The cursor of a stream that has not been read to its end yet. */
export const NOTHING_READ = 0;

/** Hour of the newest finding read; null before the first. */
export function cursorOf(memory: StreamMemory): number | null {
  if (memory.cursor !== undefined) return memory.cursor === NOTHING_READ ? null : memory.cursor;
  return newestHour(memory);
}

/** Hour of the newest finding that is remembered, which may be dated in the future; null without any. */
function newestHour({ ids = {} }: StreamMemory): number | null {
  let newest: number | null = null;
  for (const name of Object.keys(ids)) {
    const hour = hourOfName(name);
    if (hour !== null && (newest === null || hour > newest)) newest = hour;
  }
  return newest;
}

/**
 * Up to which hour findings may have been forgotten that were gone since an hour of the host's clock. The service's may be ahead, and so
 * may dates: a day of that counts, for the sake of new findings, which are taken for ones that return until then.
 */
export function forgottenUpTo(memory: StreamMemory, goneSince: number): number {
  return Math.max(goneSince, Math.min(newestHour(memory) ?? 0, goneSince + DAY_HOURS));
}

/** Since when its finding type is not listed or not selected, in hours; undefined while it is read. */
export function unreadSince({ goneSince, unselectedSince }: StreamMemory): number | undefined {
  return goneSince ?? unselectedSince;
}

/** Findings created before this hour count as delivered; minus infinity when nothing was cut. */
export function forgottenBefore(memory: StreamMemory): number {
  return memory.forgottenBefore ?? -Infinity;
}

/** First hour of the window that the next read covers; null for the whole history. */
export function windowStart(memory: StreamMemory): number | null {
  if (memory.unfinished !== undefined) return memory.unfinished.from ?? null;
  const cursor = cursorOf(memory);
  return cursor === null ? null : Math.max(0, cursor - WINDOW_HOURS, forgottenBefore(memory));
}

/** How many delivered findings of the window are remembered. */
export function rememberedInWindow(memory: StreamMemory): number {
  return countIds(memory.ids ?? {}, windowStart(memory) ?? -Infinity);
}

/**
 * The same memory without what follows from the rest, so that a state of a thousand streams stays small.
 *
 * @param memory - with every field given
 */
export function withoutDerivable({ ids = {}, cursor, forgottenBefore: cut = 0, ...rest }: StreamMemory): StreamMemory {
  const short: StreamMemory = { ...rest, ...(Object.keys(ids).length === 0 ? {} : { ids }) };
  const derived = cursorOf(short) ?? NOTHING_READ;
  return {
    ...short,
    ...(cursor === undefined || cursor === derived ? {} : { cursor }),
    ...(cut > 0 ? { forgottenBefore: cut } : {}),
  };
}
