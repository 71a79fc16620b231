import { bugsIn, type Mutant } from "../mutant.ts";

/** What the job takes for proof. `npm run simulate -- --job` runs the job through scenarios. */
export const followUp: readonly Mutant[] = [
  ...bugsIn("src/follow-up/proof/verdict.ts", [
    {
      name: "a clock of the service that is ahead brings two analyses apart",
      find: `analysisAt - absentSince >= ms && now`,
      replace: `now`,
    },
    {
      name: "two reads may follow each other at once",
      find: ` && now - noticedAt >= ms;`,
      replace: `;`,
    },
    {
      name: "analyses are apart by the job's time alone",
      find: `return analysis - firstAnalysis >= ms && `,
      replace: `return `,
    },
    {
      name: "a read right after the analysis proves that a finding is gone",
      find: `if (!isSettled(missing, terms)) return false;`,
      replace: ``,
    },
    {
      name: "where each read comes soon after an analysis, none is enough",
      find: ` || analyses >= SETTLED_ANALYSES`,
      replace: ``,
    },
    {
      name: "what is gone is back after each analysis",
      find: `if (missing.confirmed === true) return true;
  if (!isSettled(missing, terms)) return false;`,
      replace: `if (!isSettled(missing, terms)) return false;
  if (missing.confirmed === true) return true;`,
    },
    {
      name: "a finding is gone after one complete read",
      find: `return missing.analyses >= LEAST_ANALYSES && isApart(missing, time, waitMs);`,
      replace: `return missing.analyses >= 1;`,
    },
    {
      name: "two analyses that follow each other at once prove that a finding is gone",
      find: `return analysis - firstAnalysis >= ms && analysisAt - absentSince >= ms && now - noticedAt >= ms;`,
      replace: `return analysis - firstAnalysis >= 1 && analysisAt - absentSince >= 1 && now - noticedAt >= 1;`,
    },
    {
      name: "a finding that the graph still has is gone",
      find: `if (check === "holds") return "active";`,
      replace: ``,
    },
    {
      name: "an object that the service does not know confirms that a finding is gone",
      find: `(check === "none" && terms.isStillCollected)`,
      replace: `check === "unknown_object" || (check === "none" && terms.isStillCollected)`,
    },
    {
      name: "sessions that no collection renewed are gone",
      find: `(check === "none" && terms.isStillCollected)`,
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
      find: `(check === "none" || othersStay)`,
      replace: `(check === "none" || othersStay || isLong)`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/judge.ts", [
    {
      name: "what the graph confirms late vanished at that moment",
      find: `...vanishingOf(history), ...begin`,
      replace: `...begin`,
    },
    {
      name: "a list whose findings no open alert has counts as empty",
      find: `(sizes?.current ?? 0) > 0`,
      replace: `(sizes?.current ?? 0) < 0`,
    },
    {
      name: "the list of a type that is gone shows that the data of its environment is current",
      find: `if (absentSince !== undefined) return false;`,
      replace: ``,
    },
    {
      name: "what was accepted and is left out then is gone",
      find: `verdict === "gone" && mayBeLeftOut ? "missing" : verdict`,
      replace: `verdict`,
    },
    {
      name: "what was read too early is not read again after the same analysis",
      find: `Math.max(history.noticedAt + waitMs, this.#moments.analysisBy + SETTLED_AFTER_MS)`,
      replace: `history.noticedAt + waitMs`,
    },
    {
      name: "a finding that was gone once is checked again only when its alert is closed",
      find: `confirmed === true ? mayClose :`,
      replace: `confirmed === true ? mayClose && each.isProven && absent.every((one) => one.isProven) :`,
    },
    {
      name: "the only finding of an environment is gone as soon as one of several",
      find: `restsOnSessions(stream.findingType) ? sessionsStay : othersStay;`,
      replace: `restsOnSessions(stream.findingType) ? sessionsStay : true;`,
    },
    {
      name: "the only finding of an environment that joins two objects is gone as soon as one of several",
      find: `restsOnSessions(stream.findingType) ? sessionsStay : othersStay;`,
      replace: `restsOnSessions(stream.findingType) ? sessionsStay : othersStay || stream.findings.get(key)?.source !== null;`,
    },
    {
      name: "a graph that has the finding again between two analyses is not asked",
      find: `each.isProven || isPair(key)`,
      replace: `each.unchecked ?? each.isProven`,
    },
    {
      name: "the wait never begins where the graph is asked",
      find: `history?.unchecked !== true) return;`,
      replace: `history?.unchecked !== undefined) return;`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/after-read.ts", [
    {
      name: "what is marked as deleted although its risk is accepted is gone",
      find: `listed?.isAccepted === true ?`,
      replace: `listed?.isAccepted === null ?`,
    },
    {
      name: "that a finding was accepted is forgotten in a run without its alert",
      find: `for (const hash of hashesIn(memory?.accepted)) known.markAccepted(hash, time);`,
      replace: ``,
    },
    {
      name: "allowing mass closing does not release what vanished together",
      find: `return { ...history, allowed: true };`,
      replace: `return { ...history, ...(mass && { mass }), allowed: true };`,
    },
    {
      name: "the finding of a new alert cannot be hidden",
      find: `isNew(key) ? isNewHidden(createdAt, before) : mayBeHidden(visible, time.readAt)`,
      replace: `mayBeHidden(visible, time.readAt)`,
    },
    {
      name: "the finding of a new alert may be hidden by a loss of long before",
      find: `mayBeHidden([environments], time.of(createdAt).earliest)`,
      replace: `mayBeHidden([environments], 0)`,
    },
    {
      name: "what was hidden is never judged again",
      find: `history?.hidden === true && !mayHide`,
      replace: `false`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/closing-pause.ts", [
    {
      name: "what the job has closed in lists that need no read makes the loss a larger share",
      find: `const lacking = [...read, ...remembered];`,
      replace: `const lacking = [...read, ...remembered.map((each) => ({ ...each, stream: { ...each.stream, findings: new Map() } }))];`,
    },
    {
      name: "lists that cannot be read have lost nothing",
      find: `append(unread, open - missingOf(lacks, true).length, asMissing(now))`,
      replace: `append(unread, 0, asMissing(now))`,
    },
    {
      name: "findings vanish with their type, and the pause does not count them",
      find: `append(ofAbsentTypes, open, asMissing(since));`,
      replace: `append(ofAbsentTypes, 0, asMissing(since));`,
    },
    {
      name: "a type that is withdrawn keeps the pause for ever",
      find: `if (!isWithdrawn(since, now)) append(`,
      replace: `if (now >= since) append(`,
    },
    {
      name: "the pause forgets what was missing in lists that need no read",
      find: `remembered.push(lacks);`,
      replace: ``,
    },
    {
      name: "the pause does not hold",
      find: `if (begun - ended <= most) continue;`,
      replace: `if (begun - ended <= Infinity) continue;`,
    },
    {
      name: "what is left of what vanished together is not shown",
      find: `(isCertain || lacking.some(hasOpenMass))`,
      replace: `isCertain`,
    },
    {
      name: "what the admin has allowed goes on counting as a loss",
      find: `return allowed !== true;`,
      replace: `return allowed !== undefined || true;`,
    },
    {
      name: "what a closed alert lost together names its environment",
      find: `isOpen === ofOpen ?`,
      replace: `isOpen === ofOpen || ofOpen ?`,
    },
    {
      name: "an environment is named in which no alert stays open",
      find: `vanished.length > closed && (`,
      replace: `vanished.length >= 0 && (`,
    },
    {
      name: "the pause does not count what no alert is about",
      find: `isMass: lost > most,`,
      replace: `isMass: lost > Infinity,`,
    },
    {
      name: "the pause takes lists that could not be read for as long as before",
      find: `mayBeMass: lost + unread > most`,
      replace: `mayBeMass: lost > most`,
    },
    {
      name: "what vanished while lists became shorter is gone after eight days",
      find: `lists.marks && missing.noticedAt >= lists.from`,
      replace: `lists.marks && missing.noticedAt === lists.from`,
    },
    {
      name: "what was noticed long after the last look vanished when it was noticed",
      find: `from: Math.min(listedAt, until), until`,
      replace: `from: until, until`,
    },
    {
      name: "what vanished one by one vanished together once waits begin anew",
      find: `vanishedAt: until = noticedAt,`,
      replace: `noticedAt: until,`,
    },
    {
      name: "the pause lets go after a day",
      find: `const until = from + MASS_WINDOW_MS;`,
      replace: `const until = from + MASS_WINDOW_MS / 800;`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/guards.ts", [
    {
      name: "an environment that is added restarts the wait after a loss",
      find: `isShorter || isBack ? now`,
      replace: `ids.length !== before.ids.length ? now`,
    },
    {
      name: "a list that became shorter holds nothing back",
      find: `return list?.lostAt !== undefined && now - list.since < STABLE_LIST_MS;`,
      replace: `return list?.lostAt !== undefined && now - list.since < 0;`,
    },
    {
      name: "what was lost is forgotten when the list changes again",
      find: `[...before.ids, ...(before.lost ?? [])]`,
      replace: `[...before.ids]`,
    },
    {
      name: "what vanished with a zone is not hidden",
      find: `return visible.some((list) => list?.lostAt !== undefined && readAt`,
      replace: `return visible.some((list) => list?.lostAt === 0 && readAt`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/complete-list.ts", [
    {
      name: "a finding type that a gateway does not know is withdrawn",
      find: `if (!isDenied || !error.wrapped) return false;`,
      replace: `if (!isDenied) return false;`,
    },
    {
      name: "a list ends where its count says",
      find: `lacksAny && (await service.findings.hasMore(stream, distinct)) ?`,
      replace: `lacksAny && (await service.findings.hasMore(stream, distinct)) && distinct < 0 ?`,
    },
    {
      name: "a finding that is listed twice makes up for another",
      find: `at > 0 && hash === sorted[at - 1]`,
      replace: `at < 0 && hash === sorted[at - 1]`,
    },
    {
      name: "findings that do not say their type are of this one",
      find: `    if (this.#hasUntold) return FOREIGN;
`,
      replace: ``,
    },
    {
      name: "a finding whose source nobody knows is absent",
      find: `    if (!this.#wantsEnds) return keys;`,
      replace: `    if (this.#wantsEnds) return keys;`,
    },
    {
      name: "a list that is longer than its count is complete",
      find: `this.total === this.distinct ||`,
      replace: `(this.total ?? Infinity) <= this.distinct ||`,
    },
    {
      name: "a full page counts for the whole list",
      find: `reading.total === null || (pages === 1 && reading.total >= pageSize)`,
      replace: `reading.total === null`,
    },
    {
      name: "a time of deletion that was never set counts",
      find: ` && (at === null || at > 0)`,
      replace: ``,
    },
    {
      name: "a finding whose objects are named otherwise is absent",
      find: `this.#wanted.has(named) ? named : this.#keyById(finding)`,
      replace: `this.#wanted.has(named) ? named : undefined`,
    },
    {
      name: "an id that another finding has now makes this one look listed",
      find: `return known !== undefined && known > 0 && known === parseInstant(createdAt ?? "") ? key : undefined;`,
      replace: `return known !== undefined && createdAt !== "" ? key : undefined;`,
    },
    {
      name: "a finding without its objects may be any",
      find: `    if (keyOfFinding(finding) === null) this.#problem ??= NAMELESS;
`,
      replace: ``,
    },
    {
      name: "a list that the service does not count is complete",
      find: `const isCounted = this.total === this.distinct || this.total === this.#held.length;`,
      replace: `const isCounted = this.total !== -1;`,
    },
    {
      name: "a list of other findings is a complete list",
      find: `this.#problem ??= FOREIGN;`,
      replace: ``,
    },
    {
      name: "a finding that is marked as deleted counts as listed",
      find: `(at === null || at > 0)`,
      replace: `at === 0`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/missing.ts", [
    {
      name: "what was hidden is gone as soon as the zone is back",
      find: `before !== null && !absence.isAnew && isSameAbsence`,
      replace: `before !== null && isSameAbsence`,
    },
    {
      name: "a finding that was created anew has been absent all the time",
      find: ` || createdAt > firstAnalysis`,
      replace: ``,
    },
    {
      name: "a finding that was deleted anew has been absent all the time",
      find: `(deletedAt !== null && deletedAt > last) || `,
      replace: ``,
    },
    {
      name: "a deletion counts from before the read that still had the finding",
      find: `Math.max(readAt, of(deletedAt).latest)`,
      replace: `of(deletedAt).latest`,
    },
    {
      name: "the wait begins although the graph still has the finding",
      find: `...(absence.isPair && { unchecked: true }),`,
      replace: ``,
    },
    {
      name: "the same analysis counts twice",
      find: `if (!isSame) return`,
      replace: `if (isSame || !isSame) return`,
    },
    {
      name: "an absence keeps the time of an analysis that had ended before the one that began it",
      find: `firstAnalysis === last && analysis > last`,
      replace: `firstAnalysis < 0`,
    },
    {
      name: "an old mark of deletion stands for an analysis that listed the finding",
      find: `if (deletedAt === null || deletedAt < last || deletedAt <= createdAt) return null;`,
      replace: `if (deletedAt === null) return null;`,
    },
    {
      name: "a clock that was set back stops the wait for ever",
      find: ` && analysis >= before.firstAnalysis;`,
      replace: `;`,
    },
    {
      name: "a pause of the job bridges two absences",
      find: ` || now - lookedAt > LONGEST_GAP_MS`,
      replace: ``,
    },
    {
      name: "what was missing while the host sent no alert about it counts as missing all the time",
      find: `before.unseenSince !== undefined || `,
      replace: ``,
    },
    {
      name: "what vanished with many others is forgotten in a run without its alert",
      find: `if (seen.has(hash) || now - unseenSince > UNSEEN_MS) continue;`,
      replace: `if (seen.has(hash) || history.mass === true || now - unseenSince > UNSEEN_MS) continue;`,
    },
  ]),
  ...bugsIn("src/follow-up/finding-key.ts", [
    {
      name: "a finding whose objects are listed the other way round is absent",
      find: `.map(inCapitals).sort()`,
      replace: `.map(inCapitals)`,
    },
    {
      name: "a finding whose objects are listed in other letter case is absent",
      find: `.map(inCapitals).sort()`,
      replace: `.sort()`,
    },
    {
      name: "findings whose objects only capitals make the same are one finding",
      find: `.map(inCapitals).sort()`,
      replace: `.map((id) => id.toUpperCase()).sort()`,
    },
    {
      name: "findings that share a target are one finding",
      find: "return `${one.length} ${one}${other}`;",
      replace: "return inCapitals(target) + one.slice(9e9) + other.slice(9e9);",
    },
  ]),
  ...bugsIn("src/follow-up/proof/waits.ts", [
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
  ...bugsIn("src/follow-up/proof/counter-check.ts", [
    {
      name: "a relationship that gives no control does not keep a finding",
      find: `paths.shortest(source, target);`,
      replace: `paths.shortest(source, target, { onlyTraversable: true });`,
    },
    {
      name: "a graph that does not join what was asked for confirms that a finding is gone",
      find: `if (walk === null) return "failed";`,
      replace: `if (walk === null) return "none";`,
    },
    {
      name: "a longer path confirms that a finding holds",
      find: `walk.steps.length <= 1`,
      replace: `walk.steps.length <= 9`,
    },
    {
      name: "an error about something else counts as an object that is unknown",
      find: `(await areKnown(service, [source, target])) ? "failed" : graph`,
      replace: `graph`,
    },
    {
      name: "an error of the graph confirms that a finding is gone",
      find: `return "failed";
  }
}

async function isOneHop`,
      replace: `return "none";
  }
}

async function isOneHop`,
    },
    {
      name: "one direction without a path confirms that the other is gone",
      find: `["holds", "failed", "unknown_object", "none"]`,
      replace: `["none", "holds", "failed", "unknown_object"]`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/waits.ts", [
    {
      name: "logons wait for three days only where their name ends with them",
      find: `log[io]n(?!script)/i`,
      replace: `log[io]ns?(?![a-z])/i`,
    },
  ]),
];
