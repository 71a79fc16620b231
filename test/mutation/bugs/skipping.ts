import { bugsIn, type Mutant } from "../mutant.ts";

/** Work that is left out although it was needed, and work that is not shared fairly between runs. */
export const skipping: readonly Mutant[] = [
  ...bugsIn("src/ingestion/read-tenant.ts", [
    {
      name: "known environments are read although they are not selected any more",
      find: `selection.scope(remembered, 0).selected`,
      replace: `remembered`,
    },
  ]),
  ...bugsIn("src/ingestion/skip-decision.ts", [
    {
      name: "what another selection left out waits for the daily read",
      find: `if (reason === "selection") return { decision: "read_all", reason };`,
      replace: ``,
    },
    {
      name: "a changed selection is read in full until every stream succeeds in one run",
      find: `decision === "read_all" ? "left" : (due ?? "left")`,
      replace: `due ?? "left"`,
    },
    {
      name: "a full read is recorded although the run was cut short",
      find: `const read = complete && (`,
      replace: `const read = (`,
    },
    {
      name: "evidence is stored although a stream failed",
      find: `...(complete ? comparable(evidence) : `,
      replace: `...(complete !== null ? comparable(evidence) : `,
    },
    {
      name: "the same evidence skips an environment for a week",
      find: `const READ_EVERY_SECONDS = 3600;`,
      replace: `const READ_EVERY_SECONDS = 7 * 24 * 3600;`,
    },
    {
      name: "undated findings are never looked for",
      find: `return { decision: "read_all", reason:`,
      replace: `return { decision: "read", reason:`,
    },
    {
      name: "a host's clock that was set back makes the last read look recent",
      find: `at <= nowSeconds && `,
      replace: ``,
    },
    {
      name: "missing evidence counts as the same evidence",
      find: `today === undefined || `,
      replace: ``,
    },
    {
      name: "a new analysis is taken for the one before",
      find: `if (before === today) return "same_evidence";`,
      replace: `if (before !== "") return "same_evidence";`,
    },
    {
      name: "a probe says unchanged when only the count matches",
      find: `return newestId === null ? count === 0 : `,
      replace: `return newestId !== undefined || `,
    },
    {
      name: "a probe says unchanged when only the greatest id matches",
      find: ` || count !== rememberedInWindow(memory)`,
      replace: ``,
    },
    {
      name: "a probe says unchanged whatever it counts",
      find: `if (reasonToReadStream(memory) !== null || count === null || `,
      replace: `if (reasonToReadStream(memory) === null) return true;\n  if (count === null || `,
    },
    {
      name: "a backlog lets its stream be skipped",
      find: `if (memory.unfinished !== undefined) return "backlog";`,
      replace: ``,
    },
    {
      name: "a finding type that came back is probed instead of read",
      find: `if (memory.wholeHistory === true) return "whole_history";`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/ingestion/evidence.ts", [
    {
      name: "evidence that nothing can be compared with counts as old",
      find: `(timeOf(instant) ?? Infinity) < lastRun`,
      replace: `(timeOf(instant) ?? Infinity) > 0`,
    },
    {
      name: "the sparkline is used while the time of the analysis is unknown",
      find: `if (isUnknown || `,
      replace: `if (`,
    },
    {
      name: "an empty sparkline counts as evidence",
      find: `if (!instants.some((instant) => timeOf(instant) !== null)) return { trend: EMPTY_TREND };`,
      replace: ``,
    },
    {
      name: "a sparkline without dates counts as evidence",
      find: `if (!instants.some((instant) => timeOf(instant) !== null)) return`,
      replace: `if (instants.length === 0) return`,
    },
    {
      name: "a sparkline counts although the service may have dated an analysis before it",
      find: `findingType === undefined || service.time() === null`,
      replace: `findingType === undefined`,
    },
    {
      name: "an analysis that still runs counts as completed",
      find: `isRunning: !idle`,
      replace: `isRunning: false`,
    },
    {
      name: "a question about the analysis that fails ends the run",
      find: `if (!(error instanceof ServiceError)) throw error;`,
      replace: `throw error;`,
    },
    {
      name: "a run without time for all findings begins with evidence that cannot save it work",
      find: `pace.isShortFor(state.knownRequests())`,
      replace: `false`,
    },
  ]),
  ...bugsIn("src/ingestion/optional-routes.ts", [
    {
      name: "a route is paused because its request waited for the rate limit",
      find: `return isSent ? this.#fail(route, subject, "late")`,
      replace: `return isSent || value === "late" ? this.#fail(route, subject, "late")`,
    },
    {
      name: "the wait for an optional request is unbounded",
      find: `raceTimeout(request({ signal: late.signal, onSent }), patienceMs, clock)`,
      replace: `request({ signal: late.signal, onSent })`,
    },
    {
      name: "an optional request that is late goes on",
      find: `late.abort();`,
      replace: ``,
    },
    {
      name: "an optional request that fails is a failure of its stream",
      find: `if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;`,
      replace: `throw error;`,
    },
    {
      name: "an error that several optional requests share counts for each of their routes",
      find: `if (owner !== route) `,
      replace: `if (owner === null) `,
    },
    {
      name: "an optional request that fails once is not sent again for a day",
      find: `isNotOffered(error) && route`,
      replace: `route`,
    },
    {
      name: "an optional request that always fails is sent in each run",
      find: `now - each.at < each.pause`,
      replace: `now - each.at < 0`,
    },
    {
      name: "an optional request that always fails is sent again after the same pause each time",
      find: `2 * (before?.pause ?? 0)`,
      replace: `0`,
    },
    {
      name: "an optional request that failed for one environment is not sent for any other",
      find: `...(this.#succeeded.has(route) ? [] : [route])`,
      replace: `route`,
    },
    {
      name: "a gateway is believed for a day that an optional request is not offered",
      find: `isOwnWord ? `,
      replace: `true ? `,
    },
    {
      name: "a description that was not requested after a failure has no reason",
      find: `this.#reasons.get(pause) ?? "paused"`,
      replace: `"paused"`,
    },
    {
      name: "refusals are remembered without end",
      find: `.slice(0, MOST_REMEMBERED)`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/ingestion/poll-stream.ts", [
    {
      name: "an empty list is believed although a probe counted findings",
      find: `if (batch.listed === 0) refuseContradiction(`,
      replace: `if (batch.listed < 0) refuseContradiction(`,
    },
    {
      name: "a finding type that was read before its list came is never gone",
      find: `hasFindings || !isDenied || (await listing.isListed())`,
      replace: `hasFindings || true`,
    },
    {
      name: "a finding type that is not listed is never gone for want of findings",
      find: `hasFindings || !listing.isMissing() ||`,
      replace: `hasFindings || !listing.isMissing() || true ||`,
    },
    {
      name: "a finding type that is not listed is gone although the service has older findings of it",
      find: `!listing.isMissing() || (await hasAnyFinding(context, stream))`,
      replace: `!listing.isMissing()`,
    },
    {
      name: "a finding type of which a gateway does not know is gone",
      find: `error instanceof BadRequestError) && error.wrapped;`,
      replace: `error instanceof BadRequestError);`,
    },
    {
      name: "the texts of empty streams are loaded",
      find: `if (batch.listed === 0) refuse`,
      replace: `await descriptions.of(stream.findingType);\n    if (batch.listed === 0) refuse`,
    },
  ]),
  ...bugsIn("src/ingestion/read-environment.ts", [
    {
      name: "a list of finding types that suddenly lacks known ones ends their reading",
      find: `selection.types([...offered, ...unlisted])`,
      replace: `selection.types(offered)`,
    },
    {
      name: "a stream that was read while the list of types was late is read once more",
      find: `.filter((type) => !this.#taken.has(type))`,
      replace: ``,
    },
    {
      name: "known finding types are not read when their list fails",
      find: `if (first !== "listed" && `,
      replace: `if (first === "late" && `,
    },
    {
      name: "the next run always begins at the first finding type",
      find: `startingAt(types, this.isFirst)`,
      replace: `[...types]`,
    },
    {
      name: "runs that are cut short list finding types before they go on",
      find: `begin < 1 ? [] : known.slice(begin)`,
      replace: `[]`,
    },
  ]),
  ...bugsIn("src/ingestion/read-tenant.ts", [
    {
      name: "the next run always begins at the first environment",
      find: `startingAt(environments, ({ id }) => id === state.begin?.environmentId)`,
      replace: `[...environments]`,
    },
    {
      name: "an environment that was read while the list was late is read once more",
      find: `.filter(({ id }) => !begun.has(id))`,
      replace: ``,
    },
    {
      name: "known environments are not read when their list fails",
      find: `(failed && service.responded`,
      replace: `(failed && !service.responded`,
    },
  ]),
  ...bugsIn("src/ingestion/pace.ts", [
    {
      name: "a tenant whose responses take a second is asked slowly for ever",
      find: `if (service.heldBackMs >= 1_000 * LEAST_BUSY_SECONDS) return true;`,
      replace: ``,
    },
    {
      name: "the pause doubles although no rate was doubled",
      find: `rate > rateAfter(last, wasServed)`,
      replace: `rate > slowerThan(last.rate, wasServed)`,
    },
    {
      name: "a run that was refused is followed by one that sends as many requests",
      find: `requestsPerSecond: this.#unusual(rateAfter(refusedRate, wasServed)), refusedRate };`,
      replace: `requestsPerSecond: this.#unusual(this.#rate), refusedRate };`,
    },
    {
      name: "a part that is always refused slows down all others",
      find: `last !== null && isAlone(refusal, last)`,
      replace: `last !== null && refusal.part === undefined`,
    },
    {
      name: "a part that was refused whatever the rate hides that others are refused now",
      find: `part !== null && isSame && (`,
      replace: `part !== null && (`,
    },
    {
      name: "a run that sent two requests is followed by one that may send more",
      find: `this.#wasUsed && (`,
      replace: `(`,
    },
    {
      name: "a rate that was refused is tried again in each second run",
      find: `now - last.at >= last.pause`,
      replace: `now >= last.at`,
    },
    {
      name: "a rate that is refused each time is tried as often as before",
      find: `hadGrown ? Math.min(2 * last.pause, LONGEST_PAUSE_SECONDS)`,
      replace: `hadGrown ? last.pause`,
    },
    {
      name: "a list that hangs uses up few requests a second",
      find: `this.atOnce < MOST_AT_ONCE ? `,
      replace: `this.atOnce < 0 ? `,
    },
    {
      name: "many streams share few requests a second",
      find: `Math.min(MOST_AT_ONCE, this.#rate)`,
      replace: `MOST_AT_ONCE`,
    },
  ]),
  ...bugsIn("src/ingestion/report/summary-builder.ts", [
    {
      name: "a stream counts as read once it has given its first batch",
      find: `if (complete) this.#finish(report, "read");`,
      replace: `this.#finish(report, "read");`,
    },
  ]),
  ...bugsIn("src/ingestion/next-start.ts", [
    {
      name: "the next run begins with the large stream that used up this one",
      find: `?? inTurn[1] ?? inTurn[0]`,
      replace: `?? inTurn[0]`,
    },
    {
      name: "a run that hung at its beginning is followed by one that begins there again",
      find: `withoutTurn.find((part) => !isBegin(run, part, begin)) ?? `,
      replace: ``,
    },
    {
      name: "a stream that is refused in the same place of each run is passed over for ever",
      find: `if (refused !== undefined) return startAt(refused);`,
      replace: ``,
    },
    {
      name: "a run that was refused is followed by one that begins with the same request",
      find: `.filter((part) => !run.refused.has(part))`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/ingestion/report/run-summary.ts", [
    {
      name: "a failed environment is skipped in the next run",
      find: ` && [...streams.values()].every(isDone)`,
      replace: ``,
    },
    {
      name: "a failed stream counts as done",
      find: `return outcome === "read" || outcome === "unchanged";`,
      replace: `return outcome !== "left";`,
    },
    {
      name: "finding types that cannot be read do not make an environment incomplete",
      find: `(types?.unreadable ?? 0) === 0 && `,
      replace: ``,
    },
  ]),
  ...bugsIn("src/ingestion/checkpoint.ts", [
    {
      name: "a search for undated findings is recorded although the run was cut short",
      find: `owing(state.stream(stream) ?? {})`,
      replace: `state.stream(stream) ?? {}`,
    },
  ]),
  ...bugsIn("src/ingestion/selection.ts", [
    {
      name: "a finding of the lowest severity that is fetched is left out",
      find: `rankOf(severity) > rankOf(severityOf(lowest))`,
      replace: `rankOf(severity) >= rankOf(severityOf(lowest))`,
    },
    {
      name: "a finding of unknown severity is left out",
      find: `if (severity !== "unknown" && `,
      replace: `if (`,
    },
    {
      name: "a finding without a time is left out",
      find: `if (hours == null || createdAt === null) return null;`,
      replace: `if (hours == null) return null;\n    createdAt ??= 0;`,
    },
    {
      name: "a changed selection of finding types counts as the same selection",
      find: `JSON.stringify(this.#criteria, `,
      replace: `JSON.stringify(this.#criteria["Selected Environments"] ?? [], `,
    },
    {
      name: "a list in another order counts as another selection",
      find: `[...(value as unknown[])].sort()`,
      replace: `value`,
    },
    {
      name: "the second entry of an environment hides that it has data",
      find: `Number(a.collected !== false) - Number(b.collected !== false)`,
      replace: `0`,
    },
    {
      name: "environments without collected data are read",
      find: `meant.filter(({ collected }) => collected !== false)`,
      replace: `meant`,
    },
    {
      name: "Selected Environments compares with letter case",
      find: `.trim().toLowerCase()`,
      replace: `.trim()`,
    },
    {
      name: "Selected Environments does not take ids",
      find: `[fold(id), fold(name ?? "")]`,
      replace: `[fold(name ?? "")]`,
    },
  ]),
];
