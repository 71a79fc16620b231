import { codeOf } from "../errors/connection-errors.ts";
import { BadRequestError, ProtocolError, ServiceError, SlowResponseError, TooLargeError } from "../errors/errors.ts";

/**
 * The service documents no largest page; it may grant fewer. The smallest page has the record that shows the position, and
 * one more.
 */
const SIZES = [1_000, 100, 10, 2] as const;
const SMALLEST = 2;
export const [LARGEST_PAGE] = SIZES;

/** A page that took this little may be followed by one that is ten times as large: even that would arrive in time. */
const LIGHT_MS = 3_000;
const LIGHT_CHARACTERS = 800_000;

/** So many light pages in a row, and a larger one is tried although one was too much before. */
const FEWEST_LIGHT = 10;

/** What a page cost. */
export interface PageCost {
  /** Length of the response. */
  readonly characters: number;
  /** From its request to its end, in milliseconds. */
  readonly tookMs: number;
}

/** How large pages can be: what one list of the tenant has shown is where the next one begins. */
export class PageSizes {
  #start = 0;

  /** Findings in a page of the next list. */
  get limit(): number {
    return SIZES[this.#start] ?? SMALLEST;
  }

  set limit(most: number) {
    const step = SIZES.findIndex((size) => size <= most);
    this.#start = step === -1 ? SIZES.length - 1 : step;
  }

  forList(): PageSize {
    return new PageSize(this.#start, (step) => {
      this.#start = step;
    });
  }
}

/** The size of the next page of one list. */
export class PageSize {
  readonly #learned: (step: number) => void;
  /** Position in `SIZES`. */
  #step: number;
  /** The first size that was not too much for the service or the line, or that is to be tried again. */
  #largest = 0;
  /** Light pages of the largest size, in a row, and how many of them it takes to try a larger one again. */
  #light = 0;
  #lightNeeded = FEWEST_LIGHT;
  /** The size of the last page that arrived, or the largest. */
  #arrived = 0;
  /** A page has failed since one arrived. */
  #isDoubted = false;

  constructor(step: number, learned: (step: number) => void) {
    this.#step = step;
    this.#learned = learned;
  }

  get limit(): number {
    return SIZES[this.#step] ?? SMALLEST;
  }

  /** Whether there is a smaller size. */
  get isDivisible(): boolean {
    return this.#step < SIZES.length - 1;
  }

  /** A page of this size has arrived. */
  arrived({ characters, tookMs }: PageCost): void {
    const isLight = characters <= LIGHT_CHARACTERS && tookMs <= LIGHT_MS;
    this.#arrived = this.#step;
    this.#isDoubted = false;
    this.#light = isLight ? this.#light + 1 : 0;
    if (this.#light === this.#lightNeeded) {
      this.#light = 0;
      this.#largest = Math.max(0, this.#largest - 1);
    }
    if (isLight && this.#step > this.#largest) this.#step -= 1;
    this.#learned(this.#step);
  }

  /** Makes the next page smaller after an error that a smaller one may avoid. @returns whether it did */
  shrink(error: unknown): boolean {
    // A larger page that is rejected after a smaller one was accepted is probably too large.
    const isRejected = error instanceof BadRequestError && this.#step < this.#arrived;
    const isCertain = isRejected || isTooMuch(error);
    if (!isCertain && (this.#isDoubted || !isPerhapsTooMuch(error))) return false;
    if (!isRejected && !this.isDivisible) return false;
    this.#isDoubted = true;
    // What grew and failed is tried again later, or never where the service rejects it.
    if (this.#step < this.#arrived) this.#lightNeeded = isRejected ? Infinity : 2 * this.#lightNeeded;
    this.#light = 0;
    this.#step += 1;
    this.#largest = this.#step;
    // Also for a run that ends before a page arrives: the next one begins with this size. An outage says nothing about sizes.
    if (isCertain) this.#learned(this.#step);
    return true;
  }
}

/**
 * The page was too large, or took the line, a gateway or the service too long (BloodHound API: 500, `request timed out` and `exceeded memory
 * limitations`).
 */
function isTooMuch(error: unknown): boolean {
  if (error instanceof TooLargeError || error instanceof SlowResponseError) return true;
  if (!(error instanceof ServiceError)) return false;
  return error.status === 504 || (error.status === 500 && /request timed out|memory limit/i.test(error.message));
}

/** How connections end that were established. */
const BROKEN_CONNECTIONS: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);

/**
 * A gateway may answer 502, or something between may break off a response, because it is too large: after each page that arrives, one
 * smaller size is tried.
 */
function isPerhapsTooMuch(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const isBrokenOff = error instanceof ProtocolError && error.retryable;
  return isBrokenOff || BROKEN_CONNECTIONS.has(codeOf(error.cause)) || error.status === 502;
}
