import type { AttackPathService, InvalidValue } from "../service/attack-path-service.ts";
import { findingIdentity } from "../service/resources/finding-identity.ts";
import { isEmpty } from "../service/resources/findings.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { unreadable } from "../service/resources/response-body.ts";
import { hourOf, hourText, timeOf, type PollTime } from "./time.ts";
import { DeliveredIds, hourOfName, storedBatch, type Hour } from "./state/delivered-ids.ts";
import type { StreamMemory } from "./state/state.ts";
import {
  cursorOf,
  forgottenBefore,
  NOTHING_READ,
  REMEMBERED_HOURS,
  windowStart,
  withoutDerivable,
} from "./state/stream-memory.ts";
import type { Stream } from "./scope.ts";

/** A finding that was not delivered before. */
export interface NewFinding {
  readonly finding: Finding;
  /** See `findingIdentity`. */
  readonly id: string;
  /** Epoch milliseconds of its `created_at`; null when it has no usable one. */
  readonly createdAt: number | null;
}

/** New findings of one stream, and the memory that becomes true once they are stored. */
export interface Batch {
  readonly stream: Stream;
  readonly findings: readonly NewFinding[];
  /** Values that were left out of these findings because they are not of the documented type. */
  readonly invalidValues: readonly InvalidValue[];
  readonly memory: StreamMemory;
  /** Whether the stream is read to its end. */
  readonly complete: boolean;
  /** How many findings of the window were listed so far, new or not. */
  readonly listed: number;
  /** Why memory had to be cut, when it had to be. */
  readonly memoryCut: MemoryCut | null;
}

/** `window`: findings that become visible late are found for a shorter time. `ids`: findings may be repeated. */
export type MemoryCut = "window" | "ids";

export interface ReadOptions {
  readonly time: PollTime;
  /** Reads without a window, also for findings that have no usable time and stand in none. */
  readonly wholeHistory: boolean;
  /** How many findings a batch holds at most. */
  readonly batchSize: number;
  /** How many characters the stream's ids may take in the state. */
  readonly room: () => number;
}

/**
 * Reads the window of one stream and yields what is new in it, batch by batch. The last batch is `complete` and may be
 * empty. When the service fails, what was read before is yielded first.
 *
 * @throws ServiceError when the window could not be read to its end
 */
export async function* readStream(
  service: AttackPathService["findings"],
  stream: Stream,
  memory: StreamMemory,
  options: ReadOptions,
): AsyncGenerator<Batch, void, undefined> {
  const resumed = (memory.unfinished?.skip ?? 0) > 0;
  let end: Batch | null = null;
  for await (const batch of readWindow(service, stream, memory, options)) {
    if (batch.complete && resumed) yield (end = { ...batch, complete: false });
    else yield batch;
  }
  // Before the resumed position, one finding may have been added and another one deleted since.
  if (end !== null) yield* readWindow(service, stream, fromTheStart(end.memory, memory, options), options);
}

/** Memory with which the window of a resumed read is read once more, as far back as ids are remembered. */
function fromTheStart(memory: StreamMemory, { unfinished }: StreamMemory, { wholeHistory }: ReadOptions): StreamMemory {
  const from = Math.max(unfinished?.from ?? -Infinity, forgottenBefore(memory));
  return wholeHistory || from === -Infinity ? memory : { ...memory, unfinished: { from, skip: 0, after: "" } };
}

async function* readWindow(
  service: AttackPathService["findings"],
  stream: Stream,
  memory: StreamMemory,
  { batchSize, ...options }: ReadOptions,
): AsyncGenerator<Batch, void, undefined> {
  const read = new WindowRead(memory, options);
  const query = { environmentId: stream.environment.id, findingType: stream.findingType, ...read.query };
  let findings: NewFinding[] = [];
  let invalidValues: InvalidValue[] = [];
  const batch = (end: { memory: StreamMemory; memoryCut: MemoryCut | null }, complete: boolean): Batch => {
    const content = { findings, invalidValues };
    findings = [];
    invalidValues = [];
    return { stream, ...content, ...end, complete, listed: read.position };
  };
  try {
    for await (const page of service.pages(query)) {
      if (!page.inOrder) read.doubtOrder();
      for (const [index, finding] of page.findings.entries()) {
        // Only now it is known that the batch is not the last one.
        if (findings.length === batchSize) {
          // Free the delivered findings.
          page.findings.fill(DONE, 0, index);
          yield batch(read.unfinished(), false);
        }
        const position = page.skip + index;
        const found = read.take(finding, position);
        if (found === null) continue;
        findings.push(found);
        for (const value of page.invalidValues) if (value.position === position) invalidValues.push(value);
      }
      // A batch that waits for its turn keeps its own findings, and nothing else of the page.
      page.findings.length = 0;
    }
    read.refuseUnreadable();
  } catch (error) {
    if (findings.length > 0) yield batch(read.unfinished(), false);
    throw error;
  }
  yield batch(read.finished(), true);
}

/** Tells new findings from delivered ones while a window is read, and what to remember at each point of it. */
class WindowRead {
  readonly query: { createdFrom?: string; resume?: { skip: number; after: string } };
  readonly #time: PollTime;
  readonly #room: () => number;
  readonly #from: number | null;
  readonly #forgotten: number;
  readonly #delivered: DeliveredIds;
  #stored: Record<string, string>;
  #cursor: number | null;
  /** What the current batch adds. */
  #added: { id: string; hour: Hour }[] = [];
  #batches = 0;
  /** How many findings of the window are done, and the last of them. */
  #done: { skip: number; after: string };
  /** Hours of the window's findings; null when this read did not begin at its start. */
  #listed: Set<Hour> | null = null;
  #ascending = true;
  #previous = -Infinity;
  #unreadable = 0;
  #lastTime: { text: string | undefined; time: number | null } = { text: undefined, time: null };

