import { formatInstant, parseInstant, type Nanoseconds } from "./instants.ts";
import { NEVER, type WireDatapipeStatus } from "./wire.ts";

const MILLISECOND = 1_000_000n;
const DAY = 24n * 3_600_000_000_000n;

/** Where the service's analysis stands, as `GET /api/v2/datapipe/status` says it. */
export class Datapipe {
  /** false: the service does not know the operation (404). */
  offered: boolean;
  #running = false;
  #updatedAt: Nanoseconds;
  #lastRunAt: Nanoseconds;
  #lastCompleteAt: Nanoseconds;

  /** @param analysedAt - RFC 3339 instant of the newest analysis of the data set; null when there was none */
  constructor(offered: boolean, analysedAt: string | null) {
    this.offered = offered;
    this.#lastCompleteAt = parseInstant(analysedAt ?? NEVER) ?? 0n;
    this.#lastRunAt = this.#lastCompleteAt;
    this.#updatedAt = this.#lastCompleteAt;
  }

  begin(now: Nanoseconds): void {
    this.#running = true;
    this.#lastRunAt = now;
    this.#updatedAt = now;
  }

  end(now: Nanoseconds): void {
    if (!this.#running) this.begin(now);
    this.#running = false;
    this.#updatedAt = now;
    // A test's clock may stand still, but no two analyses of a service end in the same instant.
    const sameInstant = this.#lastCompleteAt >= now && this.#lastCompleteAt < now + MILLISECOND;
    this.#lastCompleteAt = sameInstant ? this.#lastCompleteAt + 1n : now;
  }

  /** @param schedule - says when the next analysis is due, which only the Enterprise edition does */
  status(now: Nanoseconds, schedule: boolean): WireDatapipeStatus {
    return {
      status: this.#running ? "analyzing" : "idle",
      updated_at: formatInstant(this.#updatedAt),
      last_complete_analysis_at: formatInstant(this.#lastCompleteAt),
      last_analysis_run_at: formatInstant(this.#lastRunAt),
      ...(schedule && { next_scheduled_analysis_at: formatInstant((now / DAY + 1n) * DAY) }),
    };
  }
}
