import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import { durationText } from "../../text.ts";
import type { CheckResult } from "./check.ts";
import type { Examination } from "./examination.ts";

/** BloodHound counts requests per second, so a moment is enough where the service does not say how long to wait. */
const USUAL_WAIT_MS = 2_000;
/** In all: whoever waits longer wants to know why. */
const LONGEST_WAIT_MS = 60_000;
/** A limit that is met again after so many waits is no short one. */
const MOST_WAITS = 3;

export interface PatienceOptions {
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly waiting: (ms: number) => void;
}

/** Runs checks again that met the rate limit, once the service takes requests again. */
export class Patience {
  readonly #examination: Examination;
  readonly #options: PatienceOptions;
  #waitedMs = 0;

  constructor(examination: Examination, options: PatienceOptions) {
    this.#examination = examination;
    this.#options = options;
  }

  /** The result says how long it took to wait, or what the service answered after the last wait. */
  async run(attempt: () => Promise<CheckResult>): Promise<CheckResult> {
    const before = this.#waitedMs;
    for (let waits = 0; ; waits++) {
      const seen = this.#examination.exchanges.length;
      const result = await attempt();
      const waitMs = this.#examination.refusedSince(seen);
      if (waitMs === null || waits === MOST_WAITS || !(await this.#wait(waitMs || USUAL_WAIT_MS)))
        return withWait(result, this.#waitedMs - before);
      this.#examination.startOver();
    }
  }

  /** False when that takes too long. */
  async #wait(ms: number): Promise<boolean> {
    const { clock, deadline, waiting } = this.#options;
    if (this.#waitedMs + ms > LONGEST_WAIT_MS) return false;
    waiting(ms);
    try {
      await clock.sleep(ms, deadline.signal);
    } catch {
      return false;
    }
    this.#waitedMs += ms;
    return true;
  }
}

function withWait(result: CheckResult, waitedMs: number): CheckResult {
  if (waitedMs === 0) return result;
  const summary = `${result.summary} The rate limit was reached (status 429), so doctor waited ${durationText(waitedMs)}.`;
  return { ...result, summary, facts: { ...result.facts, waitedMs } };
}
