import { findingIdentity } from "../service/resources/finding-identity.ts";
import { isEmpty } from "../service/resources/findings.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { NOT_REQUESTED } from "../service/resources/requested-findings.ts";
import { unreadable } from "../service/resources/response-body.ts";
import { hourOf, hourText, timeOf, type PollTime } from "./time.ts";
import { DeliveredIds, hourOfName, storedBatch, type Hour } from "./state/delivered-ids.ts";
import type { StreamMemory } from "./state/state.ts";
import {
  cursorOf,
  forgottenBefore,
  NOTHING_READ,
  REMEMBERED_HOURS,
  WINDOW_HOURS,
  windowStart,
  withoutDerivable,
} from "./state/stream-memory.ts";

/** A finding that was not delivered before. */
export interface NewFinding {
  readonly finding: Finding;
  /** See `findingIdentity`. */
  readonly id: string;
  /** Epoch milliseconds of its `created_at`; null when it has no usable one. */
  readonly createdAt: number | null;
}

/** `window`: findings that become visible late are found for a shorter time. `ids`: findings may be repeated. */
export type MemoryCut = "window" | "ids";

export interface WindowOptions {
  readonly time: PollTime;
  /** Reads without a window, also for findings that have no usable time and stand in none. */
  readonly wholeHistory: boolean;
  /** How many characters the stream's ids may take in the state. */
  readonly room: () => number;
}

/** Tells new findings from delivered ones while a window is read, and what to remember at each point of it. */
export class WindowRead {
  readonly query: { createdFrom?: string; resume?: { skip: number; after: string } };
  readonly #time: PollTime;
  readonly #room: () => number;
  readonly #from: number | null;
  /** Whether the whole history is to be read, and not only this window. */
  readonly #wholeHistory: boolean;
  readonly #forgotten: number;
  readonly #delivered: DeliveredIds;
  #stored: Record<string, string>;
  /** From which hour on `#stored` holds everything that was delivered. */
  #storedFrom: number;
  #cursor: number | null;
  /** What the current batch adds. */
  #added: { id: string; hour: Hour }[] = [];
  #batches = 0;
  /** How many findings of the window are done, and the last of them. */
  #done: { skip: number; after: string };
  /** Hours of the window's findings; null when this read did not begin at its start. */
  #listed: Set<Hour> | null = null;
  /** See `UnfinishedRead`; null when the window is read in one piece. */
  #again: number | null = null;
  /** What it is for the rest of a window that this run leaves. */
  readonly #changedFrom: number;
  /** The stream was never read to its end: nothing that is remembered stands behind the place where the read goes on. */
  readonly #isFirst: boolean;
  #ascending = true;
  #previous = -Infinity;
  #unreadable = 0;
  #lastTime: { text: string | undefined; time: number | null } = { text: undefined, time: null };

