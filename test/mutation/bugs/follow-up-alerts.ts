import { bugsIn, type Mutant } from "../mutant.ts";

/** What the job does with alerts, and what it must leave alone. */
export const followUpAlerts: readonly Mutant[] = [
  ...bugsIn("src/follow-up/alert-change.ts", [
    {
      name: "a reopening that the state does not know of leaves the wait as it was",
      find: `if (status === "closed" || reopenedBy !== "job" || !isForgotten) return memory;`,
      replace: `if (status !== undefined || reopenedBy !== "job" || !isForgotten) return memory;`,
    },
    {
      name: "a close that was refused once more is taken for a person's reopening",
      find: `(closedAt === undefined || closedAt !== alert.closedAt)`,
      replace: `(closedAt === undefined || alert.closedAt !== null)`,
    },
    {
      name: "an alert that a person reopened later is closed again",
      find: `(closedAt === undefined || closedAt !== alert.closedAt)`,
      replace: `closedAt === undefined`,
    },
    {
      name: "an alert with an unknown finding is judged",
      find: `if (total === 0 || counts.unknown > 0) return`,
      replace: `if (total === 0) return`,
    },
    {
      name: "the pause does not keep an alert open",
      find: `    if (facts.isClosingPaused) return { change: null, memory };
`,
      replace: ``,
    },
    {
      name: "what a person closed is reopened",
      find: `  if (closedBy === "person" || reopenedBy === "person" || person === true) return true;
`,
      replace: ``,
    },
    {
      name: "an alert is reopened however long ago it was closed",
      find: `now - alert.closedAt <= REOPEN_WITHIN_MS`,
      replace: `now - alert.closedAt <= Infinity`,
    },
    {
      name: "Lowest Severity Kept Open keeps nothing open",
      find: `memory.worst ?? Infinity) <= rankOf(keptOpen)`,
      replace: `memory.worst ?? Infinity) < -1`,
    },
    {
      name: "Lowest Severity Kept Open goes by the severity with which an accepted finding was delivered",
      find: `Math.min(rankOf(severity), memory.worst ?? Infinity)`,
      replace: `rankOf(severity)`,
    },
    {
      name: "an alert is closed when some of its findings are gone",
      find: `if (counts.gone === total) return changeForGone(known, settings);`,
      replace: `if (counts.gone > 0) return changeForGone(known, settings);`,
    },
    {
      name: "an alert is closed when its environment does not exist any more",
      find: `if (counts.gone === total) return`,
      replace: `if (counts.gone + counts.withdrawn === total) return`,
    },
    {
      name: "an alert that a person reopened is closed again",
      find: `return wasClosed && reopenedBy !== "job" && asked !== "reopen";`,
      replace: `return false;`,
    },
    {
      name: "a finding that is back leaves its alert closed",
      find: `if (counts.active === 0 || !isRecent)`,
      replace: `if (counts.active >= 0 || !isRecent)`,
    },
    {
      name: "a close that was refused is not asked for again",
      find: `    if (facts.isClosingPaused) return { change: null, memory };`,
      replace: `    if (facts.isClosingPaused || memory.asked === "close") return { change: null, memory };`,
    },
    {
      name: "a finding whose wait begins again is said to be back",
      find: `!isAnyBack && listed <= (memory.listed ?? 0)`,
      replace: `listed < 0`,
    },
    {
      name: "a priority stays low when the acceptance ends",
      find: `const hasEnded = counts.active > 0;`,
      replace: `const hasEnded = counts.active < 0;`,
    },
  ]),
  ...bugsIn("src/follow-up/alert-priority.ts", [
    {
      name: "a low priority is said to be lowered",
      find: `before <= ACCEPTED_PRIORITY) return { set: null`,
      replace: `before < -1) return { set: null`,
    },
    {
      name: "an alert that was delivered with a low priority keeps it whatever its findings are now",
      find: `each > ACCEPTED_PRIORITY) ?? ofFindings`,
      replace: `each > -1) ?? ofFindings`,
    },
    {
      name: "a priority that the job has raised is not lowered again",
      find: `currentPriority ?? set ?? delivered`,
      replace: `currentPriority ?? delivered`,
    },
    {
      name: "a priority of somebody else is overwritten when an acceptance ends",
      find: `const isChosen = current !== left ||`,
      replace: `const isChosen =`,
    },
  ]),
  ...bugsIn("src/follow-up/follow-up.ts", [
    {
      name: "a job that could not judge anything, because the list of environments was cut, is completed",
      find: `{ failed: UNREAD.has(reason.why) }`,
      replace: `{}`,
    },
    {
      name: "fewer environments hold nothing back",
      find: `    if (isUnstable(this.#memory.visible, now)) return FEWER_ENVIRONMENTS;
`,
      replace: ``,
    },
    {
      name: "fewer zones hold nothing back",
      find: `    if (isUnstable(this.#memory.environment(id).zones, now)) return FEWER_ZONES;
`,
      replace: ``,
    },
    {
      name: "a list of environments that is incomplete proves that some are gone",
      find: `    if (!isComplete) return LIST_INCOMPLETE;
`,
      replace: ``,
    },
    {
      name: "an environment without data is judged",
      find: `    return collected === false ? NOT_COLLECTED : null;`,
      replace: `    return collected === undefined ? NOT_COLLECTED : null;`,
    },
    {
      name: "a finding without its objects is judged",
      find: `source !== "" && target !== ""`,
      replace: `source !== " "`,
    },
    {
      name: "an environment that is not listed is withdrawn at once",
      find: `if (!isWithdrawn(since, now)) {`,
      replace: `if (now - since < 0) {`,
    },
  ]),
];
