import { findingIdentity, principalsOf } from "../service/resources/finding-identity.ts";
import { isEmpty } from "../service/resources/findings.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { NOT_REQUESTED } from "../service/resources/requested-findings.ts";
import { unreadable } from "../service/resources/response-body.ts";
import { type NewFinding, occurrenceOf } from "./new-finding.ts";
import { hourOf, hourText, timeOf, type PollTime } from "./time.ts";
import { DeliveredIds, Listing, nextBatch, storedBatch } from "./state/delivered-ids.ts";
import { checkOf, type Hour, type IdEntry, type Key, keyOf } from "./state/id-text.ts";
import { fitIds, type MemoryCut } from "./state/fit-ids.ts";
import { checksOf } from "./state/memory-table.ts";
import type { StreamMemory, UnfinishedRead } from "./state/state.ts";
import {
  cursorOf,
  forgottenBefore,
  NOTHING_READ,
  REMEMBERED_HOURS,
  WINDOW_HOURS,
  windowStart,
  withoutDerivable,
} from "./state/stream-memory.ts";

/** What is to be remembered at one point of a read. */
export interface MemoryPoint {
  readonly memory: StreamMemory;
  /** Why memory had to be cut, when it had to be. */
  readonly memoryCut: MemoryCut | null;
  /** Known ids stand for other findings than before, and the window is to be read once more to deliver those. */
  readonly idsReused: boolean;
}

export interface WindowOptions {
  readonly time: PollTime;
  /** Reads without a window, also for findings that have no usable time and stand in none. */
  readonly wholeHistory: boolean;
  /** How many characters the stream's ids may take in the state. */
  readonly room: () => number;
  /** How many characters the checks of its ids may take. */
  readonly checkRoom: () => number;
  /** Whether this run reads the window again because known ids stand for other findings. */
  readonly isRepeat?: boolean;
}

/** Tells new findings from delivered ones while a window is read, and what to remember at each point of it. */
export class WindowRead {
  readonly query: { createdFrom?: string; resume?: { skip: number; after: string } };
  readonly #time: PollTime;
  readonly #room: () => number;
  readonly #checkRoom: () => number;
  readonly #from: number | null;
  /** Whether the whole history is to be read, and not only this window. */
  readonly #wholeHistory: boolean;
  readonly #forgotten: number;
  readonly #memory: StreamMemory;
  readonly #isRepeat: boolean;
  readonly #delivered: DeliveredIds;
  #stored: Record<string, string>;
  /** From which hour on `#stored` holds everything that was delivered. */
  #storedFrom: number;
  #cursor: number | null;
  /** What the current batch adds. */
  #added: (IdEntry & { hour: Hour })[] = [];
  #batches: number;
  /** How many findings of the window are done, and the last of them. */
  #done: { skip: number; after: string };
  /** The window's findings; null when this read did not begin at its start. */
  #listed: Listing | null = null;
  /** See `UnfinishedRead`; null when the window is read in one piece. */
  #again: number | null = null;
  /** What it is for the rest of a window that this run leaves. */
  readonly #changedFrom: number;
  /** The stream was never read to its end: nothing that is remembered stands behind the place where the read goes on. */
  readonly #isFirst: boolean;
  #ascending = true;
  #previous = -Infinity;
  #unreadable = 0;
  #present = 0;
  #lastTime: { text: string | undefined; time: number | null } = { text: undefined, time: null };

