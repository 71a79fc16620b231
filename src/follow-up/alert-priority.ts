import type { JobAlert, Priority } from "../runtime/protocol.ts";
import type { AlertMemory } from "./state/state.ts";

/** Of a finding whose risk is accepted, as the platform counts. */
export const ACCEPTED_PRIORITY: Priority = 40;
const UNKNOWN_PRIORITY: Priority = -1;

/** What becomes of the priority of an alert, and what is remembered about it then. */
export interface PriorityStep {
  /** What the host is to set it to; "kept": nothing, because somebody else has changed it; null: nothing to do. */
  readonly set: Priority | "kept" | null;
  readonly memory: AlertMemory;
}

/** All of its findings that are left are accepted. An alert that has so low a priority keeps it. */
export function whenAccepted(alert: JobAlert, memory: AlertMemory): PriorityStep {
  const before = currentOf(alert, memory);
  const accepted = { ...memory, accepted: true as const, ...(before !== undefined && { before }) };
  if (before !== undefined && before <= ACCEPTED_PRIORITY) return { set: null, memory: accepted };
  return { set: ACCEPTED_PRIORITY, memory: { ...accepted, priority: ACCEPTED_PRIORITY } };
}

/**
 * A finding is not accepted any more: the alert gets the priority that it had before, else the one that it was delivered with. If those
 * are low, as when its findings were accepted by then, it gets that of its findings.
 *
 * @param ofFindings - the priority that goes with the worst finding that is not accepted
 */
export function whenAcceptanceEnded(alert: JobAlert, memory: AlertMemory, ofFindings: Priority): PriorityStep {
  const { accepted, acceptanceEnded, before = ACCEPTED_PRIORITY, ...rest } = memory;
  const { priority: delivered = before, currentPriority } = alert;
  const left = Math.min(before, ACCEPTED_PRIORITY);
  const priority = [before, delivered].find((each) => each > ACCEPTED_PRIORITY) ?? ofFindings;
  // The service does not say how severe its findings are, or only the graph has them. A later list may say it.
  if (priority === UNKNOWN_PRIORITY) return { set: null, memory: { ...memory, acceptanceEnded: true } };
  const current = currentPriority ?? left;
  const ended = withPriority(rest, currentPriority);
  if (priority <= left || current === priority) return { set: null, memory: ended };
  const isChosen = current !== left || (before === UNKNOWN_PRIORITY && delivered > before);
  if (isChosen) return { set: "kept", memory: ended };
  return { set: priority, memory: { ...rest, priority } };
}

/** Its findings are accepted once more, before the end of the former acceptance had its effect. */
export function whenAcceptedAgain({ acceptanceEnded, ...memory }: AlertMemory): PriorityStep {
  return { set: null, memory };
}

/** Keeps the priority that the host reported: not every host reports it in each run. */
function withPriority(memory: AlertMemory, priority: Priority | undefined): AlertMemory {
  return priority === undefined ? memory : { ...memory, priority };
}

/** Undefined when nobody knows. Only some hosts say what somebody else has set. */
function currentOf(
  { currentPriority, priority: delivered }: JobAlert,
  { priority: set }: AlertMemory,
): Priority | undefined {
  return currentPriority ?? set ?? delivered;
}
