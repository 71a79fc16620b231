import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import { manifest } from "../../generated/manifest.ts";
import { poll } from "../../ingestion/poll.ts";
import { outcomeOf, type RunTerms } from "../../ingestion/report/report.ts";
import type { Selection } from "../../ingestion/selection.ts";
import type { RunSummary } from "../../ingestion/report/run-summary.ts";
import type { ConnectorOutcome } from "../../runtime/modules.ts";
import type { Alert, ConnectorRun, Json, JsonObject } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import type { Output } from "../output/output.ts";

const ON_A_COMMAND_LINE: RunTerms = {
  alertLimit: "The limit of --max-alerts is reached.",
  startOver: "choose another state file, or pass no state, to start over",
};

/** What the connector remembers between two runs, and where its alerts go. */
export interface PollState {
  /** As the last run left it; null before the first run. */
  readonly state: Json;
  /**
   * Writes lines to standard output, and remembers what is true once they are written.
   *
   * @param patch - JSON merge patch
   * @throws OutputError when the lines cannot be written
   */
  deliver(lines: string, patch: JsonObject): Promise<void>;
  /** @param checkpoint - the whole state once all lines are written; undefined when the run leaves the state as it is */
  finish(checkpoint: JsonObject | undefined): Promise<void>;
}

export interface PollRunOptions {
  readonly service: AttackPathService;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly selection: Selection;
  readonly limits: Pick<ConnectorRun, "maxAlerts" | "maxEventsPerAlert">;
  /** An alert as lines, each with its line feed. */
  readonly linesOf: (alert: Alert) => string;
  /** Takes out secrets, in case the service repeats them. */
  readonly output: Pick<Output, "prepare" | "withoutSecrets">;
  progress(done: number, total: number): void;
}

export interface PollRunResult {
  readonly outcome: ConnectorOutcome;
  /** Null when nothing was read. */
  readonly summary: RunSummary | null;
}

/**
 * One run of the connector, with its alerts as lines.
 *
 * @throws OutputError when the lines cannot be written
 */
export async function runPoll(memory: PollState, options: PollRunOptions): Promise<PollRunResult> {
  const { output, linesOf } = options;
  const { product, vendor } = manifest;
  const result = await poll({
    ...options,
    state: memory.state,
    labels: { product, vendor, productField: "device_product", eventField: "finding_type" },
    deliver: (alert, patch) => memory.deliver(output.prepare(linesOf(alert)), output.withoutSecrets(patch)),
  });
  const outcome = outcomeOf(result, ON_A_COMMAND_LINE);
  await memory.finish(outcome.checkpoint === undefined ? undefined : output.withoutSecrets(outcome.checkpoint));
  return { outcome, summary: "summary" in result ? result.summary : null };
}
