/** One page of a list: every entry that the service listed. */
interface Page<T> {
  readonly records: readonly T[];
  /** Null when the service does not count; may be the count of the page. */
  readonly total: number | null;
}

export interface UncountedList<T> {
  readonly ask: (skip: number) => Promise<Page<T>>;
  /** The most entries of a page. */
  readonly limit: number;
  readonly identity: (record: T) => string;
  /** Asked when a page adds nothing: whether entries after it matter. */
  readonly readsBehind: () => boolean;
  /** The error for a list that cannot be read to its end. */
  readonly fault: (problem: string) => Error;
}

/** Pages in a row that add nothing, after which nothing more is expected. */
const MOST_WITHOUT_NEW = 2;
const MOST_ANSWERS = 10_000;
/** How often a list that changes while it is read is read from its beginning again. */
const MOST_RESTARTS = 3;

/**
 * The entries of a list without a usable count, each once. A short page is no end, for two reasons: a service may grant smaller pages
 * than the request asks for, or cut a page first and then remove what the token may not see (BloodHound, cmd/api/src/api/v2/search.go).
 * So the next request begins after as many positions as the page had entries, and after the whole page if it added nothing.
 *
 * @param first - the page at position 0
 */
export async function* uncountedPages<T>(first: Page<T>, list: UncountedList<T>): AsyncGenerator<T[], void, undefined> {
  let reading = new UncountedRead(list);
  const given = new Set<string>();
  let [page, restartsLeft] = [first, MOST_RESTARTS];
  for (let answers = 1; ; answers += 1) {
    const fresh = reading.take(page);
    if (fresh === null) {
      if (restartsLeft-- === 0) throw list.fault("changed while it was read");
      reading = new UncountedRead(list);
      page = await list.ask(0);
      continue;
    }
    const unseen = fresh.filter((record) => isNew(given, list.identity(record)));
    if (unseen.length > 0) yield unseen;
    if (reading.isAtEnd(page) || (fresh.length === 0 && !list.readsBehind())) return;
    if (answers === MOST_ANSWERS) throw list.fault("has no end");
    page = await list.ask(reading.skip);
  }
}

/** How far the read of a list has come. */
class UncountedRead<T> {
  readonly #list: Pick<UncountedList<T>, "fault" | "identity" | "limit">;
  readonly #seen = new Set<string>();
  /** Position after everything that was asked for. */
  #askedTo = 0;
  #skip = 0;
  /** The entry that the next page must begin with, unless the list has changed. */
  #overlap: string | null = null;
  #withoutNew = 0;

  constructor(list: Pick<UncountedList<T>, "fault" | "identity" | "limit">) {
    this.#list = list;
  }

  /** Position to ask from. */
  get skip(): number {
    return this.#skip;
  }

  /** Takes the page at `skip`; gives the entries that no page had before. Null when the list has changed before this page. */
  take({ records }: Page<T>): T[] | null {
    const { identity, limit, fault } = this.#list;
    const ids = records.map(identity);
    if (this.#overlap !== null && ids.length > 0 && ids[0] !== this.#overlap) return null;
    const fresh = records.filter((_, index) => isNew(this.#seen, ids[index] ?? ""));
    if (fresh.length > 0) this.#withoutNew = 0;
    else if (ids.length > 0 && this.#skip >= this.#askedTo) throw fault("repeats a page");
    else this.#withoutNew += 1;
    this.#askedTo = Math.max(this.#askedTo, this.#skip + limit);
    // Nothing was removed from a full page, so the next one begins with its last entry.
    const isFull = fresh.length > 0 && ids.length === limit;
    this.#overlap = isFull ? (ids.at(-1) ?? null) : null;
    this.#skip += isFull ? limit - 1 : fresh.length > 0 ? ids.length : limit;
    return fresh;
  }

  /** @param page - the last one that was taken */
  isAtEnd({ total }: Page<T>): boolean {
    const isAllCounted = this.#askedTo > this.#list.limit && total === this.#seen.size;
    return isAllCounted || this.#withoutNew === MOST_WITHOUT_NEW;
  }
}

function isNew(seen: Set<string>, id: string): boolean {
  const before = seen.size;
  return seen.add(id).size > before;
}
