import type { Alert, AlertChangeMessage } from "../runtime/protocol.ts";
import { type FindingChange, type FindingRecord, recordsOf } from "./finding-record.ts";
import { ocsfEvent } from "./ocsf.ts";

/** The findings of an alert as OCSF events, one a line. */
export function ocsfLines(alert: Alert, change: FindingChange): string {
  return linesOf(recordsOf(alert, change));
}

/**
 * What a change of an alert says about each of its findings, as OCSF events, one a line. Empty for a comment: it is about some of them,
 * or leaves the decision to a person.
 *
 * @param now - when the change was found, in epoch milliseconds
 */
export function ocsfChangeLines(
  alert: Alert,
  { change, reason, text }: Pick<AlertChangeMessage, "change" | "reason" | "text">,
  now: number,
): string {
  if (change === "comment") return "";
  const records = recordsOf(alert, change === "close" ? "closed" : "updated");
  return linesOf(
    records.map((record) => ({
      ...record,
      ...(change !== "close" && acceptedNow(record, reason === "accepted")),
      reason: text,
      end: Math.max(record.end, now),
      hasChangeTime: true,
    })),
  );
}

/** The alert says what held when it was delivered. */
function acceptedNow({ rest }: FindingRecord, accepted: boolean): Pick<FindingRecord, "accepted" | "rest"> {
  const others = rest.filter(([name]) => name !== "accepted" && name !== "accepted_until");
  return { accepted, rest: [...others, ["accepted", accepted]] };
}

function linesOf(records: readonly FindingRecord[]): string {
  return records.map((record) => `${JSON.stringify(ocsfEvent(record))}\n`).join("");
}
