import type { Alert } from "../runtime/protocol.ts";
import { type FindingChange, recordsOf } from "./finding-record.ts";
import { ocsfEvent } from "./ocsf.ts";

/** The findings of an alert as OCSF events, one a line. */
export function ocsfLines(alert: Alert, change: FindingChange): string {
  return recordsOf(alert, change)
    .map((record) => `${JSON.stringify(ocsfEvent(record))}\n`)
    .join("");
}
