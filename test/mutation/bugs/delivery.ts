import { bugsIn, type Mutant } from "../mutant.ts";

/** How a run shares its budget and time, hands alerts over, and ends. */
export const delivery: readonly Mutant[] = [
  ...bugsIn("src/ingestion/poll.ts", [
    {
      name: "how findings are split into alerts depends on the clock",
      find: `limits.maxEventsPerAlert ?? EVENTS_PER_ALERT;`,
      replace: `Math.max(1, (limits.maxEventsPerAlert ?? 50) - (Math.floor(clock.now() / 60_000) % 5));`,
    },
    {
      name: "a delivery failure is swallowed",
      find: `labels, clock.now()), patch, withoutAlert);`,
      replace: `labels, clock.now()), patch, withoutAlert).catch(() => undefined);`,
    },
    {
      name: "the run does not wait until the host has room",
      find: `await options.deliver(`,
      replace: `void options.deliver(`,
    },
    {
      name: "a stream that waits for a description when the run ends loses its turn",
      find: `awaitsDescription ? 0 : waitedMs`,
      replace: `waitedMs`,
    },
    {
      name: "the budget is off by one",
      find: `budget: limits.maxAlerts ?? Infinity,`,
      replace: `budget: (limits.maxAlerts ?? Infinity) + 1,`,
    },
    {
      name: "streams without news use up the budget",
      find: `item.kind === "news",`,
      replace: `item.kind === "news" || item.kind === "no_news",`,
    },
    {
      name: "the host's limit of events is ignored",
      find: `limits.maxEventsPerAlert ?? EVENTS_PER_ALERT`,
      replace: `EVENTS_PER_ALERT`,
    },
    {
      name: "rejected credentials and rate limits do not end the run",
      find: `endsTheRun(error) || !responded`,
      replace: `!responded`,
    },
    {
      name: "a server that never responded is asked for every stream",
      find: `endsTheRun(error) || !responded`,
      replace: `endsTheRun(error)`,
    },
    {
      name: "a changed selection counts as the same selection",
      find: `options.selection.fingerprint`,
      replace: `""`,
    },
    {
      name: "nobody hears of a state that was set aside",
      find: `MemoryNote[] = stateNotes(loaded);`,
      replace: `MemoryNote[] = [];`,
    },
    {
      name: "nobody hears that a clock set back may repeat findings",
      find: `return streams === 0 ? []`,
      replace: `return streams >= 0 ? []`,
    },
    {
      name: "the memory of a read without news is lost",
      find: `state.keep(item.stream, item.memory);`,
      replace: ``,
    },
  ]),
  ...bugsIn("src/ingestion/report/run-result.ts", [
    {
      name: "selected finding types count as misspelt although a list failed",
      find: `allListed ? selection.unoffered(known) : []`,
      replace: `selection.unoffered(known)`,
    },
    {
      name: "selected finding types count as misspelt although the list of finding types was cut short",
      find: `types !== null && error === null`,
      replace: `types !== null`,
    },
    {
      name: "selected finding types count as misspelt although the list of environments was cut short",
      find: `scope !== null && tenantError === null;`,
      replace: `scope !== null;`,
    },
  ]),
  ...bugsIn("src/ingestion/checkpoint.ts", [
    {
      name: "where the next run begins is not remembered",
      find: `next: summary.nextStart(state.begin),`,
      replace: `next: null,`,
    },
  ]),
  ...bugsIn("src/ingestion/interleave.ts", [
    {
      name: "one alert is delivered after the budget is used up",
      find: `while (line.budget > 0) {`,
      replace: `while (line.budget >= 0) {`,
    },
    {
      name: "shares under a budget are ignored",
      find: `if (!this.#slow.has(place) && given - place.given >= this.#share) return true;`,
      replace: ``,
    },
    {
      name: "streams that do not answer keep all others from being asked",
      find: `this.#asked.size - this.#slow.size`,
      replace: `this.#asked.size`,
    },
    {
      name: "further streams are asked after the run was ended",
      find: `this.#endsAt === null && this.#busy`,
      replace: `this.#busy`,
    },
    {
      name: "an ended run drops what its streams have read",
      find: `if (this.#endsAt !== null && this.#options.clock.monotonic() >= this.#endsAt) return null;`,
      replace: `if (this.#endsAt !== null) return null;`,
    },
    {
      name: "one failed stream ends the run",
      find: ` === "stop") line.stop();`,
      replace: ` !== null) line.stop();`,
    },
    {
      name: "a stream keeps its turn until it is empty",
      find: `place.given % this.#share === 0`,
      replace: `place.given < 0`,
    },
    {
      name: "the streams of the environment that answers first go before all others",
      find: `this.#places.splice(this.#places.lastIndexOf(parent) + 1)`,
      replace: `this.#places.splice(this.#places.length)`,
    },
    {
      name: "an environment whose list was late is asked for it again behind all streams",
      find: `    if (this.#endsAt === null) this.#ask(parent);`,
      replace: `    parent.isAsked = false;\n    this.remove(parent);\n    this.#places.unshift(parent);`,
    },
    {
      name: "more streams are asked at a time than the budget has alerts",
      find: `this.#options.atOnceNow(), this.budget)`,
      replace: `this.#options.atOnceNow())`,
    },
  ]),
  ...bugsIn("src/ingestion/descriptions.ts", [
    {
      name: "stored descriptions are unbounded",
      find: `else return false;`,
      replace: ``,
    },
    {
      name: "a description failure fails the stream",
      find: `if (error instanceof ServiceError) return { why: error };`,
      replace: ``,
    },
    {
      name: "a description failure is not reported",
      find: `if (failed !== undefined && texts.includes(null)) this`,
      replace: `if (failed === null) this`,
    },
    {
      name: "a description that was loaded in part is kept for a day",
      find: `const today = loaded.map((text) => (typeof text === "string" ? text : null));`,
      replace: `const today = loaded.map((text) => (typeof text === "string" ? text : ""));`,
    },
    {
      name: "a description is never loaded again",
      find: `const FRESH_SECONDS = 24 * 3600;`,
      replace: `const FRESH_SECONDS = 24 * 3600 * 1000;`,
    },
    {
      name: "a description is loaded for each batch",
      find: `this.#loading.set(findingType, description);`,
      replace: ``,
    },
  ]),
];
