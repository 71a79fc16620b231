import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import { manifest } from "../../generated/manifest.ts";
import { poll } from "../../ingestion/poll.ts";
import { outcomeOf, type RunTerms } from "../../ingestion/report.ts";
import type { Selection } from "../../ingestion/selection.ts";
import type { RunSummary } from "../../ingestion/run-summary.ts";
import type { ConnectorOutcome } from "../../runtime/modules.ts";
import type { ConnectorRun, JsonObject } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import type { LineOutput } from "./line-output.ts";
import { Lock } from "./lock.ts";
import { StateFile } from "./state-file.ts";

const ON_A_COMMAND_LINE: RunTerms = {
  alertLimit: "The limit of --max-alerts is reached.",
  startOver: "choose another state file to start over",
};

export interface PollRunOptions {
  readonly service: AttackPathService;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** Path of the state file; made by the first run. */
  readonly stateFile: string;
  readonly output: LineOutput;
  readonly selection: Selection;
  readonly limits: Pick<ConnectorRun, "maxAlerts" | "maxEventsPerAlert">;
  /** Takes secrets out of a text, in case the service repeats them. */
  readonly redact: (text: string) => string;
  progress(done: number, total: number): void;
}

export interface PollRunResult {
  readonly outcome: ConnectorOutcome;
  /** Null when nothing was read. */
  readonly summary: RunSummary | null;
}

/**
 * One run of the connector, with its state in a file and its alerts as lines of JSON. Killed at any moment, the next run
 * goes on where this one was: a line that may not have been written is looked for in the output, or written again as it was.
 *
 * @throws LockedError when another run uses the state file
 * @throws StateFileError when the state file is something else
 * @throws OutputError when the lines cannot be written
 */
export async function runPoll(options: PollRunOptions): Promise<PollRunResult> {
  const path = await StateFile.locate(options.stateFile);
  const lock = await Lock.acquire(`${path}.lock`);
  try {
    const file = await StateFile.open(path, options.service.origin);
    await finishPending(file, options.output);
    return await pollInto(file, options);
  } finally {
    await lock.release();
  }
}

async function finishPending(file: StateFile, output: LineOutput): Promise<void> {
  const { pending } = file;
  if (pending === null) return;
  const missing = await output.missing(pending.line, pending.position);
  if (missing.length > 0) await output.write(missing);
  file.confirm();
  await file.finish();
}

async function pollInto(file: StateFile, options: PollRunOptions): Promise<PollRunResult> {
  const { output, redact } = options;
  const redacted = (value: JsonObject): JsonObject => JSON.parse(redact(JSON.stringify(value))) as JsonObject;
  const { product, vendor } = manifest;
  const result = await poll({
    ...options,
    state: file.state,
    labels: { product, vendor, productField: "device_product", eventField: "finding_type" },
    async deliver(alert, patch) {
      const line = `${redact(JSON.stringify(alert))}\n`;
      await file.announce({ line, patch: redacted(patch), position: output.position() });
      await output.write(Buffer.from(line));
      file.confirm();
    },
  });
  const outcome = outcomeOf(result, ON_A_COMMAND_LINE);
  if (outcome.checkpoint !== undefined) await file.finish(redacted(outcome.checkpoint));
  return { outcome, summary: "summary" in result ? result.summary : null };
}
