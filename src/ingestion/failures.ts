import type { Logger } from "../runtime/modules.ts";
import { endsTheRun, ServiceError } from "../service/errors.ts";

/** Outages in a row after which the service counts as gone for this run. */
const OUTAGES_TO_STOP = 3;

/** Something of the run that could not be read; `what` names it for people. */
export interface Failure {
  what: string;
  error: ServiceError;
}

/** The failures of one run: what failed alone, and what ended the run. */
export class Failures {
  readonly list: Failure[] = [];
  /** Ids of the environments that a failure concerns. */
  readonly environments = new Set<string>();
  #ending: Failure | null = null;
  #outages = 0;
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** What ended the run; nothing more is asked then. */
  get ending(): Failure | null {
    return this.#ending;
  }

  /**
   * Does one piece of work unless the run has ended; null when it failed or was not begun. A fault of the plugin itself
   * is no failure of the service and is thrown on.
   */
  async guard<T>(what: string, environmentId: string, work: () => Promise<T>): Promise<T | null> {
    if (this.#ending !== null) return null;
    try {
      const value = await work();
      this.#outages = 0;
      return value;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#book({ what, error }, environmentId);
      return null;
    }
  }

  #book(failure: Failure, environmentId: string): void {
    const { error, what } = failure;
    this.environments.add(environmentId);
    this.#outages = error.code === "network" || error.code === "timeout" ? this.#outages + 1 : 0;
    if (endsTheRun(error)) this.#ending ??= failure;
    else {
      this.list.push(failure);
      if (this.#outages >= OUTAGES_TO_STOP) this.#ending ??= failure;
      // The client has logged the request; it does not know what it was for.
      this.#log.warn(`${what} could not be read in this run (${error.code})`);
    }
  }
}