  constructor(memory: StreamMemory, { time, wholeHistory, room }: Omit<ReadOptions, "batchSize">) {
    this.#time = time;
    this.#room = room;
    this.#from = wholeHistory && memory.unfinished === undefined ? null : windowStart(memory);
    this.#forgotten = forgottenBefore(memory);
    this.#delivered = DeliveredIds.parse(memory.ids);
    // Batches of an earlier run are joined, so that this one can number its own from 0.
    this.#stored = this.#delivered.toStored();
    this.#cursor = cursorOf(memory);
    const { skip, after } = memory.unfinished ?? { skip: 0, after: "" };
    this.#done = { skip, after };
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
    if (this.#unreadable > 0) throw unreadable(this.#unreadable, "that are not findings");
  }

  /** The service did not accept an order: older findings may follow. */
  doubtOrder(): void {
    this.#ascending = false;
  }

  /** The finding when it is to be delivered, else null. */
  take(finding: Finding, position: number): NewFinding | null {
    if (position === 0) this.#unreadable = 0;
    if (isEmpty(finding)) this.#unreadable += 1;
    const id = findingIdentity(finding);
    const createdAt = this.#timeOf(finding.created_at);
    const hour = createdAt === null ? null : hourOf(createdAt);
    this.#advance(id, createdAt, position);
    this.#note(hour, position);
    // Deleted findings are not remembered either: one that comes back is new.
    if (finding.deleted_at != null || isEmpty(finding) || this.#delivered.has(id)) return null;
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
    const cut = this.#fit(this.#ascending ? hourOf(latest) : -Infinity);
    const memory = storable({
      ids: { ...this.#stored },
      cursor: this.#cursor ?? NOTHING_READ,
      forgottenBefore: cut?.forgotten ?? this.#forgotten,
      unfinished: {
        ...(this.#from === null ? {} : { from: this.#from }),
        // What could not be read stands somewhere before this place.
        ...(this.#unreadable === 0 ? this.#done : { skip: 0, after: "" }),
      },
    });
    return { memory, memoryCut: cut?.kind ?? null };
  }

  /** Memory once everything taken is stored and the window is read to its end. */
  finished(): { memory: StreamMemory; memoryCut: MemoryCut | null } {
    const trusted = hourOf(this.#time.trusted);
    let cursor = this.#cursor ?? NOTHING_READ;
    for (const hour of this.#listed ?? this.#delivered.hours()) {
      if (hour !== null && hour <= trusted && hour > cursor) cursor = hour;
    }
    const forgotten = cursor === NOTHING_READ ? this.#forgotten : Math.max(this.#forgotten, cursor - REMEMBERED_HOURS);
    this.#stored = this.#delivered.toStored(forgotten);
    const cut = this.#fit(trusted);
    const memory = { ids: this.#stored, cursor, forgottenBefore: cut?.forgotten ?? forgotten };
    return { memory: storable(memory), memoryCut: cut?.kind ?? null };
  }

  #advance(id: string, createdAt: number | null, position: number): void {
    this.#done = { skip: position + 1, after: id };
    if (position === 0) this.#previous = -Infinity;
    if (createdAt === null || createdAt < this.#previous) this.#ascending = false;
    else this.#previous = createdAt;
  }

  #note(hour: Hour, position: number): void {
    if (position === 0) this.#listed = new Set();
    this.#listed?.add(hour);
  }

  /**
   * Forgets the oldest hours when the ids no longer fit into the state. The window then starts later, so that nothing
   * is repeated.
   *
   * @param current - hour in which findings are still to come: the window cannot start later than that
   */
  #fit(current: number): { kind: MemoryCut; forgotten: number } | null {
    let size = sizeOf(this.#stored);
    const room = this.#room();
    if (size <= room) return null;
    const cut: { kind: MemoryCut; forgotten: number } = { kind: "window", forgotten: this.#forgotten };
    const oldestFirst = Object.keys(this.#stored).sort((a, b) => (hourOfName(a) ?? 0) - (hourOfName(b) ?? 0));
    const dropped = new Set<string>();
    for (const name of oldestFirst) {
      if (size <= room) break;
      const hour = hourOfName(name);
      size -= sizeOf({ [name]: this.#stored[name] ?? "" });
      dropped.add(name);
      if (hour === null || hour >= current) cut.kind = "ids";
      else cut.forgotten = Math.max(cut.forgotten, hour + 1);
    }
    this.#stored = Object.fromEntries(Object.entries(this.#stored).filter(([name]) => !dropped.has(name)));
    return cut;
  }
}

/** Replaces a finding that is no longer needed. */
const DONE: Finding = {};

/** Characters that ids take in the state. */
function sizeOf(stored: Readonly<Record<string, string>>): number {
  return Object.entries(stored).reduce((size, [name, text]) => size + name.length + text.length + 6, 0);
}

function storable(memory: StreamMemory): StreamMemory {
  return withoutDerivable({ ...memory, forgottenBefore: Math.max(0, memory.forgottenBefore ?? 0) });
}
