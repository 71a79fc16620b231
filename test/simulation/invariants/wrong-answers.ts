import type { RunRecord } from "../history.ts";
import type { LogEntry } from "../tenant/log.ts";
import type { Invariant } from "./invariant.ts";

/** A run whose last answer to a question holds the rows of another finding type or environment is not complete. */
export const otherAnswersAreNoticed: Invariant = (_world, _history, run) => {
  if (run.result?.status !== "completed") return null;
  const foreign = lastAnswers(
    run,
    // What follows a list that is another one shows neither which list it is nor that the first answer was right.
    ({ endpoint, isProbe, flaw }) => endpoint === "details" && !isProbe && flaw !== "foreign end",
  ).find(({ flaw }) => flaw === "foreign rows");
  return foreign === undefined ? null : `${nameOf(foreign)} was answered with the rows of another stream`;
};

/** A run that knows only part of a list, by the list's own count, is not complete. */
export const cutListsAreNoticed: Invariant = (_world, _history, run) => {
  const { result, plan } = run;
  if (result?.status !== "completed" || plan.environments !== null || plan.types !== null) return null;
  const cut = lastAnswers(run, ({ endpoint }) => endpoint === "environments" || endpoint === "types").find(
    ({ flaw }) => flaw === "cut list",
  );
  return cut === undefined ? null : `the list of ${nameOf(cut)} was shorter than its count`;
};

/** The last answer about each environment and finding type that shows what it is. */
function lastAnswers({ requests }: RunRecord, counts: (entry: LogEntry) => boolean): LogEntry[] {
  const last = new Map<string, LogEntry>();
  for (const entry of requests) {
    const { endpoint, environment = "", type = "", outcome } = entry;
    // An answer that is wrong in another way, such as its count, may have shown what the list really is.
    if (counts(entry) && outcome === 200) last.set([endpoint, environment, type].join("\n"), entry);
  }
  return [...last.values()];
}

function nameOf({ endpoint, environment, type }: LogEntry): string {
  return [endpoint, environment, type].filter((part) => part !== undefined).join(" / ");
}
