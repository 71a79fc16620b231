import type { AlertChange } from "../runtime/modules.ts";
import { counted, listed, sentences } from "../text.ts";

/** What the text of a change is about. */
export interface ChangeFacts extends Pick<AlertChange, "change" | "reason" | "evidence"> {
  /** How many findings the alert has. */
  readonly total: number;
  /** Why there is only a comment, although all findings are gone or accepted, or an acceptance has ended. */
  readonly why?: "kept_open" | "comments_only" | "changed_since" | undefined;
}

/** What a person reads who opens the case. */
export function changeText({ reason, evidence, total, why, change }: ChangeFacts): string {
  const { gone, analyses } = evidence;
  switch (reason) {
    case "remediated":
      return sentences([
        `${all(total)} gone. ${absent(analyses)}`,
        change === "close"
          ? "The alert is closed as remediated. It is reopened if a finding returns within 30 days."
          : NOT_CLOSED[why === "kept_open" ? why : "comments_only"],
      ]);
    case "withdrawn":
      return "The environment or the finding type of this alert no longer exists in the service, or the token can no longer see it. This does not mean that the findings are remediated. Check the access of the API token, then decide whether to close the alert.";
    case "accepted":
      return sentences([
        "The risk of every finding that is left in this alert was accepted in the service.",
        change === "priority"
          ? "The priority of the alert is lowered until an acceptance ends."
          : "The priority of the alert stays as it is because Close Alerts is off.",
      ]);
    case "acceptance_ended":
      // An acceptance has ended, or a finding that was gone is back.
      return sentences(["This alert has a finding whose risk is not accepted.", priorityNow(change, why)]);
    case "returned":
      return change === "reopen"
        ? "A finding of this alert is back in the service, so the alert is reopened. From now on, its findings must be absent for twice as long, at most 14 days, until it is closed again."
        : `A finding of this alert that was gone is back. ${progress(gone, total)}`;
    case "partly_gone":
      return `${progress(gone, total)} ${absent(analyses)} The alert stays open until all of them are gone.`;
  }
}

function priorityNow(change: AlertChange["change"], why: ChangeFacts["why"]): string {
  if (change === "priority") return "The priority of the alert is raised.";
  return why === "changed_since"
    ? "Somebody else has changed its priority, so it stays as it is."
    : "Its priority stays as it is.";
}

const NOT_CLOSED = {
  kept_open: "The alert stays open because of Lowest Severity Kept Open. Close it if you agree.",
  comments_only: "The alert stays open because Close Alerts is off. Close it if you agree.",
};

function all(total: number): string {
  return total === 1 ? "The finding of this alert is" : `All ${total} findings of this alert are`;
}

function progress(gone: number, total: number): string {
  if (gone === 0) return "None of its findings counts as gone any more.";
  return `${gone} of ${counted(total, "finding")} ${gone === 1 ? "is" : "are"} gone.`;
}

/** From the first analysis without the finding, or from its deletion, to the last analysis. */
function absent(analyses: readonly string[]): string {
  const [first, second] = analyses;
  if (first === undefined || second === undefined) return "";
  return `Absent since ${instant(first)}. Complete reads confirmed this up to the analysis of ${instant(second)}.`;
}

function instant(text: string): string {
  return `${text.slice(0, 16).replace("T", " ")} UTC`;
}

/** Why findings of an environment that vanished all at once are not closed. */
export function closingPauseNote(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `Not closed in ${listed(names)}: more than 10 and more than 30 % of the findings vanished together, within 8 days. Check whether the collectors of the environment still run and whether the token still sees everything. If the findings really are remediated, set Allow Mass Closing until their alerts are closed.`;
}

export const NOT_LISTED =
  "The token does not see this environment. Its alerts stay as they are. After 7 days they are reported as withdrawn.";
export const NOT_COLLECTED = "The environment has no collected data.";
export const FEWER_ENVIRONMENTS =
  "The token sees fewer environments than before. Nothing is judged until that has not changed for 26 hours. Check the access of the API token.";
export const FEWER_ZONES =
  "The token sees fewer zones of this environment than before. Nothing is judged until that has not changed for 26 hours.";
export const LIST_INCOMPLETE =
  "The service did not list all environments, so nothing was judged. The next run tries again.";
export const ANALYSIS_ENDED = "An analysis ended or began while the findings were read. The next run reads them again.";
export const NO_TIME =
  "The run ended before all findings of this environment were read. The next run begins with the rest. Allow runs more time if this keeps happening.";
export const TYPE_ABSENT =
  "The service does not know this finding type any more. Its alerts stay as they are. After 7 days they are reported as withdrawn.";
export const TOO_FEW_READ =
  "More than 10 and more than 30 % of its findings could not be read or are missing, so nothing was closed.";
export const CHECK_FAILED =
  "Findings that seem to be gone could not be checked in the graph. The next run tries again.";
export const HIDDEN =
  "Findings were missing when the token began to see fewer environments or zones, so nothing is concluded from that. Check the access of the API token.";
export const PERSONS = "A person closed or reopened this alert, so the job leaves it alone.";
export const NO_OBJECTS =
  "A finding of this alert does not name its objects, so nothing can be said about it. Check how the host fills in source and target.";
export const NO_FINDINGS =
  "The host names no findings of this alert, perhaps because it has lost some, so nothing can be said about it.";

export function stoppedNote(reason: string): string {
  return `The run ended before everything was judged. ${reason} The next run judges the rest.`;
}
