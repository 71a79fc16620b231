import type { ConnectorOutcome } from "../runtime/modules.ts";
import type { JsonObject } from "../runtime/protocol.ts";
import type { DocumentFailure } from "./documents.ts";
import type { Failure, Failures } from "./failures.ts";
import { pairName, type PlannedPair } from "./plan.ts";
import type { Tally } from "./read-pair.ts";

export interface RunFacts {
  tally: Tally;
  environments: number;
  /** Environments that were not read because the service has not analysed them again. */
  gated: number;
  /** Environments whose finding types could be asked for: the others failed as a whole. */
  reached: number;
  /** Sentences that people should read besides the result. */
  notes: readonly string[];
  plan: PlannedPair[];
  failures: Failures;
  documentFailures: DocumentFailure[];
  checkpoint: JsonObject;
}

export function newerState(version: number): ConnectorOutcome {
  const message = `The saved state was written by a newer version of this plugin (state version ${version}). Install that version again, or clear the connector's state to start afresh. Nothing was changed.`;
  return { status: "failed", message, value: false };
}

export function nothingSelected(notes: readonly string[]): ConnectorOutcome {
  const sentences = [
    ...notes,
    "Selected Environments: none of them can be polled.",
    "Check the names or ids, and that the token may read environments that hold collected data.",
  ];
  return { status: "failed", message: sentences.join(" "), value: false };
}

/** What a finished run says: to people in one or a few sentences, to programs in figures. */
export function runOutcome(facts: RunFacts): ConnectorOutcome {
  const { tally, plan, failures, documentFailures, gated, notes, checkpoint } = facts;
  const unread = plan.filter(({ progress }) => progress !== "done");
  const complete = failures.ending === null && failures.list.length === 0 && unread.length === 0;
  const json = figures(facts, unread.length);
  const read = tally.alerts > 0 || gated > 0 || unread.length < plan.length;
  const [first] = failures.ending === null ? failures.list : [failures.ending];
  if (!read && first !== undefined) {
    return { status: "failed", message: `Nothing could be read. ${first.error.message}`, value: false, json };
  }
  const whole = complete && documentFailures.length === 0;
  const sentences = [
    delivered(facts),
    ...notes,
    ...missing(failures.list, failures.ending, unread),
    ...missingTexts(documentFailures),
    ...misfits(tally),
  ];
  return { status: whole ? "completed" : "partial", message: sentences.join(" "), value: true, json, checkpoint };
}

function delivered({ tally, environments, reached, gated }: RunFacts): string {
  const all = `${environments} ${environments === 1 ? "environment" : "environments"}`;
  const of = reached < environments ? `${reached} of ${all}` : all;
  const unread = gated === 0 ? "" : `, ${gated} of them not analysed again since the last run`;
  if (tally.alerts === 0) return `Nothing new in ${of}${unread}.`;
  const findings = `${tally.findings} new ${tally.findings === 1 ? "finding" : "findings"}`;
  return `Delivered ${findings} in ${tally.alerts} ${tally.alerts === 1 ? "alert" : "alerts"} from ${of}${unread}.`;
}

const NAMED = 3;

function missing(failures: Failure[], ending: Failure | null, unread: PlannedPair[]): string[] {
  const failed = new Set(failures.map(({ what }) => what));
  const left = unread.map(pairName).filter((name) => !failed.has(name));
  const named = failures.slice(0, NAMED).map(({ what, error }) => `Not fully read: ${what}. ${error.message}`);
  const more =
    failures.length > NAMED ? [`${failures.length - NAMED} more could not be read; the log names them.`] : [];
  const ended = ending === null || failures.includes(ending) ? [] : [ending.error.message];
  const again = failures.length === 0 ? [] : ["What could not be read is asked for again in the next run."];
  return [...named, ...more, ...ended, ...leftFor(left), ...again];
}

function leftFor(names: string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return [`Left for the next run: ${names.slice(0, NAMED).join(", ")}${more}.`];
}

function missingTexts(failures: DocumentFailure[]): string[] {
  const [first] = failures;
  if (first === undefined) return [];
  const types = [...new Set(failures.map(({ findingType }) => findingType))];
  return [`Texts of ${types.join(", ")} could not be read, their alerts carry none: ${first.error.message}`];
}

function misfits({ misfits }: Tally): string[] {
  if (misfits === 0) return [];
  const left = misfits === 1 ? "1 value did not fit and was" : `${misfits} values did not fit and were`;
  return [`${left} left out; the log names them.`];
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
