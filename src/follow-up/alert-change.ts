import type { AlertChange } from "../runtime/modules.ts";
import { type JobAlert, type Priority, SEVERITIES, type Severity } from "../runtime/protocol.ts";
import { rankOf } from "../runtime/severity.ts";
import {
  ACCEPTED_PRIORITY,
  type PriorityStep,
  whenAcceptanceEnded,
  whenAccepted,
  whenAcceptedAgain,
} from "./alert-priority.ts";
import { type ChangeFacts, changeText } from "./sentences.ts";
import type { AlertMemory, VerdictCounts } from "./state/state.ts";
import { REOPEN_WITHIN_MS } from "./proof/waits.ts";

/** What the admin has set. */
export interface Settings {
  /** False: it closes nothing and lowers no priority. What it has closed or lowered before, it still takes back. */
  readonly closes: boolean;
  /** Alerts of this severity or a worse one are never closed; null for none. */
  readonly keptOpen: Severity | null;
  readonly allowsMassClosing: boolean;
}

/** What is known about one alert once its findings have their verdicts. */
export interface AlertFacts {
  readonly alert: JobAlert;
  readonly memory: AlertMemory;
  readonly counts: VerdictCounts;
  /** Times of the analyses that its gone findings were absent from, in epoch milliseconds, oldest first. */
  readonly analyses: readonly number[];
  /** The worst severity of its findings that are listed, accepted or not; unknown without any. */
  readonly worstListed: Severity;
  /** The priority that goes with the worst finding whose risk is not accepted. */
  readonly priority: Priority;
  /** So many findings of its environment vanished that nothing is closed. */
  readonly isClosingPaused: boolean;
  /** The host's clock, in epoch milliseconds. */
  readonly now: number;
}

export interface ChangeAndMemory {
  readonly change: AlertChange | null;
  readonly memory: AlertMemory;
}

/** Whether a person has closed or reopened the alert, so that it is never touched. */
export function isUnderHumanControl(alert: JobAlert, { person, closed, asked, closedAt }: AlertMemory): boolean {
  const { status, closedBy, reopenedBy } = alert;
  if (closedBy === "person" || reopenedBy === "person" || person === true) return true;
  if (status === "closed") return false;
  // The job closed it, and somebody else opened it. If the host refused a second close, nobody did.
  const wasClosed = closed === true || (closedBy === "job" && (closedAt === undefined || closedAt !== alert.closedAt));
  return wasClosed && reopenedBy !== "job" && asked !== "reopen";
}

/** What is known of an alert. A run that was killed while it asked for a reopening may have left no memory of it, but the host says so. */
export function withReopening({ status, reopenedBy }: JobAlert, memory: AlertMemory): AlertMemory {
  const { reopened = 0, closed, asked } = memory;
  const isForgotten = asked !== "reopen" && (closed === true || reopened === 0);
  if (status === "closed" || reopenedBy !== "job" || !isForgotten) return memory;
  return { ...memory, asked: "reopen", reopened: reopened + 1 };
}

/** What the host is asked to do with an alert, and what is remembered about it then. */
export function changeFor(facts: AlertFacts, settings: Settings): ChangeAndMemory {
  const { alert, counts } = facts;
  const memory = withWorst(facts);
  if (isUnderHumanControl(alert, memory)) {
    return { change: null, memory: alert.status === "open" ? { ...memory, person: true } : memory };
  }
  if (alert.status === "closed") return changeForClosed({ ...facts, memory: { ...memory, closed: true } });
  const { closed, ...open } = memory;
  const total = alert.findings.length;
  if (total === 0 || counts.unknown > 0) return { change: null, memory: open };
  const known = { ...facts, memory: open };
  if (counts.gone === total) return changeForGone(known, settings);
  if (counts.withdrawn > 0 && counts.gone + counts.withdrawn === total) return changeForWithdrawn(known);
  return changeForOpen(known, settings);
}

function changeForClosed(facts: AlertFacts): ChangeAndMemory {
  const { alert, counts, memory, now } = facts;
  const isRecent = alert.closedAt === null || now - alert.closedAt <= REOPEN_WITHIN_MS;
  if (counts.active === 0 || !isRecent) return { change: null, memory };
  // A reopening that was refused is asked for again, and doubles the wait once.
  const reopened = (memory.reopened ?? 0) + (memory.asked === "reopen" ? 0 : 1);
  const { said, gone, listed, ...kept } = memory;
  return { change: alertChange(facts, "reopen", "returned"), memory: { ...kept, asked: "reopen", reopened } };
}

function changeForGone(facts: AlertFacts, settings: Settings): ChangeAndMemory {
  const { memory } = facts;
  const isKept = isKeptOpen(facts, settings);
  if (settings.closes && !isKept) {
    if (facts.isClosingPaused) return { change: null, memory };
    const { closedAt } = facts.alert;
    const last = closedAt !== null && Number.isSafeInteger(closedAt) && closedAt >= 0 ? { closedAt } : {};
    return { change: alertChange(facts, "close", "remediated"), memory: { ...memory, asked: "close", ...last } };
  }
  if (facts.isClosingPaused || memory.said === "remediated") return { change: null, memory };
  const why = isKept ? "kept_open" : "comments_only";
  return { change: alertChange(facts, "comment", "remediated", { why }), memory: { ...memory, said: "remediated" } };
}

