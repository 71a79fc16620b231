import type { PlaybookRunView } from "../../console/contract/index.ts";
import type { ActionStep } from "../../../src/packaging/google-secops/playbook-source.ts";
import type { Cases } from "../cases/case-list.ts";
import type { StepOutcome } from "./playbook-run.ts";
import { messageOf } from "../../../src/text.ts";
import { PRIORITIES } from "../../console/contract/cases.ts";

/** The platform's own integration, whose actions work on the case. */
const PLATFORM = "Siemplify";
/** Runs an action of the platform on the case of a playbook's run. Those that this host does not have fail and say so. */
export function platformAction(
  cases: Cases,
  { caseId, alertKey, playbook }: Pick<PlaybookRunView, "caseId" | "alertKey" | "playbook">,
  { action, integration }: ActionStep,
  parameters: Readonly<Record<string, string>>,
): StepOutcome {
  const text = (label: string): string => (parameters[label] ?? "").trim();
  const done = (message: string): StepOutcome => ({ ok: true, message, value: "true", json: null, runId: null });
  const failed = (message: string): StepOutcome => ({ ok: false, message, value: "false", json: null, runId: null });
  const known = integration === PLATFORM ? action : "";
  try {
    if (known === "Case Tag") {
      cases.change(caseId, { addTags: [text("Tag")] }, playbook);
      return done(`Tagged the case ${text("Tag")}.`);
    }
    if (known === "Case Comment") {
      cases.comment(caseId, text("Comment"), playbook);
      return done("Commented on the case.");
    }
    if (known === "Change Alert Priority") {
      const name = text("Alert Priority");
      const [priority] = [...PRIORITIES].find(([, known]) => known === name.toLowerCase()) ?? [];
      if (priority === undefined) return failed(`"${name}" is no priority.`);
      cases.changeAlert(alertKey, priority, playbook);
      return done(
        `Set the priority of the alert to ${name.toLowerCase()}. The case takes that of its most urgent alert, unless a person has set another.`,
      );
    }
  } catch (error) {
    return failed(messageOf(error));
  }
  return failed(`This host has no action ${action} of ${integration ?? ""}. A platform may have it.`);
}
