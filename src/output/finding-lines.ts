import type { Alert, AlertChangeMessage } from "../runtime/protocol.ts";
import { type FindingChange, type FindingRecord, recordsOf } from "./finding-record.ts";
import type { FindingLine } from "./formats.ts";

/** The findings of an alert, one a line. */
export function findingLines(alert: Alert, change: FindingChange, lineOf: FindingLine): string {
  return joined(recordsOf(alert, change), lineOf);
}

/** Reasons of comments that say something about every finding of the alert. */
const ABOUT_ACCEPTANCE: ReadonlySet<AlertChangeMessage["reason"]> = new Set(["accepted", "acceptance_ended"]);

/**
 * What a change of an alert says about each of its findings, one a line. Empty for a comment on others than their acceptance: it is
 * about some of them, or leaves the decision to a person.
 *
 * @param now - when the change was found, in epoch milliseconds
 */
export function changedFindingLines(
  alert: Alert,
  { change, reason, text }: Pick<AlertChangeMessage, "change" | "reason" | "text">,
  now: number,
  lineOf: FindingLine,
): string {
  if (change === "comment" && !ABOUT_ACCEPTANCE.has(reason)) return "";
  const records = recordsOf(alert, change === "close" ? "closed" : "updated");
  const changed = records.map((record) => ({
    ...record,
    ...(change !== "close" && acceptedNow(record, reason === "accepted")),
    reason: text,
    end: Math.max(record.end, now),
    hasChangeTime: true,
  }));
  return joined(changed, lineOf);
}

/** The alert says what held when it was delivered. */
function acceptedNow({ rest }: FindingRecord, accepted: boolean): Pick<FindingRecord, "accepted" | "rest"> {
  const others = rest.filter(([name]) => name !== "accepted" && name !== "accepted_until");
  return { accepted, rest: [...others, ["accepted", accepted]] };
}

function joined(records: readonly FindingRecord[], lineOf: FindingLine): string {
  return records.map((record) => `${lineOf(record)}\n`).join("");
}
