import { systemClock } from "../../../clock.ts";
import { isObject } from "../../../json.ts";
import type { ResultMessage } from "../../../runtime/protocol.ts";
import { named } from "../../../text.ts";
import type { PollFunctions } from "./n8n.ts";

const REPEATED_AFTER_MS = 24 * 3_600_000;

/**
 * Writes the message of a run to n8n's log if a person must look at it. A trigger may poll every minute, and many polls read only a part, so each
 * problem causes one warning a day, whether or not the polls in between meet it. The memory of the node holds when that was.
 */
export function warnOnceADay(n8n: PollFunctions, result: ResultMessage): void {
  const memory = n8n.getWorkflowStaticData("node");
  const now = systemClock.now();
  const warned = isObject(memory["warned"]) ? memory["warned"] : {};
  const recent = Object.entries(warned).filter(([, at]) => Math.abs(now - Number(at)) < REPEATED_AFTER_MS);
  const known = new Set(recent.map(([problem]) => problem));
  const problems = problemsOf(result);
  if (problems.every((problem) => known.has(problem))) return;
  const where = `Workflow "${named(n8n.getWorkflow().name ?? "")}", node "${named(n8n.getNode().name)}"`;
  n8n.logger.warn(`${where}: ${result.message}`, { status: result.status });
  memory["warned"] = Object.fromEntries([...recent, ...problems.map((problem) => [problem, now] as const)]);
}

/** What the message says beside what is new, in texts that stay the same while nothing changes; none if there is nothing. */
function problemsOf({ status, message, json = {} }: ResultMessage): string[] {
  const attention = json["attention"];
  if (Array.isArray(attention) && attention.length > 0) return attention.map(String);
  if (status === "completed") return [];
  // The message of a run that ended early names what is left, which differs from run to run.
  return [status === "partial" ? status : message];
}
