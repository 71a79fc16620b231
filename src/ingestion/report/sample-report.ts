import type { ConnectorOutcome } from "../../runtime/modules.ts";
import { counted, sentences } from "../../text.ts";
import {
  descriptionNotes,
  nothingSelected,
  scopeNotes,
  uncollectedNotes,
  unofferedNotes,
  unreadableNotes,
} from "./notes.ts";
import type { Sample } from "../sample.ts";
import type { Selection } from "../selection.ts";

/** What a host learns about a test run. */
export function sampleOutcome(sample: Sample, selection: Selection): ConnectorOutcome {
  const { scope, read, alerts, unofferedTypes, selectsNothing, descriptions } = sample;
  if (scope.selected.length === 0) return nothingSelected(scope, selection);
  if (selectsNothing) {
    const message = sentences([
      ...scopeNotes(scope, selection),
      ...unofferedNotes(unofferedTypes, selection),
      "Nothing was read.",
    ]);
    return { status: "failed", message, value: null };
  }
  const message = sentences([
    ...unreadableNotes(scope),
    ...scopeNotes(scope, selection),
    ...unofferedNotes(unofferedTypes, selection),
    ...descriptionNotes({ descriptions, ended: null }),
    `The connector works. It can read ${counted(read, "environment")}. This test run delivered ${counted(alerts, "sample alert")} and saved no state.`,
    ...uncollectedNotes(scope),
  ]);
  const json = { environments: scope.selected.length, alerts };
  return {
    status: descriptions.length === 0 && scope.unreadable === 0 ? "completed" : "partial",
    message,
    value: true,
    json,
  };
}
