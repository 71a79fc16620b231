import type { Clock } from "../../clock.ts";
import { parseHttpDate } from "../instants.ts";
import type { AnswerHead } from "../transport.ts";

/** The service's clock, as its responses show it. */
export class ServiceClock {
  readonly #clock: Clock;
  /** Epoch milliseconds of the newest response that had a date, and when it arrived by this machine's monotonic clock. */
  #newest: { service: number; here: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A response has arrived. Its Date header is when the service made it (RFC 9110, section 6.6.1), to the second. */
  hear({ headers }: AnswerHead): void {
    const service = parseHttpDate(headers["date"]);
    if (service !== null) this.#newest = { service, here: this.#clock.monotonic() };
  }

  /** Epoch milliseconds of the service's clock now; null as long as no response had a readable date. */
  time(): number | null {
    if (this.#newest === null) return null;
    return this.#newest.service + this.#clock.monotonic() - this.#newest.here;
  }
}
