import { type Clock, MINUTE_MS } from "../../clock.ts";

/** How long a line is taken to be slow after a body that arrived too slowly. */
const RECOVERY_MS = 5 * MINUTE_MS;

/** How much longer a body may pause: between two parts of it, this process may be busy with what it received before. */
const PATIENCE_WITH_BODIES = 2;

/** How many requests share the line, and how patient they are with bodies. A line that is too slow is shared by fewer. */
export class SharedLine {
  readonly #clock: Clock;
  readonly #usual: number;
  /** How often bodies arrived too slowly. */
  #lowered = 0;
  /** How often the number is halved now, and since when. */
  #halvings = 0;
  #halvedAt = 0;

  /** @param usual - most requests at a time */
  constructor(clock: Clock, usual: number) {
    this.#clock = clock;
    this.#usual = usual;
  }

  get mostAtOnce(): number {
    return Math.max(1, Math.floor(this.#usual / 2 ** this.#halvings));
  }

  /** How many times as long as a head a body may pause. */
  get patience(): number {
    return PATIENCE_WITH_BODIES * 2 ** this.#halvings;
  }

  /** Tells the requests that share the line from those before: to be given to `lower`. */
  get generation(): number {
    return this.#lowered;
  }

  /** A body arrived too slowly. It counts once for all requests that shared the line with it. */
  lower(generation: number): void {
    if (generation < this.#lowered) return;
    this.#lowered += 1;
    if (this.mostAtOnce > 1) this.#halvings += 1;
    this.#halvedAt = this.#clock.monotonic();
  }

  recover(now: number): void {
    if (this.#halvings === 0 || now - this.#halvedAt < RECOVERY_MS) return;
    this.#halvings -= 1;
    this.#halvedAt = now;
  }
}
