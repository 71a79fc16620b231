/** One second, and a little for clocks that round to milliseconds. */
const WINDOW_MS = 1_005;

/** The requests that the service has counted in the last second, and how many it may count. With a quarter, one in four seconds. */
export class RateWindow {
  readonly #usual: number;
  #perSecond: number;
  /** Moments of the monotonic clock. */
  #counted: number[] = [];

  /** @param perSecond - most requests in any second */
  constructor(perSecond: number) {
    this.#usual = this.#perSecond = wholeRate(perSecond);
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  /** Whether the limit has been lowered. */
  get slowed(): boolean {
    return this.#perSecond < this.#usual;
  }

  /** Lowers the limit. A higher one changes nothing. */
  slowTo(perSecond: number): void {
    this.#perSecond = Math.min(this.#perSecond, wholeRate(perSecond));
  }

  /** The service has counted a request. */
  count(moment: number): void {
    this.#counted.push(moment);
  }

  forget(now: number): void {
    this.#counted = this.#counted.filter((moment) => now - moment < this.#lengthMs);
  }

  /** Whether one more may start beside so many that the service has not counted yet. */
  hasRoomBeside(uncounted: number): boolean {
    return uncounted + this.#counted.length < Math.max(1, this.#perSecond);
  }

  /** When the counted requests leave it. */
  get ends(): number[] {
    return this.#counted.map((moment) => moment + this.#lengthMs);
  }

  get #lengthMs(): number {
    return WINDOW_MS / Math.min(1, this.#perSecond);
  }
}

/** Whole requests a second; below one, what it says. */
function wholeRate(perSecond: number): number {
  return perSecond < 1 ? perSecond : Math.floor(perSecond);
}