function isKeptOpen({ alert, memory }: AlertFacts, { keptOpen }: Settings): boolean {
  if (keptOpen === null) return false;
  const { severity = SEVERITIES[memory.worst ?? -1] ?? "unknown" } = alert;
  if (severity === "unknown") return true;
  // A finding may have become more severe since.
  return Math.min(rankOf(severity), memory.worst ?? Infinity) <= rankOf(keptOpen);
}

function changeForWithdrawn(facts: AlertFacts): ChangeAndMemory {
  const { memory } = facts;
  if (memory.said === "withdrawn") return { change: null, memory };
  return { change: alertChange(facts, "comment", "withdrawn"), memory: { ...memory, said: "withdrawn" } };
}

/** Some of its findings still hold, or may. */
function changeForOpen(facts: AlertFacts, { closes }: Settings): ChangeAndMemory {
  const { said, ...known } = facts.memory;
  const { reason, set, memory } = priorityStep(facts, known);
  if (!closes && reason === "accepted" && set !== null) return commentOnAccepted(facts, known);
  if (set === null) {
    const hasEnded = said === "accepted" && facts.counts.active > 0;
    if (hasEnded) return { change: alertChange(facts, "comment", "acceptance_ended"), memory };
    const before = said === "remediated" ? facts.alert.findings.length : (memory.gone ?? 0);
    // Until a finding is not accepted: one that is only missing ends no acceptance.
    const kept = said === "accepted" ? { ...memory, said } : memory;
    return commentOnGone({ ...facts, memory: { ...memory, ...(said !== undefined && { said }) } }, kept, before);
  }
  if (set === "kept") return { change: alertChange(facts, "comment", reason, { why: "changed_since" }), memory };
  if (!closes && !wasLowered(known))
    return { change: alertChange(facts, "comment", reason), memory: withoutPriority(memory) };
  return { change: alertChange(facts, "priority", reason, { priority: set }), memory };
}

/** Whether the job has lowered the priority, instead of finding it low. */
function wasLowered({ before }: AlertMemory): boolean {
  return before === undefined || before > ACCEPTED_PRIORITY;
}

function withoutPriority({ priority, ...memory }: AlertMemory): AlertMemory {
  return memory;
}

/** Says once what would lower the priority if Close Alerts were on. */
function commentOnAccepted(facts: AlertFacts, known: AlertMemory): ChangeAndMemory {
  const memory = { ...known, said: "accepted" as const };
  if (facts.memory.said === "accepted") return commentOnGone(facts, memory, memory.gone ?? 0);
  return { change: alertChange(facts, "comment", "accepted", { why: "comments_only" }), memory };
}

function priorityStep(
  { alert, counts, priority }: AlertFacts,
  memory: AlertMemory,
): PriorityStep & { readonly reason: "accepted" | "acceptance_ended" } {
  const areAccepted = counts.accepted > 0 && counts.accepted + counts.gone === alert.findings.length;
  if (memory.accepted !== true)
    return { reason: "accepted", ...(areAccepted ? whenAccepted(alert, memory) : { set: null, memory }) };
  if (areAccepted) return { reason: "accepted", ...whenAcceptedAgain(memory) };
  const hasEnded = counts.active > 0;
  return {
    reason: "acceptance_ended",
    ...(hasEnded ? whenAcceptanceEnded(alert, memory, priority) : { set: null, memory }),
  };
}

/** @param before - how many findings the last comment called gone */
function commentOnGone(facts: AlertFacts, memory: AlertMemory, before: number): ChangeAndMemory {
  const { counts } = facts;
  if (counts.gone === before) return { change: null, memory };
  const isAnyBack = counts.gone + counts.missing + counts.withdrawn < before;
  const listed = counts.active + counts.accepted;
  // Fewer count as gone, but no more are listed: their wait has begun again, which is nothing to comment on.
  const isOnlyWaiting = !isAnyBack && listed <= (memory.listed ?? 0);
  if (counts.gone < before && isOnlyWaiting) return { change: null, memory: facts.memory };
  const { gone, listed: listedBefore, ...rest } = memory;
  const after = counts.gone === 0 ? rest : { ...rest, gone: counts.gone, ...(listed > 0 && { listed }) };
  // Otherwise it may be one that was missing, but never called gone.
  const reason = isAnyBack ? "returned" : "partly_gone";
  return { change: alertChange(facts, "comment", reason), memory: after };
}

function withWorst({ memory, worstListed }: AlertFacts): AlertMemory {
  if (worstListed === "unknown") return memory;
  return { ...memory, worst: Math.min(memory.worst ?? Infinity, rankOf(worstListed)) };
}

function alertChange(
  { alert, counts, analyses }: AlertFacts,
  change: AlertChange["change"],
  reason: AlertChange["reason"],
  { priority, why }: { priority?: Priority; why?: ChangeFacts["why"] } = {},
): AlertChange {
  const evidence = {
    analyses: analyses.map((at) => new Date(at).toISOString()),
    gone: counts.gone,
    open: alert.findings.length - counts.gone,
  };
  return {
    alertId: alert.alertId,
    change,
    reason,
    text: changeText({ change, reason, evidence, total: alert.findings.length, why }),
    evidence,
    ...(priority !== undefined && { priority }),
  };
}
