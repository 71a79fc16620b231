import type { Deadline } from "../deadline.ts";
import type { Logger } from "../logger.ts";
import type { AlertChange } from "../runtime/modules.ts";
import type { JobAlert } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { Settings } from "./alert-change.ts";
import { EnvironmentReads } from "./environment-reads.ts";
import { settleEnvironment } from "./environment-verdicts.ts";
import type { AnalysisTime, AnalysisTimes } from "./proof/analysis-time.ts";
import type { JobTime } from "./proof/job-time.ts";
import type { RunNotes } from "./run-notes.ts";
import type { FollowUpMemory } from "./state/memory.ts";
import { streamsOf } from "./streams.ts";

/** What a run works with. */
export interface FollowUpContext {
  readonly service: AttackPathService;
  readonly times: AnalysisTimes;
  readonly memory: FollowUpMemory;
  readonly settings: Settings;
  readonly deadline: Deadline;
  /** The last run ended before it had judged all: this one stores what it has after each request, so that it cannot lose it all. */
  readonly isCareful: boolean;
  readonly notes: RunNotes;
  readonly log: Logger;
  readonly time: JobTime;
  /** By the job's time. */
  now(): number;
  /** In epoch milliseconds. */
  hostNow(): number;
  /** Asks the host for a change. */
  change(change: AlertChange): Promise<void>;
  /** The tenant's last word about its analysis; null when it does not offer it. */
  tenantTime: AnalysisTime | null;
}

/**
 * Judges the alerts of one environment that nothing speaks against judging. A run that has no time for all of them, or that ends
 * meanwhile, keeps what it has found out, and the next one begins where it stopped.
 */
export async function followEnvironment(
  context: FollowUpContext,
  environment: Environment,
  alerts: readonly JobAlert[],
): Promise<void> {
  const reads = new EnvironmentReads(context, environment, streamsOf(alerts));
  await context.notes.untilStopped(() => reads.readAll());
  context.memory.beginAt(environment.id, reads.next());
  await settleEnvironment(context, environment, reads);
}
