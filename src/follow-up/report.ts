import { scopeNotes } from "../ingestion/report/notes.ts";
import type { JobOutcome } from "../runtime/modules.ts";
import type { JsonObject } from "../runtime/protocol.ts";
import { counted, grouped, named, oneLine, sentences } from "../text.ts";
import type { FollowUpResult } from "./follow-up.ts";
import type { RefusedRun } from "./refused-run.ts";
import type { NotJudged, RunNotes } from "./run-notes.ts";
import { closingPauseNote, PERSONS, stoppedNote } from "./sentences.ts";
import type { FittedState } from "./state/fitted-state.ts";
import type { LoadedState } from "./state/load-state.ts";
import type { FollowUpState } from "./state/state.ts";
import type { Verdict } from "./proof/verdict.ts";

type Outcome = JobOutcome<"Follow Up Findings">;

const MOST_REASONS = 100;
const STARTED_OVER = "It was ignored, and every waiting period starts again.";
/** How many reasons a message has room for. */
const SAID_REASONS = 3;

/** The result of a run, for people and for hosts. A test run asks for nothing and keeps nothing. */
export function outcomeOf(result: FollowUpResult, { isTest = false } = {}): Outcome {
  if (result.kind === "newer") return newerState(result);
  if (result.kind === "refused") return refused(result, isTest);
  const { loaded, notes, selection, scope, selectsNothing, state } = result;
  const message = sentences([
    isTest ? "Test run: nothing was asked of the host and nothing is remembered." : "",
    selectsNothing
      ? `${selection.nameOf("Selected Environments")}: no alert can be judged. Check the names or ids, and that the token's user can see these environments.`
      : summary(notes, isTest ? "Would ask to" : "Asked to"),
    closingPauseNote(notes.closingPaused.map(({ id, name }) => name ?? id)),
    notes.stopped === null ? "" : stoppedNote(notes.stopped.message),
    reasons(notes),
    ...scopeNotes(scope, selection),
    stateNote(loaded),
    ...roomNotes(result),
  ]);
  const hasNothing = selectsNothing || (notes.stopped !== null && notes.judged === 0);
  return {
    status: hasNothing ? "failed" : notes.hasFailed ? "partial" : "completed",
    message,
    value: hasNothing ? null : notes.unjudged === 0 && scope.unknown.length === 0,
    json: jsonOf(notes),
    // Also of a run that could judge nothing: the next one goes on where it ended.
    ...kept(state, isTest),
  };
}

function newerState({ version }: Extract<FollowUpResult, { kind: "newer" }>): Outcome {
  return {
    status: "failed",
    message: `A newer version of this plugin wrote the job's state (version ${version}). It was not changed, and no alert was judged. Install that version again, or delete the state of the job to start over.`,
    value: null,
  };
}

function refused({ error, state }: RefusedRun, isTest: boolean): Outcome {
  return {
    status: "failed",
    message: sentences(["No alert was judged.", error.message]),
    value: null,
    ...kept(state, isTest),
  };
}

function kept(state: FollowUpState | null, isTest: boolean): Pick<Outcome, "checkpoint"> {
  return isTest || state === null ? {} : { checkpoint: state as unknown as JsonObject };
}

function summary({ judged, unjudged, changes, counts }: RunNotes, askedTo: string): string {
  const asked = [
    [changes.close, "close"],
    [changes.reopen, "reopen"],
    [changes.comment, "comment on"],
    [changes.priority, "change the priority of"],
  ] as const;
  const wishes = asked.filter(([count]) => count > 0).map(([count, what]) => `${what} ${counted(count, "alert")}`);
  const none = judged === 0 && unjudged > 0 ? "" : "No changes needed.";
  const wish = wishes.length === 0 ? none : `${askedTo} ${wishes.join(", ")}.`;
  const verdicts = (Object.keys(counts) as Verdict[]).filter((verdict) => counts[verdict] > 0);
  const findings = verdicts.map((verdict) => `${grouped(counts[verdict])} ${verdict}`).join(", ");
  return sentences([
    `Judged ${counted(judged, "open alert")}${unjudged === 0 ? "" : `, could not judge ${counted(unjudged, "more", "more")}`}.`,
    wish,
    findings === "" ? "" : `Findings: ${findings}.`,
  ]);
}

function reasons({ notJudged }: RunNotes): string {
  if (notJudged.length === 0) return "";
  const subjects = new Map<string, string[]>();
  for (const { what, why } of inOrder(notJudged)) {
    const others = subjects.get(why);
    if (others === undefined) subjects.set(why, [what]);
    else others.push(what);
  }
  const said = [...subjects].slice(0, SAID_REASONS).map(([why, [first = "", ...others]]) => {
    const more = others.length === 0 ? "" : ` and ${counted(others.length, "more", "more")}`;
    return `${named(first)}${more}: ${oneLine(why)}`;
  });
  const left = [...subjects.values()].slice(SAID_REASONS).flat().length;
  return `Not judged: ${said.join(" ")}${left > 0 ? ` And ${counted(left, "more", "more")}.` : ""}`;
}

/** First what the next run tries again, last what persons have decided: in the course of months, that becomes the longest part. */
function inOrder(notJudged: RunNotes["notJudged"]): NotJudged[] {
  const rank = ({ why, failed }: NotJudged): number => (failed ? 0 : why === PERSONS ? 2 : 1);
  return [...notJudged].sort((a, b) => rank(a) - rank(b));
}

function stateNote(loaded: Exclude<LoadedState, { kind: "newer" }>): string {
  switch (loaded.kind) {
    case "damaged":
      return `The saved state is damaged (${oneLine(loaded.problem, 120)}). ${STARTED_OVER}`;
    case "other_tenant":
      return `The saved state belongs to ${named(loaded.tenant)}. ${STARTED_OVER}`;
    default:
      return "";
  }
}

function roomNotes({ forgotten, forgottenEnvironments }: FittedState): string[] {
  const findings = `The state has no room for ${counted(forgotten, "missing finding")}: their wait begins again in the next run.`;
  const environments = `The state has no room for the findings of ${counted(forgottenEnvironments, "environment")}: no wait ends there. Create several jobs with fewer Selected Environments each.`;
  return [...(forgotten > 0 ? [findings] : []), ...(forgottenEnvironments > 0 ? [environments] : [])];
}

function jsonOf({
  counts,
  judged,
  unjudged,
  changes,
  closingPaused,
  notJudged,
}: RunNotes): NonNullable<Outcome["json"]> {
  return {
    findings: { ...counts },
    alerts: {
      judged,
      closed: changes.close,
      reopened: changes.reopen,
      commented: changes.comment,
      priorityChanged: changes.priority,
      notJudged: unjudged,
    },
    closingPaused: closingPaused.map(({ id }) => id),
    notJudged: inOrder(notJudged)
      .slice(0, MOST_REASONS)
      .map(({ what, why }) => ({ what: named(what), why: oneLine(why) })),
  };
}
