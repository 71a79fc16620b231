import type { InvalidValue } from "../attack-path-service.ts";
import { counted } from "../../text.ts";
import { refusesPosition, ServiceError } from "../errors/errors.ts";
import { IdentitySet } from "./identity-set.ts";

/** One answer of a paged list. */
export interface ListAnswer<T> {
  /** The records from the requested position on, as many as the service granted. */
  readonly records: readonly T[];
  readonly invalidValues: readonly InvalidValue[];
  /** Length of the whole list; null when the service does not say. */
  readonly total: number | null;
}

export interface ListPage<T> {
  readonly records: T[];
  readonly invalidValues: InvalidValue[];
  readonly total: number | null;
  /** Position of the first record. */
  readonly skip: number;
  /** The list has changed before this page, so that some of it may have been passed over. */
  readonly isMoved: boolean;
}

export interface PagingOptions<T> {
  /**
   * Asks for the records from position `skip` on; null when the list does not reach it any more.
   *
   * @param mayBeEnd - nothing may stand there, and a service that refuses the position says so
   */
  readonly fetch: (skip: number, mayBeEnd: boolean) => Promise<ListAnswer<T> | null>;
  readonly identity: (record: T) => string;
  /** Continue after position `skip - 1`, where `after` stood. */
  readonly resume?: { readonly skip: number; readonly after: string } | undefined;
  /** Leave out records that an earlier page had: a read that starts over gives them again otherwise. */
  readonly once?: boolean | undefined;
  /** The error for a list that cannot be read to its end. */
  readonly fault: (problem: string) => Error;
}

const MOST_RESTARTS = 3;
/** Pages that may add nothing, in all passes. */
const MOST_LISTED_TWICE = 20;
/** Answers that a list may take, in all passes, beyond one for each record of its first count. */
const MOST_ANSWERS = 10_000;
const CHANGES = "keeps changing while it is read";
/** How often a pass may search for its last record. */
const MOST_MOVES = 100;
/** The same for searches that find the record in its place, with nothing new after it. */
const MOST_IDLE_MOVES = 5;
/** How far before its place the last record is searched for where no page shows how many records one has. */
const LOOK_BACK = 100;

/**
 * Reads a list to its end by position, whatever the size of the pages that the service grants. A list may change while
 * it is read, so three checks guard against a false end:
 *
 * - Each request but the first overlaps the page before by one record. When another record stands there, something was
 *   added to or removed from the part already read. The read goes on where its last record stands now, within a page, so that the
 *   rest of the list is not held back, and starts over at the end. Where the record is gone, it starts over at once. After a page
 *   of a single record, the next one could hold the overlap alone: the next record and the overlap are requested one after the other.
 * - Where the count falls, only an empty answer is the end. A position that the service refuses twice is one, too, if the record before
 *   it is listed and the service counts no further.
 * - At the end the distinct records must be as many as the service counts. Otherwise the read starts over once, and
 *   then fails: everything that arrived has been yielded by then. A list that was counted or held records cannot be empty.
 *
 * A list that goes on for ever, with new records in each answer, fails after 10,000 answers more than its first count.
 *
 * A read that starts over yields records again, with `skip` back at 0, unless each is wanted once. One that an earlier run began
 * does not start over because its place has moved: its pages have `isMoved`, and the caller reads the list again.
 */
export async function* readList<T>(options: PagingOptions<T>): AsyncGenerator<ListPage<T>> {
  const reading = new ListRead(options);
  while (!reading.ended) {
    const page = reading.take(
      await (reading.needsPair ? fetchPair(options.fetch, reading.skip) : options.fetch(reading.skip, false)),
    );
    if (page) yield page;
    reading.checkEnd();
  }
}

/** Two answers as one, of which the first record is the overlap. */
interface Pair<T> extends ListAnswer<T> {
  /** Both answers count as many. Otherwise, the count may be that of what was shown, or of what is left. */
  readonly countsAgree: boolean;
}

/**
 * The later record is requested first: when something before it is removed in the meantime, another record stands at `skip`.
 *
 * @returns the answer for `skip` if that goes on by itself; null when the list does not reach these positions any more
 */
