import { bugsIn, type Mutant } from "../mutant.ts";

/** How a run of the job reads, what it remembers, and what time it goes by. */
export const followUpRuns: readonly Mutant[] = [
  ...bugsIn("src/follow-up/proof/missing.ts", [
    {
      name: "what vanished one by one looks as if it had vanished at once when its wait begins anew",
      find: `{ ...missing, allowed: true as const }`,
      replace: `missing`,
    },
    {
      name: "a wait that begins anew again and again makes one loss of what vanished one by one",
      find: `lookedAt - vanishedAt <= MASS_WINDOW_MS`,
      replace: `lookedAt - noticedAt <= MASS_WINDOW_MS`,
    },
    {
      name: "while findings may be hidden they count as seen to be missing",
      find: `vanishedAt ?? (hidden === true || analyses === 0 ? undefined : noticedAt)`,
      replace: `vanishedAt ?? (analyses === 0 ? undefined : noticedAt)`,
    },
    {
      name: "what vanished with many others is allowed once it has been missing for long",
      find: `mass === true || hidden === true || analyses === 0`,
      replace: `hidden === true || analyses === 0`,
    },
    {
      name: "what may have been hidden for long pauses nothing once it is seen to be missing",
      find: `mass === true || hidden === true || analyses === 0`,
      replace: `mass === true || analyses === 0`,
    },
    {
      name: "what was accepted long ago pauses nothing when it is missing",
      find: `mass === true || hidden === true || analyses === 0`,
      replace: `mass === true || hidden === true`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/after-read.ts", [
    {
      name: "an alert that one run missed counts as new",
      find: `[...new Set([...own, ...known])]`,
      replace: `own`,
    },
    {
      name: "alerts that one run missed count as new if they were most of them",
      find: `Math.max(2 * own.length, known.size, FEWEST_ALERTS)`,
      replace: `Math.max(2 * own.length, FEWEST_ALERTS)`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/closing-pause.ts", [
    {
      name: "alerts that a run misses make the loss a larger share",
      find: `const all = lossOf([findings], now).had;`,
      replace: `const all = findings.current;`,
    },
  ]),
  ...bugsIn("src/follow-up/follow-environment.ts", [
    {
      name: "a run that is too short loses what it has read",
      find: `await context.notes.untilStopped(() => reads.readAll());`,
      replace: `await reads.readAll();`,
    },
    {
      name: "a run that is too short begins where the last one did",
      find: `memory.beginAt(environment.id, reads.next());`,
      replace: `memory.beginAt(environment.id, reads.next() && null);`,
    },
  ]),
  ...bugsIn("src/follow-up/environment-reads.ts", [
    {
      name: "a type without findings is not read where one behind it tells of a later analysis",
      find: `const isKnown = kind === "unchanged" || kind === "still_absent" || kind === "read";`,
      replace: `const isKnown = false;`,
    },
    {
      name: "the graph is not asked",
      find: `const unasked = pause.isCertain ?`,
      replace: `const unasked = pause.isCertain || this.streams.length > 0 ?`,
    },
    {
      name: "a list that takes longer than a run holds up what is behind it",
      find: `done === 0 ? 1 % this.streams.length : done`,
      replace: `done`,
    },
    {
      name: "after a run that was refused, as much is lost again",
      find: `this.#context.isCareful ? 1 : READS_AT_A_TIME`,
      replace: `READS_AT_A_TIME`,
    },
    {
      name: "a type that was gone in an earlier run after the same analysis does not count for the pause",
      find: `(wasAbsent && read === null && !isFailed)`,
      replace: `(wasAbsent && read !== null && !isFailed)`,
    },
    {
      name: "what an earlier run has read holds the pause",
      find: `isOfLast(known.analysis)`,
      replace: `known.analysis === 0`,
    },
    {
      name: "what was read while an analysis began counts for the pause",
      find: `if (!counts) return`,
      replace: `if (!counts && each.read === null) return`,
    },
  ]),
  ...bugsIn("src/follow-up/environment-verdicts.ts", [
    {
      name: "a finding that nothing but unread lists keeps from being gone waits for the next analysis",
      find: `(judge.lacksEvidence && this.#reads.isCut)`,
      replace: `(judge.lacksEvidence && !this.#reads.isCut)`,
    },
    {
      name: "what was missing in a list that cannot be read does not belong to what vanished together",
      find: `memory.markMass(this.#environment.id, pause.marks);`,
      replace: `memory.markMass("", pause.marks);`,
    },
    {
      name: "what runs have read one after the other is never closed",
      find: `gone > 0 && holds && !isCertain && this.#reads.isCut`,
      replace: `gone < 0 && holds && !isCertain && this.#reads.isCut`,
    },
    {
      name: "a type that is gone is withdrawn by the next analysis only",
      find: `...(verdict === "unknown" && { due: absentSince + WITHDRAWN_AFTER_MS }),`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/follow-up/read-streams.ts", [
    {
      name: "another analysis may have ended before the last read of the one before",
      find: `Math.max(placed, readAt)`,
      replace: `placed`,
    },
    {
      name: "an analysis that was reported too late is placed anew by each read",
      find: `isSame ? Math.min(placed, known.earliest)`,
      replace: `isSame ? placed`,
    },
    {
      name: "an analysis that is reported late, or an older one, counts as another one",
      find: `(reportedAt === last || of(reportedAt).latest < readAt)`,
      replace: `reportedAt === last`,
    },
    {
      name: "an older analysis that is reported once replaces the one of the last read",
      find: `isSame ? Math.max(reportedAt, last) : reportedAt`,
      replace: `reportedAt`,
    },
    {
      name: "another sparkline stands for that of a type with findings",
      find: `list.size > 0 && reported.by !== stream`,
      replace: `list.size < 0 && reported.by !== stream`,
    },
    {
      name: "without a status of the tenant, an analysis may end while the graph is asked",
      find: `each.outdated = whyOutdated(await timeOfNow(each.readFor?.by ?? each.stream), each.readFor);`,
      replace: `each.outdated = null;`,
    },
    {
      name: "an analysis may end while the lists are read",
      find: `for (const each of read) each.outdated = whyOutdated(now, each.readFor);`,
      replace: `for (const each of read) each.outdated = each.readFor === null ? whyOutdated(now, null) : null;`,
    },
    {
      name: "a new alert counts as judged by a read from before it",
      find: `if (known.open !== stream.openHash) return true;`,
      replace: ``,
    },
    {
      name: "a type that was gone in an earlier run after the same analysis counts as judged",
      find: `known?.absentSince === undefined ? "unchanged"`,
      replace: `known?.absentSince !== null ? "unchanged"`,
    },
    {
      name: "reading leaves no time for the graph",
      find: `isFirst || this.#context.deadline.remainingMs() >= this.#reserveMs`,
      replace: `isFirst || this.#context.deadline.remainingMs() > 0`,
    },
  ]),
  ...bugsIn("src/follow-up/environment-verdicts.ts", [
    {
      name: "alerts whose type was not known for a while count as new",
      find: `...(alerts !== undefined && { alerts }),`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/follow-up/environment-reads.ts", [
    {
      name: "points of one analysis that are seconds apart tell of two",
      find: `tenantTime === null ? ONE_ANALYSIS_MS : 0`,
      replace: `tenantTime === null ? 0 : 0`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/sparklines.ts", [
    {
      name: "a type that is rejected has a sparkline that fails",
      find: `error instanceof NotFoundError || error instanceof BadRequestError`,
      replace: `error instanceof NotFoundError`,
    },
    {
      name: "a type without findings waits for a point of its own sparkline",
      find: `return isBehind ? this.#newest : reportedBy(stream, own);`,
      replace: `return reportedBy(stream, own);`,
    },
    {
      name: "another analysis may end while a type is read by the sparkline of another one",
      find: `return isBehind ? this.#newest : reportedBy(stream, own);`,
      replace: `return isBehind ? { ...this.#newest, by: stream } : reportedBy(stream, own);`,
    },
    {
      name: "the sparkline of another type counts as soon as it is newer",
      find: `const NO_POINT_MS = 12 * HOUR_MS;`,
      replace: `const NO_POINT_MS = 0 * HOUR_MS;`,
    },
    {
      name: "a list counts for an earlier analysis than the one that emptied it",
      find: `return read?.by === stream && this.#isOlderBy(ONE_ANALYSIS_MS, stream);`,
      replace: `return read?.by === stream && this.#isOlderBy(Infinity, stream);`,
    },
  ]),
  ...bugsIn("src/follow-up/state/memory.ts", [
    {
      name: "an environment whose data is hidden counts as seen",
      find: `environments.filter(({ collected }) => collected !== false).map(({ id }) => id)`,
      replace: `environments.map(({ id }) => id)`,
    },
    {
      name: "what was missing while the token saw less goes on waiting once it sees everything",
      find: `if (hasLost(this.#visible, visible)) this.#changeStreams(withHidden);`,
      replace: ``,
    },
    {
      name: "what was missing while the token saw fewer zones goes on waiting once it sees all",
      find: `if (hasLost(known.zones, zones)) this.#changeStreamsOf(environment.id, withHidden);`,
      replace: ``,
    },
    {
      name: "changed parameters wait for the next analysis",
      find: `this.#changeStreams((stream) => ({ ...stream, due: 0 }));`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/follow-up/proof/ask-graph.ts", [
    {
      name: "the findings of all alerts are asked about in one order, so that short runs finish none",
      find: "hashOf(`${now} ${question.alertId}`), ",
      replace: "",
    },
    {
      name: "answers are lost when the time is up before all have arrived",
      find: `      return given(error);
    }
    answers.push`,
      replace: `      return { checks: byStream(ordered, []), stopped: error };
    }
    answers.push`,
    },
  ]),
  ...bugsIn("src/follow-up/proof/analysis-time.ts", [
    {
      name: "a tenant that stops telling its analysis is asked for sparklines in between",
      find: `if (status === null) return this.#isOffered ? NOT_REPORTED : null;`,
      replace: `if (status === null) return null;`,
    },
    {
      name: "lists are read while an analysis runs",
      find: `    if (!status.idle) return { why: RUNNING };`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/follow-up/proof/job-time.ts", [
    {
      name: "an analysis ended when the service's clock says so, however that clock went",
      find: `isToCome ? 0 : Math.min(...moments)`,
      replace: `isToCome ? 0 : Math.max(...moments)`,
    },
    {
      name: "an analysis that ended in the future may have ended now",
      find: `instant >= service + DATE_STEP_MS`,
      replace: `instant > Infinity`,
    },
    {
      name: "a first run takes the service's clock for right, whatever the host's says",
      find: `{ service: host, time: service, until: host }`,
      replace: `{ service, time: service, until: host }`,
    },
    {
      name: "a first analysis ended when the service's clock says so, however that clock went",
      find: `latest: Math.max(...moments)`,
      replace: `latest: Math.min(...moments)`,
    },
    {
      name: "a jump of the service's clock is forgotten in the run after it was found",
      find: `, last, before.earlier)`,
      replace: `, last)`,
    },
    {
      name: "a moment that the clock told after a jump may have been before it",
      find: `earlier.filter(({ until }) => instant <= until)`,
      replace: `earlier`,
    },
    {
      name: "a clock of the service that jumps ahead shortens the wait",
      find: `Math.min(serviceMs, hostMs)`,
      replace: `serviceMs`,
    },
    {
      name: "a clock of the host that jumps ahead shortens the wait",
      find: `Math.min(serviceMs, hostMs)`,
      replace: `hostMs`,
    },
    {
      name: "the job's time goes back with a clock",
      find: `Math.max(0, Math.min(service`,
      replace: `Math.min(0, Math.min(service`,
    },
  ]),
  ...bugsIn("src/follow-up/streams.ts", [
    {
      name: "the graph is asked in one direction of two",
      find: `known.others.push({ source, target });`,
      replace: `known.others.splice(0);`,
    },
  ]),
  ...bugsIn("src/follow-up/state/memory.ts", [
    {
      name: "zones are forgotten while an environment has no alerts",
      find: `(zones !== undefined && visible.has(id))`,
      replace: `(zones === undefined && visible.has(id))`,
    },
  ]),
  ...bugsIn("src/follow-up/state/memory.ts", [
    {
      name: "a finding type is forgotten in a run without its alerts",
      find: `const isRecent = now - unseenSince <= MASS_WINDOW_MS;`,
      replace: `if (now > 0) return [];\n    const isRecent = true;`,
    },
    {
      name: "the size that a list had weeks ago counts as its former one",
      find: `...(isRecent && sizes && { sizes })`,
      replace: `...(sizes && { sizes })`,
    },
  ]),
  ...bugsIn("src/follow-up/environment-verdicts.ts", [
    {
      name: "only a read counts as a look at the service",
      find: `each.remember({ ...known, lookedAt: this.#context.now() })`,
      replace: `each.remember(known)`,
    },
  ]),
  ...bugsIn("src/follow-up/follow-up.ts", [
    {
      name: "an environment whose id is written in another letter case is not found",
      find: `byCapitals.get(inCapitals(id)) ?? id`,
      replace: `id`,
    },
    {
      name: "an environment that is selected by its name is left alone once it is not listed any more",
      find: `...(name !== undefined && { name })`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/follow-up/proof/judge.ts", [
    {
      name: "an accepted finding that is left out of the lists counts as active while the graph has it",
      find: `return this.#read.missing.get(key)?.accepted === true ? "accepted" : "active";`,
      replace: `return "active";`,
    },
  ]),
  ...bugsIn("src/follow-up/state/fitted-state.ts", [
    {
      name: "a state becomes longer than hosts keep where nothing is missing",
      find: `largest.has(id) ? { ...memory, streams: {} } : memory`,
      replace: `largest.has("") ? { ...memory, streams: {} } : memory`,
    },
    {
      name: "a state that forgets what is missing takes it for visible",
      find: `    const { alerts, ...others } = rest;`,
      replace: `    const others = rest;`,
    },
  ]),
  ...bugsIn("src/follow-up/refused-run.ts", [
    {
      name: "a run whose first request is refused does not slow down the next one",
      find: `error.code === "rate_limited" ?`,
      replace: `error.code === "timeout" ?`,
    },
    {
      name: "a run whose first request is refused replaces a state that is damaged",
      find: `if (loaded.kind !== "loaded") return { kind: "refused", error, state: null };`,
      replace: ``,
    },
  ]),
];
