/** Runs one load at a time. Needs no browser. */
export class Loader {
  readonly #load: (signal: AbortSignal) => Promise<void>;
  #current: AbortController | null = null;
  #isAskedAgain = false;

  constructor(load: (signal: AbortSignal) => Promise<void>) {
    this.#load = load;
  }

  /** Loads now, and ends the load under way. */
  start(): void {
    this.stop();
    const mine = new AbortController();
    this.#current = mine;
    void this.#load(mine.signal).finally(() => {
      if (this.#current !== mine) return;
      this.#current = null;
      if (this.#isAskedAgain) this.start();
    });
  }

  /** Loads now, or once more after the load under way: if each live event ended it, a slow load would never finish. */
  ask(): void {
    if (this.#current === null) this.start();
    else this.#isAskedAgain = true;
  }

  stop(): void {
    this.#current?.abort();
    this.#current = null;
    this.#isAskedAgain = false;
  }
}