  constructor(memory: StreamMemory, { time, wholeHistory, room, checkRoom, isRepeat = false }: WindowOptions) {
    this.#memory = memory;
    this.#isRepeat = isRepeat;
    this.#time = time;
    this.#room = room;
    this.#checkRoom = checkRoom;
    this.#from = wholeHistory && (memory.unfinished?.skip ?? 0) === 0 ? null : windowStart(memory);
    this.#forgotten = forgottenBefore(memory);
    this.#delivered = new DeliveredIds(memory.ids);
    this.#stored = { ...memory.ids };
    this.#batches = nextBatch(this.#stored);
    this.#storedFrom = this.#forgotten;
    this.#cursor = cursorOf(memory);
    this.#wholeHistory = wholeHistory;
    const { skip = 0, after = "", again = 0 } = memory.unfinished ?? {};
    this.#done = { skip, after };
    if (skip === 0) this.#listed = new Listing();
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

  /** Whether a finding was listed that is not deleted. */
  get hasFindings(): boolean {
    return this.#present > 0;
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
    this.#listed = new Listing();
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
    const id = findingIdentity(finding);
    const createdAt = this.#timeOf(finding.created_at);
    this.#advance(id, createdAt, position);
    if (isEmpty(finding)) {
      this.#unreadable += 1;
      return null;
    }
    const principals = principalsOf(finding);
    const key = keyOf(id, principals);
    const hour = createdAt === null ? null : hourOf(createdAt);
    const check = checkOf(principals);
    const isDeleted = finding.deleted_at != null;
    const isKnown = this.#delivered.has(key);
    this.#present += Number(!isDeleted);
    // The order may have changed, and another finding stands before the place instead.
    if (this.#isFirst && this.#listed === null && (isKnown || isDeleted)) this.doubt();
    this.#listed?.add(key, { hour, check, isDeleted });
    // Deleted findings are not remembered either: one that comes back is new.
    if (isDeleted || isKnown) return null;
    // A service that ignores the filter also lists what was delivered long ago.
    if (hour !== null && hour < this.#forgotten) return null;
    this.#delivered.add(key, hour);
    this.#added.push({ key, hour, check });
    const forgotAt = this.#forgottenSince(hour);
    const occurrence = occurrenceOf({ id, principals, created: finding.created_at, forgotAt });
    // Where ids were given anew, the result says that of the stream.
    return { finding, id, occurrence, mayBeBack: forgotAt !== undefined && !this.#isRepeat, createdAt };
  }

  /** Which forgetting may have taken a finding of this hour; undefined: none. */
  #forgottenSince(hour: Hour): number | undefined {
    const { forgotAt } = this.#memory;
    return forgotAt !== undefined && (hour === null || hour <= forgotAt) ? forgotAt : undefined;
  }

  /** Findings of one analysis share their time. */
  #timeOf(text: string | undefined): number | null {
    if (text !== this.#lastTime.text) this.#lastTime = { text, time: timeOf(text) };
    return this.#lastTime.time;
  }

  /** Memory once everything taken so far is stored and the read is to go on in a later run. */
  unfinished(): MemoryPoint {
    this.#storeBatch();
    this.#added = [];
    // What comes next in an ordered list is not older than the last finding taken, which may be dated in the future.
    const latest = Math.min(this.#previous, this.#time.trusted);
    const memoryCut = this.#fit(this.#ascending ? hourOf(latest) : -Infinity);
    const unfinished = {
      ...(this.#from === null ? {} : { from: this.#from }),
      ...this.#done,
      again: this.#unreadable > 0 ? 0 : (this.#again ?? this.#changedFrom),
      ...this.#second,
    };
    const memory = this.#storable({ unfinished, forgotAt: this.#memory.forgotAt });
    return { memory: this.#owesComparison ? { ...memory, returned: true } : memory, memoryCut, idsReused: false };
  }

  /** Memory once everything taken is stored and the window is read to its end; it may have to be read again. */
  finished(): MemoryPoint {
    const trusted = hourOf(this.#time.trusted);
    const reused = this.#reusedIds();
    const idsReused = reused.size > 0;
    if (!idsReused) this.#moveCursor(trusted);
    const next = idsReused ? this.#sameWindow() : this.#nextWindow();
    const end = this.#restate(reused);
    const memoryCut = this.#fit(Math.min(trusted, next === null ? Infinity : (next.from ?? -Infinity)));
    const unfinished = next === null ? undefined : { ...next, skip: 0, after: "" };
    return { memory: this.#storable({ unfinished, ...end }), memoryCut, idsReused };
  }

  /** What earlier batches hold takes up the room for checks, too. */
  #storeBatch(): void {
    const room = Math.max(0, this.#checkRoom() - checksOf({ ids: this.#stored }));
    Object.assign(this.#stored, storedBatch(this.#batches++, this.#added, room));
  }

  #reusedIds(): ReadonlySet<Key> {
    return this.#listed === null ? new Set() : this.#delivered.reused(this.#listed);
  }

  #moveCursor(trusted: number): void {
    let cursor = this.#cursor ?? NOTHING_READ;
    const hours = this.#listed === null ? this.#delivered.hours() : this.#listed.hours();
    for (const hour of hours) if (hour !== null && hour <= trusted && hour > cursor) cursor = hour;
    this.#cursor = cursor;
  }

  /**
   * Remembers what the pass has listed. A read of the whole history forgets what it did not list: should it come back, it is
   * delivered again. Newer findings are not forgotten, because a part of the service may not know them yet; and a list that is
   * empty has to be so in two such reads.
   */
  #restate(without: ReadonlySet<Key>): StreamEnd {
    const { forgotAt, emptied } = this.#memory;
    if (this.#listed === null) {
      this.#storeBatch();
      return { forgotAt, emptied };
    }
    const isWhole = this.#from === null && without.size === 0;
    const isEmptied = isWhole && this.#listed.size === 0 && this.#delivered.size > 0;
    const forgets = isWhole && (!isEmptied || emptied === true);
    const cursor = this.#cursor ?? NOTHING_READ;
    const { stored, forgottenUpTo } = this.#delivered.restated(this.#listed, {
      keepsUnlisted: (hour, isDeleted) =>
        !forgets || (!isDeleted && !isEmptied && hour !== null && hour >= hourOf(this.#time.service) - WINDOW_HOURS),
      without,
      checkRoom: this.#checkRoom(),
      oldest: isWhole ? cursor - REMEMBERED_HOURS : -Infinity,
    });
    this.#stored = stored;
    this.#added = [];
    return {
      // Later than the last time, so that what comes, goes and comes again gives other alert ids each time. No clock decides: a
      // run that is killed and one that repeats it give the same alert ids.
      forgotAt: forgottenUpTo === null ? forgotAt : Math.max(forgottenUpTo, (forgotAt ?? -1) + 1),
      emptied: isEmptied && !forgets ? true : isWhole ? undefined : emptied,
    };
  }

  #storable({ unfinished, forgotAt, emptied }: StreamEnd): StreamMemory {
    return withoutDerivable({
      ids: { ...this.#stored },
      cursor: this.#cursor ?? NOTHING_READ,
      forgottenBefore: this.#storedFrom,
      ...(unfinished === undefined ? {} : { unfinished }),
      ...(forgotAt === undefined ? {} : { forgotAt }),
      ...(emptied === undefined ? {} : { emptied }),
      ...(unfinished !== undefined && this.#owesWholeHistory ? { returned: true } : {}),
    });
  }

  /**
   * Whether the whole history is still to be read: a window holds no findings without a time, and a read that took several runs
   * could neither compare what it listed nor see what is gone.
   */
  get #owesWholeHistory(): boolean {
    return this.#wholeHistory && (this.#from !== null || this.#listed === null);
  }

  /** Whether what was delivered before is still to be compared with a list that is read in one piece. */
  get #owesComparison(): boolean {
    return this.#memory.ids !== undefined && this.#from === null && this.#listed !== null && !this.#second.isSecond;
  }

  get #second(): Pick<UnfinishedRead, "isSecond"> {
    return this.#memory.unfinished?.isSecond ? { isSecond: true } : {};
  }

  #sameWindow(): NextWindow {
    return { ...(this.#from === null ? {} : { from: this.#from }), ...this.#second };
  }

  /** The window that is to be read once this one is at its end. */
  #nextWindow(): NextWindow | null {
    if (this.#owesWholeHistory) return this.#from === null ? { isSecond: true } : {};
    if (this.#again === null) return null;
    const from = Math.max(this.#from ?? 0, this.#again);
    return from === 0 ? {} : { from };
  }

  #advance(id: string, createdAt: number | null, position: number): void {
    this.#done = { skip: position + 1, after: id };
    if (createdAt === null || createdAt < this.#previous) this.#ascending = false;
    else this.#previous = createdAt;
  }

  /** @param current - hour in which findings are still to come */
  #fit(current: number): MemoryCut | null {
    const kept = { stored: this.#stored, storedFrom: this.#storedFrom };
    const { stored, storedFrom, cut } = fitIds(kept, { room: this.#room(), current });
    this.#stored = { ...stored };
    this.#storedFrom = storedFrom;
    return cut;
  }
}

type NextWindow = Pick<UnfinishedRead, "from" | "isSecond">;
type StreamEnd = { [Key in "unfinished" | "forgotAt" | "emptied"]?: StreamMemory[Key] | undefined };
