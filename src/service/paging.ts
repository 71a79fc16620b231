import type { Misfit } from "./attack-path-service.ts";

/** One answer of a paged list. */
export interface ListAnswer<T> {
  /** The records from the asked position on, as many as the service granted. */
  readonly records: readonly T[];
  readonly misfits: readonly Misfit[];
  /** Length of the whole list; null when the service does not say. */
  readonly total: number | null;
}

export interface ListPage<T> {
  readonly records: T[];
  readonly misfits: Misfit[];
  readonly total: number | null;
  /** Position of the first record. */
  readonly skip: number;
}

export interface PagingOptions<T> {
  /** Asks for the records from position `skip` on. */
  readonly fetch: (skip: number) => Promise<ListAnswer<T>>;
  readonly identity: (record: T) => string;
  /** Continue behind position `skip - 1`, where `after` stood. */
  readonly resume?: { readonly skip: number; readonly after: string } | undefined;
  /** The error for a list that cannot be read to its end. */
  readonly fault: (problem: string) => Error;
}

const MOST_RESTARTS = 3;

/**
 * Reads a list to its end by position, whatever the size of the pages that the service grants. Each request but the
 * first overlaps the page before by one record, a sentinel: when another record stands there, something was removed
 * from the part already read, and the records that moved up would be missed; so the reading starts over. The sentinel is
 * not yielded again. A service whose pages hold a single record gets no overlap; there a total that shrinks starts the
 * reading over.
 */
export async function* readList<T>(options: PagingOptions<T>): AsyncGenerator<ListPage<T>> {
  const reading = new Reading(options);
  while (!reading.ended) {
    const page = reading.take(await options.fetch(reading.skip));
    if (page) yield page;
  }
}

/** Where the reading of a list stands. */
class Reading<T> {
  readonly #identity: (record: T) => string;
  readonly #fault: (problem: string) => Error;
  #ended = false;
  /** Records behind us. */
  #position = 0;
  /** Identity of the last of them; null at the beginning. */
  #last: string | null = null;
  /** Identities of the page before. */
  #seen: ReadonlySet<string> = new Set();
  /** Records that a request asks for again. */
  #overlap = 1;
  #largest = 0;
  #total: number | null = null;
  #restarts = 0;

  constructor({ identity, fault, resume }: PagingOptions<T>) {
    this.#identity = identity;
    this.#fault = fault;
    if (!resume || resume.skip <= 0) return;
    this.#position = resume.skip;
    this.#last = resume.after;
    // The list may well have changed since the reading was interrupted.
    this.#restarts = -1;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Position to ask from. */
  get skip(): number {
    return this.#position - this.#sentinels;
  }

  /** Takes the answer for `skip`; gives what is new in it, or null. */
  take({ records, misfits, total: said }: ListAnswer<T>): ListPage<T> | null {
    // A count that is less than what has arrived says nothing.
    const total = said !== null && said < this.skip + records.length ? null : said;
    if (records.length === 0 && total !== null && total > this.skip) {
      throw this.#fault(`has nothing at position ${this.skip} although it counts ${total}`);
    }
    const changed = this.#sentinelMoved(records) || this.#shrunk(total);
    this.#total = total;
    if (changed) {
      this.#startOver();
      return null;
    }
    this.#largest = Math.max(this.#largest, records.length);
    const skip = this.#position;
    const fresh = records.slice(this.#sentinels);
    this.#finishOrGoOn(fresh, total);
    if (fresh.length === 0) return null;
    return { records: fresh, misfits: misfits.filter(({ position }) => position >= skip), total, skip };
  }

  get #sentinels(): number {
    return this.#last === null ? 0 : this.#overlap;
  }

  #sentinelMoved(records: readonly T[]): boolean {
    if (this.#sentinels === 0) return false;
    const [first] = records;
    return first === undefined || this.#identity(first) !== this.#last;
  }

  #shrunk(total: number | null): boolean {
    return this.#overlap === 0 && total !== null && this.#total !== null && total < this.#total;
  }

  #startOver(): void {
    if (++this.#restarts > MOST_RESTARTS) throw this.#fault("keeps changing while it is read");
    this.#position = 0;
    this.#last = null;
    this.#seen = new Set();
  }

  #finishOrGoOn(fresh: readonly T[], total: number | null): void {
    const asked = this.#sentinels;
    if (fresh.length > 0) this.#advance(fresh);
    if (total !== null) this.#ended = this.#position >= total;
    // Without a total only an answer with nothing new is the end; pages of one record hold the sentinel alone.
    else this.#ended = fresh.length === 0 && (asked === 0 || this.#largest > 1);
    if (fresh.length === 0) this.#overlap = 0;
  }

  #advance(fresh: readonly T[]): void {
    const identities = fresh.map(this.#identity);
    if (identities.every((identity) => this.#seen.has(identity))) throw this.#fault("repeats a page");
    this.#position += fresh.length;
    this.#last = identities.at(-1) ?? null;
    this.#seen = new Set(identities);
  }
}
