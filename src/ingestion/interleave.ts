import type { Clock } from "../clock.ts";

/** Yields items one after the other. A yielded array adds further sources. */
export interface Source<T, S> {
  /** What the source reads, passed to `onFailure` and `onCutOff`. */
  readonly subject: S;
  read(): AsyncGenerator<T | Source<T, S>[], void, undefined>;
}

export interface InterleaveOptions<T, S> {
  /** How many sources are read at the same time, not counting slow ones. */
  readonly atOnce: number;
  /** How many items for which `costs` is true may be yielded. */
  readonly budget: number;
  costs(item: T): boolean;
  readonly clock: Clock;
  /** Milliseconds without an item after which a source counts as slow. */
  patienceMs(): number;
  /** Milliseconds that pending sources have for a last item once a failure ends the merge. */
  readonly lastItemsMs: number;
  /** Decides whether the failure of one source ends the merge. */
  onFailure(subject: S, error: unknown, waitedMs: number): "continue" | "stop";
  /** Called for each source that was not exhausted when the merge ended. */
  onCutOff(subject: S, waitedMs: number): void;
}

interface Opened<T, S> {
  readonly source: Source<T, S>;
  readonly items: AsyncGenerator<T | Source<T, S>[], void, undefined>;
  /** Items yielded so far. */
  given: number;
}

type Arrival<T, S> = { readonly opened: Opened<T, S>; readonly waitedMs: number } & (
  { readonly result: IteratorResult<T | Source<T, S>[], void> } | { readonly error: unknown }
);

/**
 * Merges the items of many sources into one sequence. Sources take turns; added sources come before those that have not
 * started. With a limited budget, no source takes more than its share while others are pending. A failing source ends
 * only itself, unless `onFailure` returns "stop".
 */
export async function* interleave<T, S>(
  sources: readonly Source<T, S>[],
  options: InterleaveOptions<T, S>,
): AsyncGenerator<T, void, undefined> {
  const line = new Line(sources, options);
  try {
    while (line.budget > 0) {
      const arrival = await line.next();
      if (arrival === null) return;
      const { opened } = arrival;
      if ("error" in arrival) {
        if (options.onFailure(opened.source.subject, arrival.error, arrival.waitedMs) === "stop") line.stop();
      } else if (arrival.result.done !== true) {
        const { value } = arrival.result;
        if (Array.isArray(value)) {
          line.putBehind(opened, value);
        } else {
          line.putBack(opened);
          if (options.costs(value)) line.budget -= 1;
          yield value;
        }
      }
    }
  } finally {
    line.close();
  }
}

/** The sources that wait for a turn, the pending ones, and what has arrived. */
class Line<T, S> {
  /** How many more items that cost may be yielded. */
  budget: number;
  readonly #options: InterleaveOptions<T, S>;
  readonly #waiting: (Source<T, S> | Opened<T, S>)[];
  /** Pending sources, with the time at which each was asked for an item. */
  readonly #asked = new Map<Opened<T, S>, number>();
  /** The slow ones among them, which no longer count towards `atOnce`. */
  readonly #slow = new Set<Opened<T, S>>();
  readonly #arrivals: Arrival<T, S>[] = [];
  /** How many items a source may yield before it waits for those that have yielded none. */
  readonly #share: number;
  #wake: () => void = () => undefined;
  /** When the last items must have arrived; null until `stop`. */
  #endsAt: number | null = null;

  constructor(sources: readonly Source<T, S>[], options: InterleaveOptions<T, S>) {
    this.#waiting = [...sources];
    this.#options = options;
    this.budget = options.budget;
    this.#share = Math.max(1, Math.floor(options.budget / options.atOnce));
  }

  /** A source that added sources waits behind all others. */
  putBehind(opened: Opened<T, S>, given: readonly Source<T, S>[]): void {
    this.#waiting.unshift(...given);
    this.#waiting.push(opened);
  }

