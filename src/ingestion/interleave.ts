import type { Clock } from "../clock.ts";

/** Yields items one after the other. A yielded array adds further sources. */
export interface Source<T, S> {
  /** What the source reads, passed to `onFailure` and `onCutOff`. */
  readonly subject: S;
  read(): AsyncGenerator<T | Source<T, S>[], void, undefined>;
}

export interface InterleaveOptions<T, S> {
  /** How many sources are read at the same time at most, not counting slow ones. */
  readonly atOnce: number;
  /** How many at the moment, where that is less. */
  atOnceNow(): number;
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

/** A source and its place in the line. */
interface Place<T, S> {
  readonly source: Source<T, S>;
  /** Null until it is read. */
  items: AsyncGenerator<T | Source<T, S>[], void, undefined> | null;
  /** Whether it was asked for an item that has not been taken yet. */
  isAsked: boolean;
  /** Items yielded so far that cost. */
  given: number;
}

type Arrival<T, S> = { readonly place: Place<T, S>; readonly waitedMs: number } & (
  | { readonly result: IteratorResult<T | Source<T, S>[], void> }
  | { readonly error: unknown }
);

/**
 * Merges the items of many sources into one sequence. Sources take turns in their order; those that a source adds come in
 * its place. With a limited budget, no source takes more than its share while others are pending. A failing source ends
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
      const { place } = arrival;
      if ("error" in arrival) {
        line.remove(place);
        if (options.onFailure(place.source.subject, arrival.error, arrival.waitedMs) === "stop") line.stop();
      } else if (arrival.result.done === true) {
        line.remove(place);
      } else if (Array.isArray(arrival.result.value)) {
        line.insert(arrival.result.value, place);
      } else {
        line.putBack(place, options.costs(arrival.result.value));
        yield arrival.result.value;
      }
    }
  } finally {
    line.close();
  }
}

/** All sources that are not exhausted, in the order of their turns, and what has arrived. */
class Line<T, S> {
  /** How many more items that cost may be yielded. */
  budget: number;
  readonly #options: InterleaveOptions<T, S>;
  /** In reverse: the last element has the next turn. There may be 100,000, and a change at the end of an array moves few of them. */
  readonly #places: Place<T, S>[];
  /** Pending sources, with the time at which each was asked for an item. */
  readonly #asked = new Map<Place<T, S>, number>();
  /** The slow ones among them, which no longer count towards `atOnce`. */
  readonly #slow = new Set<Place<T, S>>();
  readonly #arrivals: Arrival<T, S>[] = [];
  /** How many items a source may yield before it waits for those that have yielded none. */
  readonly #share: number;
  #wake: () => void = () => undefined;
  /** When the last items must have arrived; null until `stop`. */
  #endsAt: number | null = null;

  constructor(sources: readonly Source<T, S>[], options: InterleaveOptions<T, S>) {
    this.#places = sources.map(placeOf).reverse();
    this.#options = options;
    this.budget = options.budget;
    this.#share = Math.max(1, Math.floor(options.budget / options.atOnce));
  }

  /** Added sources come in the place of the one that added them. That one goes on: it may be about to add others. */
  insert(added: readonly Source<T, S>[], parent: Place<T, S>): void {
    const before = this.#places.splice(this.#places.lastIndexOf(parent) + 1);
    // One by one: there can be too many for the arguments of a call.
    for (const place of [...added.map(placeOf).reverse(), ...before]) this.#places.push(place);
    if (this.#endsAt === null) this.#ask(parent);
  }

  /** A source continues until it has used up its share, because a half-read one holds its page in memory. */
  putBack(place: Place<T, S>, hasCost: boolean): void {
    place.isAsked = false;
    if (!hasCost) return;
    this.budget -= 1;
    place.given += 1;
    this.remove(place);
    if (place.given % this.#share === 0) this.#places.unshift(place);
    else this.#places.push(place);
  }

  remove(place: Place<T, S>): void {
    this.#places.splice(this.#places.lastIndexOf(place), 1);
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
    for (const place of this.#places.reverse()) {
      this.#options.onCutOff(place.source.subject, now - (this.#asked.get(place) ?? now));
      // A pending one cleans up once its item has arrived.
      place.items?.return().catch(() => undefined);
    }
  }

  /** How many sources are being read, not counting slow ones. */
  get #busy(): number {
    return this.#asked.size - this.#slow.size + this.#arrivals.length;
  }

  #askMore(): void {
    // Every pending source may yield an item: with more of them than the budget allows, the fastest would take it all.
    const atOnce = Math.min(this.#options.atOnce, this.#options.atOnceNow(), this.budget);
    while (this.#endsAt === null && this.#busy < atOnce) {
      const place = this.#firstWaiting();
      if (place === undefined || (place.items !== null && this.#hadItsShare(place))) return;
      this.#ask(place);
    }
  }

  #firstWaiting(): Place<T, S> | undefined {
    return this.#places.findLast(({ isAsked }) => !isAsked);
  }

  #hadItsShare({ given }: Place<T, S>): boolean {
    for (const place of this.#asked.keys()) {
      if (!this.#slow.has(place) && given - place.given >= this.#share) return true;
    }
    return false;
  }

  #ask(place: Place<T, S>): void {
    const { clock } = this.#options;
    const since = clock.monotonic();
    place.isAsked = true;
    this.#asked.set(place, since);
    const arrive = (answer: { result: IteratorResult<T | Source<T, S>[], void> } | { error: unknown }): void => {
      this.#asked.delete(place);
      this.#slow.delete(place);
      this.#arrivals.push({ place, waitedMs: clock.monotonic() - since, ...answer });
      this.#wake();
    };
    place.items ??= place.source.read();
    place.items.next().then(
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
    if (this.#firstWaiting() === undefined && this.#endsAt === null) return arrival;
    const { clock } = this.#options;
    const patienceMs = this.#options.patienceMs();
    const arrived = new AbortController();
    const waitMs = this.#endsAt === null ? patienceMs : this.#endsAt - clock.monotonic();
    const patience = clock.sleep(waitMs, arrived.signal).catch(() => undefined);
    await Promise.race([arrival, patience]);
    arrived.abort();
    const now = clock.monotonic();
    for (const [place, since] of this.#asked) if (now - since >= patienceMs) this.#slow.add(place);
  }
}

function placeOf<T, S>(source: Source<T, S>): Place<T, S> {
  return { source, items: null, isAsked: false, given: 0 };
}
