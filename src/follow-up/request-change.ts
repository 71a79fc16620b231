import { priorityOf } from "../findings/severity.ts";
import type { JobAlert } from "../runtime/protocol.ts";
import { changeFor } from "./alert-change.ts";
import type { FollowUpContext } from "./follow-environment.ts";
import type { JudgedAlert } from "./proof/judge.ts";

/** Remembers what the verdicts mean for an alert, and asks the host for the change that follows from them, if any does. */
export async function requestChange(
  context: FollowUpContext,
  alert: JobAlert,
  judged: JudgedAlert,
  isClosingPaused: boolean,
): Promise<void> {
  const { memory, notes, settings } = context;
  const facts = { alert, memory: memory.alert(alert.alertId), ...judged, priority: priorityOf(judged.worstActive) };
  const { change, memory: after } = changeFor({ ...facts, isClosingPaused, now: context.hostNow() }, settings);
  memory.setAlert(alert.alertId, after);
  if (change === null) return;
  notes.changes[change.change] += 1;
  await context.change({ ...change, checkpoint: memory.patchOf(alert.alertId) });
}
