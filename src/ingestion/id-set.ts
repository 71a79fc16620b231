/**
 * A set of finding identities that stays small when identities are whole numbers in runs, which is what a service that
 * counts its records gives.
 *
 * Text form, exact in both directions: tokens joined by commas. `17` is one number; `17+49` is fifty numbers from 17 on;
 * `17+49*60` is fifty numbers from 17 on, sixty apart; `=T0%2Fx` is any other identity, percent-encoded.
 */
export class IdSet {
  /** Sorted, disjoint, non-touching closed intervals: starts[i]..ends[i]. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #others = new Set<string>();
  #numbers = 0;

  get size(): number {
    return this.#numbers + this.#others.size;
  }

  /** How many of them are whole numbers. */
  get numbers(): number {
    return this.#numbers;
  }

  /** The greatest of the whole numbers; null when there is none. */
  get greatest(): number | null {
    return this.#ends.at(-1) ?? null;
  }

  has(identity: string): boolean {
    const number = wholeNumber(identity);
    if (number === null) return this.#others.has(identity);
    const at = this.#intervalAtOrBefore(number);
    return at >= 0 && number <= (this.#ends[at] ?? -1);
  }

  add(identity: string): void {
    const number = wholeNumber(identity);
    if (number === null) this.#others.add(identity);
    else this.#addNumber(number);
  }

  toText(): string {
    return [...this.#numberTokens(), ...[...this.#others].map((other) => `=${encodeURIComponent(other)}`)].join(",");
  }

  /** Null when the text is not of the form above. */
  static fromText(text: string): IdSet | null {
    const set = new IdSet();
    for (const token of text === "" ? [] : text.split(",")) {
      if (!set.#addToken(token)) return null;
    }
    return set;
  }

  #addToken(token: string): boolean {
    if (token.startsWith("=")) {
      const other = decoded(token.slice(1));
      if (other !== null) this.#others.add(other);
      return other !== null;
    }
    const match = TOKEN.exec(token);
    if (match === null) return false;
    const [first, more, step] = [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 1)];
    const last = first + more * step;
    if (last > LARGEST || more > MOST_IN_A_TOKEN) return false;
    if (step === 1) this.#addInterval(first, last);
    else for (let i = 0; i <= more; i++) this.#addNumber(first + i * step);
    return true;
  }

  #addNumber(number: number): void {
    if (!this.has(String(number))) this.#addInterval(number, number);
  }

  /** Expects an interval that overlaps none of the present ones, or only text that repeats itself. */
  #addInterval(start: number, end: number): void {
    let at = this.#intervalAtOrBefore(start);
    let [from, to] = [start, end];
    let removed = 0;
    const touchesBefore = at >= 0 && (this.#ends[at] ?? -2) >= start - 1;
    if (!touchesBefore) at += 1;
    while (at + removed < this.#starts.length && (this.#starts[at + removed] ?? Infinity) <= to + 1) {
      const [s, e] = [this.#starts[at + removed] ?? from, this.#ends[at + removed] ?? to];
      this.#numbers -= e - s + 1;
      from = Math.min(from, s);
      to = Math.max(to, e);
      removed += 1;
    }
    this.#starts.splice(at, removed, from);
    this.#ends.splice(at, removed, to);
    this.#numbers += to - from + 1;
  }

  /** Index of the last interval that starts at or before the number; -1 when there is none. */
  #intervalAtOrBefore(number: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? Infinity) <= number) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  *#numberTokens(): Generator<string> {
    for (let i = 0; i < this.#starts.length; i++) {
      const [start, end] = [this.#starts[i] ?? 0, this.#ends[i] ?? 0];
      const more = start === end ? this.#evenlySpacedFrom(i) : 0;
      if (more >= 2) {
        yield `${start}+${more}*${(this.#starts[i + 1] ?? 0) - start}`;
        i += more;
      } else yield start === end ? `${start}` : `${start}+${end - start}`;
    }
  }

  /** How many single numbers after the one at this index follow at the same distance. */
  #evenlySpacedFrom(index: number): number {
    const step = (this.#starts[index + 1] ?? 0) - (this.#starts[index] ?? 0);
    let more = 0;
    for (let i = index + 1; i < this.#starts.length; i++) {
      const single = this.#starts[i] === this.#ends[i];
      if (!single || (this.#starts[i] ?? 0) - (this.#starts[i - 1] ?? 0) !== step) break;
      more += 1;
    }
    return more;
  }
}

const TOKEN = /^(\d{1,15})(?:\+(\d{1,15})(?:\*(\d{1,15}))?)?$/;
/** Numbers are counted with up to fifteen digits, where they are exact. */
const LARGEST = 999_999_999_999_999;
/** Text from a damaged state must not make the set grow without bound. */
const MOST_IN_A_TOKEN = 10_000_000;

function wholeNumber(identity: string): number | null {
  return /^(?:0|[1-9]\d{0,14})$/.test(identity) ? Number(identity) : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
