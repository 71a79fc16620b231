import { countIn, isRow, listIn } from "./answers.ts";
import { Failed } from "./client.ts";
import { identityOf, isDeleted, isForeign, type Row } from "./events.ts";
import type { Flaw } from "./flaws.ts";

/** Reads page by page until a page brings nothing new; then the findings must be as many as the service says. */
export class Pages {
  /** Findings to deliver, by identity. */
  readonly read = new Map<string, Row>();
  skip = 0;
  ended = false;
  #found = new Set<string>();
  #count: number | null = null;
  #restarts = 0;
  readonly #flaw: Flaw | null;

  readonly #environment: string;
  readonly #type: string;

  constructor(environment: string, type: string, flaw: Flaw | null) {
    this.#environment = environment;
    this.#type = type;
    this.#flaw = flaw;
  }

  /** Identities of everything that was listed, deleted or not. */
  get found(): ReadonlySet<string> {
    return this.#found;
  }

  take(answer: unknown): void {
    const rows = listIn(answer).filter(isRow);
    const changed = this.skip > 0 && countIn(answer) !== this.#count;
    this.#count = countIn(answer);
    if (changed) {
      this.#startOver();
      return;
    }
    const before = this.#found.size;
    for (const row of this.#flaw === "loses the last finding of a page" ? rows.slice(0, -1) : rows) {
      if (this.#flaw !== "delivers whatever rows come" && isForeign(row, this.#environment, this.#type)) {
        throw new Failed("rows of another stream");
      }
      this.#found.add(this.#identity(row));
      if (!isDeleted(row) || this.#flaw === "delivers deleted findings") this.read.set(this.#identity(row), row);
    }
    const isFirst = this.skip === 0;
    this.skip += rows.length;
    this.ended = this.#found.size === before || this.#flaw === "stops after the first page";
    if (this.ended && !LOSING.has(this.#flaw)) this.#check(countIn(answer), isFirst || rows.length === 0);
  }

  /** Whether all that the service counts was read before it refused the next position. */
  endsWithRefusal(): boolean {
    return this.skip > 0 && this.#found.size >= (this.#count ?? 0);
  }

  /** The list has changed under the reader: what was removed moved the rest up. */
  #identity(row: Row): string {
    return identityOf(row, this.#flaw === "tells findings apart by their ids alone");
  }

  #startOver(): void {
    if (++this.#restarts > MOST_RESTARTS) throw new Failed("the list keeps changing");
    this.skip = 0;
    this.#found = new Set();
  }

  #check(count: number | null, isEnd: boolean): void {
    // A service that does not count and repeats itself may hold anything back.
    if (count === null && !isEnd) throw new Failed("repeated page");
    if (count !== null && count > this.#found.size) throw new Failed(`${this.#found.size} of ${count} findings`);
  }
}

const MOST_RESTARTS = 5;
const LOSING: ReadonlySet<Flaw | null> = new Set(["loses the last finding of a page", "stops after the first page"]);