async function fetchPair<T>(fetch: PagingOptions<T>["fetch"], skip: number): Promise<ListAnswer<T> | Pair<T> | null> {
  const first = await fetch(skip + 1, true).catch(asRefusal);
  const overlap = first && (await fetch(skip, false));
  if (!first || !overlap || overlap.records.length !== 1) return overlap;
  const later = first instanceof ServiceError ? await fetchRefused(fetch, skip + 1, overlap.total) : first;
  if (!later) return null;
  return {
    records: [...overlap.records, ...later.records],
    invalidValues: [...overlap.invalidValues, ...later.invalidValues],
    total: overlap.total,
    countsAgree: later.total === overlap.total,
  };
}

function asRefusal(error: unknown): ServiceError {
  if (refusesPosition(error, true)) return error;
  throw error;
}

/** A position that is refused again, although the one before it is not, is the end of a list that counts no further. */
async function fetchRefused<T>(
  fetch: PagingOptions<T>["fetch"],
  skip: number,
  total: number | null,
): Promise<ListAnswer<T> | null> {
  if (total !== null && total > skip) return fetch(skip, false);
  const answer = await fetch(skip, true).catch(asRefusal);
  return answer instanceof ServiceError ? { records: [], invalidValues: [], total: null } : answer;
}

/** How far the read of a list has come. */
class ListRead<T> {
  readonly #identity: (record: T) => string;
  readonly #fault: (problem: string) => Error;
  #ended = false;
  /** Position after the last record taken. */
  #position = 0;
  /** Where this pass over the list began: after 0 only when an earlier run is continued. */
  #start = 0;
  /** Identity of the last record taken; null at the beginning. */
  #last: string | null = null;
  readonly #once: boolean;
  /** Distinct identities of all passes, where each record is wanted once. */
  #given = new IdentitySet();
  /** Distinct identities of this pass. */
  #distinct = this.#given;
  /** The last page had one record at most. A service may grant more again. */
  #isSingle = false;
  #total: number | null = null;
  /** The count has fallen in this pass: records were removed, or it is the count of what is left. */
  #hasFallen = false;
  /** The last record had to be searched for. */
  #isMoved = false;
  #moves = 0;
  #idleMoves = 0;
  /** How many records before the overlap the next request begins, in search of the last record. */
  #back = 0;
  #restartsLeft = MOST_RESTARTS;
  #mismatches = 0;
  #listedTwice = 0;
  #answers = 0;
  #firstCount: number | null = null;
  /** The most records that any answer counted or showed. */
  #known = 0;

