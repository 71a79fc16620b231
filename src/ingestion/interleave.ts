import type { Clock } from "../clock.ts";

/** Something that gives items one after the other; an array of further sources may stand among them. */
export interface Source<T, S> {
  /** What the source reads, for whoever hears of its end. */
  readonly subject: S;
  read(): AsyncGenerator<T | Source<T, S>[], void, undefined>;
}

export interface InterleaveOptions<T, S> {
  /** How many sources are asked at the same time, those that keep their caller waiting not counted. */
  readonly atOnce: number;
  /** How many more items of those that `costs` names may be given. */
  readonly budget: number;
  costs(item: T): boolean;
  readonly clock: Clock;
  /** After how many milliseconds a source that does not answer no longer keeps others from being asked. */
  readonly patienceMs: number;
  /** How many milliseconds the sources that are being asked have for a last item when a failure ends everything. */
  readonly lastItemsMs: number;
  /** Says whether the failure of one source is the end of all. */
  onFailure(subject: S, error: unknown, waitedMs: number): "continue" | "stop";
  /** Called for each source that had more to give when everything ended. */
  onCutOff(subject: S, waitedMs: number): void;
}

interface Opened<T, S> {
  readonly source: Source<T, S>;
  readonly items: AsyncGenerator<T | Source<T, S>[], void, undefined>;
  /** How many items it has given. */
  given: number;
}

type Arrival<T, S> = { readonly opened: Opened<T, S>; readonly waitedMs: number } & (
  { readonly result: IteratorResult<T | Source<T, S>[], void> } | { readonly error: unknown }
);

/**
 * Merges the items of many sources into one sequence. Sources take turns; further sources come before those that have
 * not begun. Where the budget is limited, no source gives more than its share of it while others are still to answer. A
 * source that fails ends alone unless `onFailure` says otherwise.
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

/** Who waits for a turn, who is being asked, and what has arrived. */
class Line<T, S> {
  /** How many more items of those that cost may be given. */
  budget: number;
  readonly #options: InterleaveOptions<T, S>;
  readonly #waiting: (Source<T, S> | Opened<T, S>)[];
  /** Sources that are being asked, with the moment since when. */
  readonly #asked = new Map<Opened<T, S>, number>();
  /** Those of them that no longer keep others from being asked. */
  readonly #slow = new Set<Opened<T, S>>();
  readonly #arrivals: Arrival<T, S>[] = [];
  /** How many items a source may give before it waits for those that have given none. */
  readonly #share: number;
  #wake: () => void = () => undefined;
  /** When the last items must have arrived; null as long as nothing has ended everything. */
  #endsAt: number | null = null;

  constructor(sources: readonly Source<T, S>[], options: InterleaveOptions<T, S>) {
    this.#waiting = [...sources];
    this.#options = options;
    this.budget = options.budget;
    this.#share = Math.max(1, Math.floor(options.budget / options.atOnce));
  }

  /** A source that gave sources waits behind all others. */
  putBehind(opened: Opened<T, S>, given: readonly Source<T, S>[]): void {
    this.#waiting.unshift(...given);
    this.#waiting.push(opened);
  }

  /** A source goes on until it has given its share: one that waits half-read keeps what it has read in memory. */
  putBack(opened: Opened<T, S>): void {
    opened.given += 1;
    if (opened.given % this.#share === 0) this.#waiting.push(opened);
    else this.#waiting.unshift(opened);
  }

  /** Asks no further source; those that are being asked may still answer for a moment. */
  stop(): void {
    this.#endsAt ??= this.#options.clock.now() + this.#options.lastItemsMs;
  }

  /** The next thing that happens; null when nothing can happen any more. */
  async next(): Promise<Arrival<T, S> | null> {
    for (;;) {
      const arrival = this.#arrivals.shift();
      // What failed may be the end of all.
      if (arrival === undefined || !("error" in arrival)) this.#askMore(arrival === undefined ? 0 : 1);
      if (arrival !== undefined) return arrival;
      if (this.#asked.size === 0) return null;
      if (this.#endsAt !== null && this.#options.clock.now() >= this.#endsAt) return null;
      await this.#somethingHappens();
    }
  }

  close(): void {
    const now = this.#options.clock.now();
    for (const [opened, since] of this.#asked) {
      this.#options.onCutOff(opened.source.subject, now - since);
      release(opened);
    }
    for (const place of [...this.#waiting, ...this.#arrivals.map(({ opened }) => opened)]) {
      this.#options.onCutOff("source" in place ? place.source.subject : place.subject, 0);
      if ("source" in place) release(place);
    }
  }

  /** @param inHand - how many arrivals are about to be given */
  #askMore(inHand: number): void {
    // Whoever is asked may give an item: asking more than the budget allows would let the fastest take it all.
    const atOnce = Math.min(this.#options.atOnce, this.budget);
    while (this.#endsAt === null && this.#asked.size - this.#slow.size + this.#arrivals.length + inHand < atOnce) {
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
    const since = clock.now();
    this.#asked.set(opened, since);
    const arrive = (answer: { result: IteratorResult<T | Source<T, S>[], void> } | { error: unknown }): void => {
      this.#asked.delete(opened);
      this.#slow.delete(opened);
      this.#arrivals.push({ opened, waitedMs: clock.now() - since, ...answer });
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

  /** An arrival, or the end of the patience with those that are asked while others wait. */
  async #somethingHappens(): Promise<void> {
    const arrival = new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#waiting.length === 0 && this.#endsAt === null) return arrival;
    const { clock, patienceMs } = this.#options;
    const arrived = new AbortController();
    const waitMs = this.#endsAt === null ? patienceMs : this.#endsAt - clock.now();
    const patience = clock.sleep(waitMs, arrived.signal).catch(() => undefined);
    await Promise.race([arrival, patience]);
    arrived.abort();
    const now = clock.now();
    for (const [opened, since] of this.#asked) if (now - since >= patienceMs) this.#slow.add(opened);
  }
}

/** Lets a source clean up; one that is being asked does so once it has answered. */
function release<T, S>({ items }: Opened<T, S>): void {
  items.return().catch(() => undefined);
}
