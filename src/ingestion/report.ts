import type { ConnectorOutcome } from "../runtime/modules.ts";
import type { JsonObject } from "../runtime/protocol.ts";
import type { DocumentFailure } from "./documents.ts";
import type { Failure, Failures } from "./failures.ts";
import type { PlannedPair } from "./plan.ts";
import type { Tally } from "./read-pair.ts";

export interface RunFacts {
  tally: Tally;
  environments: number;
  /** Environments that were not read because the service has not analysed them again. */
  gated: number;
  plan: PlannedPair[];
  failures: Failures;
  documentFailures: DocumentFailure[];
  checkpoint: JsonObject;
}

export function newerState(version: number): ConnectorOutcome {
  const message = `The saved state was written by a newer version of this plugin (state version ${version}). Install that version again, or clear the connector's state to start afresh. Nothing was changed.`;
  return { status: "failed", message, value: false };
}

export function nothingSelected(): ConnectorOutcome {
  const message =
    "Selected Environments: none of them can be polled. Check the names or ids, and that the token may read environments that hold collected data.";
  return { status: "failed", message, value: false };
}

/** What a finished run says: to people in one or a few sentences, to programs in figures. */
export function runOutcome(facts: RunFacts): ConnectorOutcome {
  const { tally, plan, failures, documentFailures, gated, checkpoint } = facts;
  const unread = plan.filter(({ progress }) => progress !== "done").length;
  const complete = failures.ending === null && failures.list.length === 0 && unread === 0;
  const json = figures(facts, unread);
  const read = tally.alerts > 0 || gated > 0 || unread < plan.length;
  const [first] = failures.ending === null ? failures.list : [failures.ending];
  if (!read && first !== undefined) {
    return { status: "failed", message: `Nothing could be read. ${first.error.message}`, value: false, json };
  }
  const whole = complete && documentFailures.length === 0;
  const sentences = [
    delivered(facts),
    ...missing(failures.list, failures.ending, unread),
    ...missingTexts(documentFailures),
    ...(tally.misfits === 0 ? [] : [`${tally.misfits} values did not fit and were left out; the log names them.`]),
  ];
  return { status: whole ? "completed" : "partial", message: sentences.join(" "), value: true, json, checkpoint };
}

function delivered({ tally, environments, gated }: RunFacts): string {
  const of = `${environments} ${environments === 1 ? "environment" : "environments"}`;
  const unread = gated === 0 ? "" : `, ${gated} of them not analysed again since the last run`;
  if (tally.alerts === 0) return `Nothing new in ${of}${unread}.`;
  const findings = `${tally.findings} new ${tally.findings === 1 ? "finding" : "findings"}`;
  return `Delivered ${findings} in ${tally.alerts} ${tally.alerts === 1 ? "alert" : "alerts"} from ${of}${unread}.`;
}

const NAMED = 3;

function missing(failures: Failure[], ending: Failure | null, unread: number): string[] {
  const named = failures.slice(0, NAMED).map(({ what, error }) => `Not read: ${what}. ${error.message}`);
  const more =
    failures.length > NAMED ? [`${failures.length - NAMED} more could not be read; the log names them.`] : [];
  const ended = ending === null || failures.includes(ending) ? [] : [ending.error.message];
  const waiting = unread === 0 ? "What is missing is" : `${unread} finding types were not read to their end: they are`;
  const again =
    unread === 0 && failures.length === 0 && ending === null ? [] : [`${waiting} asked for again in the next run.`];
  return [...named, ...more, ...ended, ...again];
}

function missingTexts(failures: DocumentFailure[]): string[] {
  const [first] = failures;
  if (first === undefined) return [];
  const types = [...new Set(failures.map(({ findingType }) => findingType))];
  return [`Texts of ${types.join(", ")} could not be read, their alerts carry none: ${first.error.message}`];
}

function figures(
  { tally, environments, gated, plan, failures, documentFailures }: RunFacts,
  unread: number,
): JsonObject {
  const all = [...failures.list, ...(failures.ending === null ? [] : [failures.ending])];
  return {
    findings: tally.findings,
    alerts: tally.alerts,
    misfits: tally.misfits,
    environments,
    environmentsNotAnalysedAgain: gated,
    findingTypes: plan.length,
    findingTypesUnread: unread,
    textsUnread: documentFailures.length,
    failures: [...new Set(all)].map(({ what, error }) => ({
      what,
      code: error.code,
      status: error.status ?? null,
      message: error.message,
      requestId: error.requestId ?? null,
    })),
  };
}
