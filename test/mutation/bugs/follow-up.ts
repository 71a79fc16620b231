import { bugsIn, type Mutant } from "../mutant.ts";

/** What the job takes for proof, and what it must leave alone. The stories of the simulator run the job. */
export const followUp: readonly Mutant[] = [
  ...bugsIn("src/follow-up/verdict.ts", [
    {
      name: "a finding is gone after one complete read",
      find: `return censuses >= 2 && analysis - first >= waitMs`,
      replace: `return censuses >= 1 && analysis - first >= 0`,
    },
    {
      name: "two analyses that follow each other at once prove that a finding is gone",
      find: `analysis - first >= waitMs && now - at >= waitMs`,
      replace: `analysis - first >= 1`,
    },
    {
      name: "a finding that the graph still has is gone",
      find: `if (check === "holds") return "active";`,
      replace: ``,
    },
    {
      name: "an object that the service does not know confirms that a finding is gone",
      find: `return (check === "none" && terms.isCollected(missing))`,
      replace: `return check === "unknown_object" || (check === "none" && terms.isCollected(missing))`,
    },
    {
      name: "sessions that no collection renewed are gone",
      find: `check === "none" && terms.isCollected(missing)`,
      replace: `check === "none"`,
    },
    {
      name: "a check that failed confirms that a finding is gone",
      find: `if (check === "failed") return "unknown";`,
      replace: `if (check === "failed") return "gone";`,
    },
    {
      name: "findings of a zone that the token does not see any more are gone",
      find: `if (missing.hidden === true)`,
      replace: `if (missing.hidden === undefined && missing.at < 0)`,
    },
    {
      name: "findings are gone although nothing of the environment is left",
      find: `return othersStay && isLong`,
      replace: `return isLong`,
    },
  ]),
  ...bugsIn("src/follow-up/follow-environment.ts", [
    {
      name: "an analysis may end while the lists are read",
      find: `    if (!(await this.#isStillSettled())) return;`,
      replace: ``,
    },
    {
      name: "changed parameters wait for the next analysis",
      find: `this.#context.judgesAgain || `,
      replace: ``,
    },
    {
      name: "the graph is not asked",
      find: `const checks = isCertain ?`,
      replace: `const checks = isCertain || evidence.seenAt >= 0 ?`,
    },
    {
      name: "lists that cannot be read have lost nothing",
      find: `else if (this.#failed.has(stream)) unread.push(`,
      replace: `else if (stream.alerts.length < 0) unread.push(`,
    },
    {
      name: "findings vanish with their type, and the brake does not count them",
      find: `if (this.#absent.some((absent) => absent.stream === stream)) {`,
      replace: `if (this.#absent.some((absent) => absent.stream === stream && absent.analysis < 0)) {`,
    },
  ]),
  ...bugsIn("src/follow-up/analysis-time.ts", [
    {
      name: "lists are read while an analysis runs",
      find: `    if (!status.idle) return { why: RUNNING };`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/follow-up/judge.ts", [
    {
      name: "the wait never begins where the graph is asked",
      find: `missing.get(key)?.unchecked === true`,
      replace: `missing.get(key)?.unchecked === undefined`,
    },
  ]),
  ...bugsIn("src/follow-up/brake.ts", [
    {
      name: "the brake does not hold",
      find: `if (until - from + 1 > most) return true;`,
      replace: `if (until - from + 1 > most) return false;`,
    },
    {
      name: "the brake lets go after a day",
      find: `> MASS_WINDOW_MS) from++;`,
      replace: `> MASS_WINDOW_MS / 800) from++;`,
    },
  ]),
  ...bugsIn("src/follow-up/guards.ts", [
    {
      name: "fewer environments hold nothing back",
      find: `if (isShorter) return { ids, since: now, ...FEWER };`,
      replace: `if (isShorter) return { ids, since: now };`,
    },
    {
      name: "fewer zones hold nothing back",
      find: `const lostAt = isFewer ? now : zonesLostAt;`,
      replace: `const lostAt = zonesLostAt;`,
    },
  ]),
  ...bugsIn("src/follow-up/census.ts", [
    {
      name: "a list that the service does not count is complete",
      find: `this.total === null || this.total > this.#distinct ? UNCOUNTED : null`,
      replace: `null`,
    },
    {
      name: "a list of other findings is a complete list",
      find: `this.#problem ??= FOREIGN;`,
      replace: ``,
    },
    {
      name: "a finding that is marked as deleted counts as listed",
      find: `if (deletedAt !== undefined && deletedAt !== null)`,
      replace: `if (deletedAt === "never")`,
    },
  ]),
  ...bugsIn("src/follow-up/missing.ts", [
    {
      name: "the wait begins although the graph still has the finding",
      find: `...(absence.isPair && { unchecked: true }), `,
      replace: ``,
    },
    {
      name: "the same analysis counts twice",
      find: `(analysis === last ? 0 : 1)`,
      replace: `1`,
    },
    {
      name: "an old mark of deletion stands for an analysis that listed the finding",
      find: `if (deletedAt === null || deletedAt < last || deletedAt <= createdAt) return null;`,
      replace: `if (deletedAt === null) return null;`,
    },
    {
      name: "a clock that was set back stops the wait for ever",
      find: `analysis < before.first || now < before.at`,
      replace: `analysis < -1`,
    },
  ]),
  ...bugsIn("src/follow-up/finding-key.ts", [
    {
      name: "findings that share a target are one finding",
      find: "return `${from.length} ${from}${target.toUpperCase()}`;",
      replace: "return from.length >= 0 ? target.toUpperCase() : from;",
    },
  ]),
  ...bugsIn("src/follow-up/waits.ts", [
    {
      name: "a reopening does not double the wait",
      find: `first * 2 ** Math.min(reopened, 10)`,
      replace: `first * 2 ** Math.min(reopened, 0)`,
    },
    {
      name: "sessions are gone after a day",
      find: `const SESSION_WAIT_MS = 72 * HOUR_MS;`,
      replace: `const SESSION_WAIT_MS = 24 * HOUR_MS;`,
    },
  ]),
  ...bugsIn("src/follow-up/decide.ts", [
    {
      name: "an alert is closed when some of its findings are gone",
      find: `if (counts.gone === total) return decideGone(known, settings);`,
      replace: `if (counts.gone > 0) return decideGone(known, settings);`,
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
      find: `    if (facts.isBraked) return { change: null, memory };`,
      replace: `    if (facts.isBraked || memory.asked === "close") return { change: null, memory };`,
    },
    {
      name: "a priority stays low when the acceptance ends",
      find: `if (memory.accepted === true && counts.active > 0) {`,
      replace: `if (memory.accepted === true && counts.active < 0) {`,
    },
  ]),
];
