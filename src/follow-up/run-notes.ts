import type { AlertChange } from "../runtime/modules.ts";
import type { JobAlert } from "../runtime/protocol.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { ServiceError } from "../service/errors/errors.ts";
import type { VerdictCounts } from "./state/state.ts";
import { NO_VERDICTS, sumOf } from "./proof/verdict.ts";

/** Something that could not be judged. */
export interface NotJudged {
  readonly what: string;
  readonly why: string;
  /** It could not be read, so that the next run should try again. */
  readonly failed: boolean;
}

/** What a run found out and asked for, gathered as it goes. */
export class RunNotes {
  counts: VerdictCounts = NO_VERDICTS;
  judged = 0;
  unjudged = 0;
  readonly changes: Record<AlertChange["change"], number> = { close: 0, reopen: 0, comment: 0, priority: 0 };
  readonly closingPaused: Environment[] = [];
  readonly notJudged: NotJudged[] = [];
  /** Whether something could not be read, so that the next run should try again. */
  hasFailed = false;
  /** What ended the run early. */
  stopped: ServiceError | null = null;

  /** The verdicts on the findings of some open alerts. */
  addFindings(counts: VerdictCounts): void {
    this.counts = sumOf([this.counts, counts]);
  }

  countAlert(counts: VerdictCounts): void {
    if (counts.unknown > 0) this.unjudged += 1;
    else this.judged += 1;
  }

  /** Nothing can be said about the findings of some alerts. */
  unknown(alerts: readonly JobAlert[]): void {
    for (const { status, findings } of alerts) {
      if (status !== "open") continue;
      this.addFindings({ ...NO_VERDICTS, unknown: findings.length });
      this.unjudged += 1;
    }
  }

  stop(error: ServiceError): void {
    this.stopped ??= error;
    this.hasFailed = true;
  }

  /** Does something that the end of the run may interrupt. */
  async untilStopped(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.stop(error);
    }
  }

  cannotJudge(what: string, why: string, { failed = false } = {}): void {
    this.notJudged.push({ what, why, failed });
    if (failed) this.hasFailed = true;
  }
}