  /** A source continues until it has used up its share, because a half-read one holds its page in memory. */
  putBack(opened: Opened<T, S>): void {
    opened.given += 1;
    if (opened.given % this.#share === 0) this.#waiting.push(opened);
    else this.#waiting.unshift(opened);
  }

  /** Starts no further source. Pending ones may still deliver within `lastItemsMs`. */
  stop(): void {
    this.#endsAt ??= this.#options.clock.monotonic() + this.#options.lastItemsMs;
  }

  /** The next thing that happens; null when nothing can happen any more. */
  async next(): Promise<Arrival<T, S> | null> {
    for (;;) {
      const [arrival] = this.#arrivals;
      // The caller decides first whether a failure ends the merge.
      if (arrival === undefined || !("error" in arrival)) this.#askMore();
      if (arrival !== undefined) {
        this.#arrivals.shift();
        return arrival;
      }
      if (this.#asked.size === 0) return null;
      if (this.#endsAt !== null && this.#options.clock.monotonic() >= this.#endsAt) return null;
      await this.#somethingHappens();
    }
  }

  close(): void {
    const now = this.#options.clock.monotonic();
    for (const [opened, since] of this.#asked) {
      this.#options.onCutOff(opened.source.subject, now - since);
      release(opened);
    }
    for (const place of [...this.#waiting, ...this.#arrivals.map(({ opened }) => opened)]) {
      this.#options.onCutOff("source" in place ? place.source.subject : place.subject, 0);
      if ("source" in place) release(place);
    }
  }

  /** How many sources are being read, not counting slow ones. */
  get #busy(): number {
    return this.#asked.size - this.#slow.size + this.#arrivals.length;
  }

  #askMore(): void {
    // Every pending source may yield an item: with more of them than the budget allows, the fastest would take it all.
    const atOnce = Math.min(this.#options.atOnce, this.budget);
    while (this.#endsAt === null && this.#busy < atOnce) {
      const place = this.#waiting[0];
      if (place === undefined || ("source" in place && this.#hadItsShare(place))) return;
      this.#waiting.shift();
      this.#ask("source" in place ? place : { source: place, items: place.read(), given: 0 });
    }
  }

  #hadItsShare({ given }: Opened<T, S>): boolean {
    for (const opened of this.#asked.keys()) {
      if (!this.#slow.has(opened) && given - opened.given >= this.#share) return true;
    }
    return false;
  }

  #ask(opened: Opened<T, S>): void {
    const { clock } = this.#options;
    const since = clock.monotonic();
    this.#asked.set(opened, since);
    const arrive = (answer: { result: IteratorResult<T | Source<T, S>[], void> } | { error: unknown }): void => {
      this.#asked.delete(opened);
      this.#slow.delete(opened);
      this.#arrivals.push({ opened, waitedMs: clock.monotonic() - since, ...answer });
      this.#wake();
    };
    opened.items.next().then(
      (result) => {
        arrive({ result });
      },
      (error: unknown) => {
        arrive({ error });
      },
    );
  }

  /** Waits for an arrival, or until a pending source becomes slow while others wait. */
  async #somethingHappens(): Promise<void> {
    const arrival = new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#waiting.length === 0 && this.#endsAt === null) return arrival;
    const { clock } = this.#options;
    const patienceMs = this.#options.patienceMs();
    const arrived = new AbortController();
    const waitMs = this.#endsAt === null ? patienceMs : this.#endsAt - clock.monotonic();
    const patience = clock.sleep(waitMs, arrived.signal).catch(() => undefined);
    await Promise.race([arrival, patience]);
    arrived.abort();
    const now = clock.monotonic();
    for (const [opened, since] of this.#asked) if (now - since >= patienceMs) this.#slow.add(opened);
  }
}

/** Lets a source clean up; a pending one does so once its item has arrived. */
function release<T, S>({ items }: Opened<T, S>): void {
  items.return().catch(() => undefined);
}