  constructor(memory: StreamMemory, { time, wholeHistory, room }: WindowOptions) {
    this.#time = time;
    this.#room = room;
    this.#from = wholeHistory && (memory.unfinished?.skip ?? 0) === 0 ? null : windowStart(memory);
    this.#forgotten = forgottenBefore(memory);
    this.#delivered = DeliveredIds.parse(memory.ids);
    // Batches of an earlier run are joined, so that this one can number its own from 0.
    this.#stored = this.#delivered.toStored();
    this.#storedFrom = this.#forgotten;
    this.#cursor = cursorOf(memory);
    this.#wholeHistory = wholeHistory;
    const { skip = 0, after = "", again = 0 } = memory.unfinished ?? {};
    this.#done = { skip, after };
    if (skip === 0) this.#listed = new Set();
    else this.#again = again;
    this.#changedFrom = Math.max(0, hourOf(time.earliestNew) - WINDOW_HOURS);
    this.#isFirst = this.#cursor === null;
    this.query = {
      ...(this.#from === null ? {} : { createdFrom: hourText(this.#from) }),
      ...(skip === 0 ? {} : { resume: this.#done }),
    };
  }

  /** How many findings of the window are done. */
  get position(): number {
    return this.#done.skip;
  }

  /** @throws ProtocolError when entries of the list were not findings: they may be readable next time */
  refuseUnreadable(): void {
    if (this.#unreadable > 0) throw unreadable(this.#unreadable, NOT_REQUESTED);
  }

  /** The list begins, perhaps once more: an earlier pass over it counts no longer. */
  begin(): void {
    this.#done = { skip: 0, after: "" };
    this.#previous = -Infinity;
    this.#unreadable = 0;
    this.#listed = new Set();
    this.#again = null;
  }

  /** Some of the window could not be read, or not in its place. */
  doubt(): void {
    this.#again = 0;
  }

  /** Nothing can be read behind the place: the next run begins at the start of the window. */
  giveUpPlace(): void {
    this.#done = { skip: 0, after: "" };
  }

  /** The service did not accept an order: older findings may follow. */
  doubtOrder(): void {
    this.#ascending = false;
  }

  /** The finding when it is to be delivered, else null. */
  take(finding: Finding, position: number): NewFinding | null {
    if (isEmpty(finding)) this.#unreadable += 1;
    const id = findingIdentity(finding);
    const createdAt = this.#timeOf(finding.created_at);
    const hour = createdAt === null ? null : hourOf(createdAt);
    this.#advance(id, createdAt, position);
    this.#listed?.add(hour);
    const isDeleted = finding.deleted_at != null;
    const isKnown = this.#delivered.has(id);
    // The order may have changed, and another finding stands before the place instead.
    if (this.#isFirst && this.#listed === null && (isKnown || isDeleted)) this.doubt();
    // Deleted findings are not remembered either: one that comes back is new.
    if (isDeleted || isEmpty(finding)) return null;
    if (isKnown) {
      // An analysis may date it anew: it must be remembered for as long as it is listed.
      if (this.#delivered.add(id, hour)) this.#added.push({ id, hour });
      return null;
    }
    // A service that ignores the filter also lists what was delivered long ago.
    if (hour !== null && hour < this.#forgotten) return null;
    this.#delivered.add(id, hour);
    this.#added.push({ id, hour });
    return { finding, id, createdAt };
  }

  /** Findings of one analysis share their time. */
  #timeOf(text: string | undefined): number | null {
    if (text !== this.#lastTime.text) this.#lastTime = { text, time: timeOf(text) };
    return this.#lastTime.time;
  }

  /** Memory once everything taken so far is stored and the read is to go on in a later run. */
  unfinished(): { memory: StreamMemory; memoryCut: MemoryCut | null } {
    Object.assign(this.#stored, storedBatch(this.#batches++, this.#added));
    this.#added = [];
    // What comes next in an ordered list is not older than the last finding taken, which may be dated in the future.
    const latest = Math.min(this.#previous, this.#time.trusted);
    const memoryCut = this.#fit(this.#ascending ? hourOf(latest) : -Infinity);
    const memory = storable({
      ids: { ...this.#stored },
      cursor: this.#cursor ?? NOTHING_READ,
      forgottenBefore: this.#storedFrom,
      unfinished: {
        ...(this.#from === null ? {} : { from: this.#from }),
        ...this.#done,
        again: this.#unreadable > 0 ? 0 : (this.#again ?? this.#changedFrom),
      },
      // Findings without a time are still to be looked for.
      ...(this.#leavesUndated ? { returned: true } : {}),
    });
    return { memory, memoryCut };
  }

  /** Memory once everything taken is stored and the window is read to its end; it may have to be read again. */
  finished(): { memory: StreamMemory; memoryCut: MemoryCut | null } {
    const trusted = hourOf(this.#time.trusted);
    let cursor = this.#cursor ?? NOTHING_READ;
    for (const hour of this.#listed ?? this.#delivered.hours()) {
      if (hour !== null && hour <= trusted && hour > cursor) cursor = hour;
    }
    const next = this.#nextWindow();
    const needed = next === null ? Infinity : (next.from ?? -Infinity);
    this.#storedFrom =
      cursor === NOTHING_READ
        ? this.#forgotten
        : Math.max(this.#forgotten, Math.min(cursor - REMEMBERED_HOURS, needed));
    this.#stored = this.#delivered.toStored(this.#storedFrom);
    const memoryCut = this.#fit(Math.min(trusted, needed));
    const memory = { ids: this.#stored, cursor, forgottenBefore: this.#storedFrom };
    const unfinished = next === null ? {} : { unfinished: { ...next, skip: 0, after: "" } };
    return { memory: storable({ ...memory, ...unfinished }), memoryCut };
  }

  /** Findings without a time stand in no window, and perhaps before the place where this read went on. */
  get #leavesUndated(): boolean {
    return this.#wholeHistory && (this.#from !== null || this.#listed === null);
  }

  /** The window that is to be read once this one is at its end. */
  #nextWindow(): { from?: number } | null {
    if (this.#leavesUndated) return {};
    if (this.#again === null) return null;
    const from = Math.max(this.#from ?? 0, this.#again);
    return from === 0 ? {} : { from };
  }

  #advance(id: string, createdAt: number | null, position: number): void {
    this.#done = { skip: position + 1, after: id };
    if (createdAt === null || createdAt < this.#previous) this.#ascending = false;
    else this.#previous = createdAt;
  }

  /**
   * Forgets the oldest hours when the ids no longer fit into the state. The window then starts later, so that nothing
   * is repeated.
   *
   * @param current - hour in which findings are still to come: the window cannot start later than that
   */
  #fit(current: number): MemoryCut | null {
    let size = sizeOf(this.#stored);
    const room = this.#room();
    if (size <= room) return null;
    let cut: MemoryCut = "window";
    const oldestFirst = Object.keys(this.#stored).sort((a, b) => (hourOfName(a) ?? 0) - (hourOfName(b) ?? 0));
    const dropped = new Set<string>();
    for (const name of oldestFirst) {
      if (size <= room) break;
      const hour = hourOfName(name);
      size -= sizeOf({ [name]: this.#stored[name] ?? "" });
      dropped.add(name);
      if (hour === null || hour >= current) cut = "ids";
      else this.#storedFrom = Math.max(this.#storedFrom, hour + 1);
    }
    this.#stored = Object.fromEntries(Object.entries(this.#stored).filter(([name]) => !dropped.has(name)));
    return cut;
  }
}

/** Characters that ids take in the state. */
function sizeOf(stored: Readonly<Record<string, string>>): number {
  return Object.entries(stored).reduce((size, [name, text]) => size + name.length + text.length + 6, 0);
}

function storable(memory: StreamMemory): StreamMemory {
  return withoutDerivable({ ...memory, forgottenBefore: Math.max(0, memory.forgottenBefore ?? 0) });
}
