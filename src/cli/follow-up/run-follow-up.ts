import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import type { Settings } from "../../follow-up/alert-change.ts";
import { followUp, type FollowUpResult } from "../../follow-up/follow-up.ts";
import { REOPEN_WITHIN_MS } from "../../follow-up/proof/waits.ts";
import { outcomeOf } from "../../follow-up/report.ts";
import { isObject } from "../../json.ts";
import type { Selection } from "../../ingestion/selection.ts";
import type { Logger } from "../../logger.ts";
import type { AlertChange, JobOutcome } from "../../runtime/modules.ts";
import type { Json, JsonObject } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import type { Output } from "../output/output.ts";
import type { PollState } from "../poll/run-poll.ts";
import { standingAfter, type Standing } from "../../runtime/job-alert.ts";
import { type GivenAlerts, OPEN } from "./alert-lines.ts";

export interface FollowUpRunOptions {
  readonly service: AttackPathService;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly log: Logger;
  readonly given: GivenAlerts;
  readonly selection: Selection;
  readonly settings: Settings;
  /** What is written about a change; empty for nothing. */
  readonly linesOf: (change: AlertChange) => string;
  /** Takes out secrets, in case the service repeats them. */
  readonly output: Pick<Output, "prepare" | "withoutSecrets">;
  progress(done: number, total: number): void;
}

export interface FollowUpRun {
  readonly outcome: JobOutcome<"Follow Up Findings">;
  readonly result: FollowUpResult;
}

/**
 * One run of the job, with the changes that it asks for as lines. No platform confirms them, so the state takes them for done.
 *
 * @throws OutputError when the lines cannot be written; ServiceError when the environments cannot be listed
 */
export async function runFollowUp(memory: PollState, options: FollowUpRunOptions): Promise<FollowUpRun> {
  const { service, clock, given, output } = options;
  const remembered = new Map(Object.entries(partOf(memory.state, "alerts")));
  const standingOf = (id: string): Standing =>
    given.alerts.get(id)?.standing ?? (remembered.get(id) as unknown as Standing | undefined) ?? OPEN;
  const tenant = service.origin;
  const result = await followUp({
    ...options,
    state: isObject(memory.state) ? (memory.state["job"] as Json) : null,
    alerts: [...given.alerts].map(([id, { alert }]) => ({ ...alert, ...standingOf(id) })),
    async change({ checkpoint = {}, ...change }) {
      const { alertId } = change;
      const before = standingOf(alertId);
      const after = standingAfter(change, before, clock.now());
      if (after !== before) remembered.set(alertId, after);
      const patch = { tenant, job: checkpoint, ...(after !== before && { alerts: { [alertId]: { ...after } } }) };
      await memory.deliver(output.prepare(options.linesOf(change)), output.withoutSecrets<JsonObject>(patch));
    },
  });
  const { checkpoint, ...outcome } = outcomeOf(result);
  // An input that is empty or cut must not make a person the one who closed the others.
  const isKept = (standing: Json): boolean =>
    isObject(standing) && Number(standing["closedAt"]) > clock.now() - REOPEN_WITHIN_MS;
  const alerts = Object.fromEntries(
    [...remembered].filter(([id, standing]) => given.alerts.has(id) || isKept(standing)),
  );
  await memory.finish(
    checkpoint === undefined ? undefined : output.withoutSecrets<JsonObject>({ tenant, job: checkpoint, alerts }),
  );
  return { outcome, result };
}

function partOf(state: Json, name: string): JsonObject {
  const part = isObject(state) ? state[name] : null;
  return isObject(part) ? part : {};
}
