import type { Clock } from "../../clock.ts";
import { parseHttpDate } from "./http-date.ts";
import type { AnswerHead } from "./transport.ts";

/** The service's clock, as its responses show it. */
export class ServiceClock {
  readonly #clock: Clock;
  /** Both clocks at the moment of the newest response that had a date, in epoch milliseconds. */
  #newest: { service: number; here: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A response has arrived. Its Date header is when the service made it (RFC 9110, section 6.6.1), to the second. */
  hear({ headers }: AnswerHead): void {
    const service = parseHttpDate(headers["date"]);
    if (service !== null) this.#newest = { service, here: this.#clock.now() };
  }

  /** Epoch milliseconds of the service's clock now; null as long as no response had a readable date. */
  time(): number | null {
    if (this.#newest === null) return null;
    // This machine's clock may be set back in between; the service's time does not go back with it.
    return this.#newest.service + Math.max(0, this.#clock.now() - this.#newest.here);
  }
}
