import type { RunRecord } from "../history.ts";
import { token } from "../tenant/signature.ts";
import type { Invariant } from "./invariant.ts";

/** A run has exactly one result, it is the last message, and the exit code is 0; it always comes to an end. */
export const oneResult: Invariant = (_world, _history, run) => {
  if (run.ending === "hang") return "the run never ends";
  if (run.garbage.length > 0) return `a line of standard output is no message: ${run.garbage[0]?.slice(0, 100) ?? ""}`;
  const results = run.messages.filter(({ type }) => type === "result");
  if (results.length > 1) return `${results.length} results`;
  return run.ending === "ended" ? properEnd(run) : null;
};

function properEnd({ result, messages, exitCode, stderr }: RunRecord): string | null {
  if (result === null) return `no result; standard error says ${stderr.slice(0, 300)}`;
  if (messages.at(-1)?.type !== "result") return "something follows the result";
  if (exitCode !== 0) return `exit code ${exitCode ?? "none"}`;
  return ["completed", "partial", "failed"].includes(result.status) ? null : `a connector's result is ${result.status}`;
}

/** A run that has time to begin with is over before its deadline. */
export const inTime: Invariant = (_world, _history, { ending, plan, messages }) =>
  ending === "deadline" && plan.hostMs === 0 && !messages.some(({ type }) => type === "result")
    ? `no result within ${plan.deadlineMs ?? 0} ms`
    : null;

/** Whatever the service does, the plugin has an answer of its own; it never fails by accident. */
export const noAccident: Invariant = (_world, _history, { result, stderr }) =>
  /failed unexpectedly/.test(result?.message ?? "") ? `${result?.message ?? ""} ${stderr.slice(0, 600)}` : null;

/** A result message has at most 2,000 characters. */
export const shortMessage: Invariant = (_world, _history, { result }) =>
  (result?.message.length ?? 0) > 2_000 ? `${result?.message.length ?? 0} characters` : null;

/** The token key stands in no message, no alert, no state and not in standard error. */
export const keptSecret: Invariant = (_world, _history, { output, stderr }) =>
  [output, stderr].some((text) => text.includes(token.key)) ? "the token key was written" : null;