  constructor({ identity, fault, resume, once = false }: PagingOptions<T>) {
    this.#identity = identity;
    this.#fault = fault;
    this.#once = once;
    if (!resume || resume.skip <= 0) return;
    this.#start = this.#position = resume.skip;
    this.#last = resume.after;
    // One more: the list may have changed since the read was interrupted.
    this.#restartsLeft += 1;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The overlap alone would not show that the list goes on. */
  get needsPair(): boolean {
    return this.#isSingle && this.#last !== null && this.#back === 0;
  }

  /** Position to ask from. */
  get skip(): number {
    return Math.max(0, this.#position - (this.#last === null ? 0 : 1) - this.#back);
  }

  /** Takes the answer for `skip`; gives what comes after the last record taken. Null for nothing, unless the list begins so. */
  take(answer: ListAnswer<T> | Pair<T> | null): ListPage<T> | null {
    if (answer === null) {
      this.#startOver(CHANGES);
      return null;
    }
    const { records, invalidValues, total: said } = answer;
    this.#checkLength(records.length, said);
    const total = this.#usable(said, records.length);
    const taken = this.#takenOf(records);
    this.#countAs(total);
    if (taken === null) {
      if (this.#back === 0) this.#startOver(CHANGES);
      return null;
    }
    const skip = this.#position;
    const fresh = records.slice(taken);
    const pair = "countsAgree" in answer ? answer : null;
    const unseen = this.#advance(fresh, pair);
    if (unseen === null) return null;
    this.#isSingle = pair !== null || records.length <= 1;
    const given = this.#once ? unseen : fresh;
    if (given.length === 0 && skip > 0 && !this.#isMoved) return null;
    const invalid = invalidValues.filter(({ position }) => position >= skip);
    return { records: given, invalidValues: invalid, total, skip, isMoved: this.#isMoved };
  }

  /** Once the list is at its end: the distinct records must be as many as the service counts. */
  checkEnd(): void {
    if (!this.#ended) return;
    if (this.#isMoved) {
      if (this.#start === 0) this.#startOver(CHANGES);
      return;
    }
    if (this.#total === null) return;
    if (this.#distinct.size === this.#total - this.#start) return;
    if (this.#mismatches++ > 0) {
      const distinct = this.#start + this.#distinct.size;
      throw this.#fault(`reports ${counted(this.#total, "record")} and holds ${counted(distinct, "distinct one")}`);
    }
    this.#startOver("reports a count that does not match its records");
  }

  /** Ignores a `count` smaller than the number of records received. */
  #usable(said: number | null, length: number): number | null {
    const total = said !== null && said < this.skip + length ? null : said;
    if (length === 0 && total !== null && total > this.skip) {
      throw this.#fault(`is empty at position ${this.skip} although it reports ${total}`);
    }
    return total;
  }

  #checkLength(length: number, said: number | null): void {
    this.#firstCount ??= said;
    if (++this.#answers > MOST_ANSWERS + (this.#firstCount ?? 0)) throw this.#fault("has no end");
    const isEmpty = this.skip === 0 && length === 0;
    if (isEmpty && this.#known > 0) throw this.#fault(`is empty although it held ${this.#known} records before`);
    this.#known = Math.max(this.#known, said ?? 0, length);
  }

  /** How many of these records are taken, up to the last one; null when that is not among them. */
  #takenOf(records: readonly T[]): number | null {
    if (this.#last === null) return 0;
    const place = this.#position - 1;
    const index = records.findIndex((record) => this.#identity(record) === this.#last);
    const shift = this.skip + index - place;
    const wasSearched = this.#back > 0;
    this.#back = 0;
    if (!wasSearched && index === 0) return 1;
    this.#moves += 1;
    this.#idleMoves += 1;
    if (this.#moves > MOST_MOVES || this.#idleMoves > MOST_IDLE_MOVES) return null;
    if (index === -1) {
      // Half a page, so that the answer also holds what follows.
      if (!wasSearched) this.#back = Math.min(place, Math.ceil(records.length / 2) || LOOK_BACK);
      return null;
    }
    // After a later position, something must follow: a service that ignores the position has the record at the end of each page.
    if (shift > 0 && index + 1 === records.length) return null;
    // Also where the record stands in its place again: replicas may take turns.
    this.#isMoved = true;
    this.#position += shift;
    if (this.#start > 0) this.#start = Math.max(1, this.#start + shift);
    return index + 1;
  }

  #countAs(total: number | null): void {
    this.#hasFallen ||= total !== null && this.#total !== null && total < this.#total;
    this.#total = total;
  }

  /** Where pages hold few records, a page may have nothing but one that is listed twice: then the rest of the list comes after it. */
  #mayBeListedTwice(fresh: readonly T[]): boolean {
    return fresh.length === 1 && this.#total !== null && ++this.#listedTwice <= MOST_LISTED_TWICE;
  }

  #startOver(problem: string): void {
    if (--this.#restartsLeft < 0) throw this.#fault(problem);
    this.#ended = false;
    this.#start = this.#position = 0;
    this.#last = null;
    this.#total = null;
    this.#hasFallen = false;
    this.#isMoved = false;
    this.#moves = 0;
    this.#idleMoves = 0;
    this.#distinct = new IdentitySet();
    if (!this.#once) this.#given = this.#distinct;
  }

  /** @returns those that no pass had before; null when the read starts over */
  #advance(fresh: readonly T[], pair: Pair<T> | null): T[] | null {
    const unseen: T[] = [];
    const isOverlapped = this.#last !== null;
    const before = this.#distinct.size;
    for (const record of fresh) {
      this.#last = this.#identity(record);
      if (this.#given.add(this.#last)) unseen.push(record);
      if (this.#distinct !== this.#given) this.#distinct.add(this.#last);
    }
    this.#position += fresh.length;
    if (unseen.length > 0) this.#idleMoves = 0;
    if (fresh.length > 0 && this.#distinct.size === before && !this.#mayBeListedTwice(fresh)) {
      if (!this.#isMoved) throw this.#fault("repeats a page");
      this.#startOver(CHANGES);
      return null;
    }
    // A page of one record may hold the overlap alone.
    const isEmpty = fresh.length === 0 && (!isOverlapped || pair !== null);
    this.#ended = isEmpty || (pair?.countsAgree !== false && this.#isAllCounted());
    return unseen;
  }

  #isAllCounted(): boolean {
    return this.#total !== null && !this.#hasFallen && this.#position >= this.#total;
  }
}
