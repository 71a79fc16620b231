import { bugsIn, type Mutant } from "../mutant.ts";

/** What the host keeps between runs: patches, whole states, and states that are not ours. */
export const state: readonly Mutant[] = [
  ...bugsIn("src/runtime/stored-state.ts", [
    {
      name: "the state of another tenant is used",
      find: `if (stored.tenant !== fresh.tenant)`,
      replace: `if (stored.tenant === "")`,
    },
    {
      name: "a newer state is overwritten",
      find: `&& version > fresh.version)`,
      replace: `&& version < fresh.version)`,
    },
    {
      name: "a damaged state is used",
      find: `if (!validate(stored)) return`,
      replace: `if (!validate(stored) && stored === null) return`,
    },
  ]),
  ...bugsIn("src/runtime/merge-patch.ts", [
    {
      name: "a patch does not say which keys were removed",
      find: `if (!Object.hasOwn(to, key)) patch.push([key, null]);`,
      replace: `if (!Object.hasOwn(to, key)) continue;`,
    },
    {
      name: "a patch loses the key __proto__",
      find: `return Object.fromEntries(patch);`,
      replace: `const made: JsonObject = {};\n  for (const [key, value] of patch) made[key] = value;\n  return made;`,
    },
  ]),
  ...bugsIn("src/ingestion/state/memory-table.ts", [
    {
      name: "a full state drops what is left of an environment without a word",
      find: `forgotAt !== undefined) forgotten += 1;`,
      replace: `forgotAt !== undefined) forgotten += 0;`,
    },
    {
      name: "what is left of environments that are gone takes room from those that are read",
      find: `if (fields.goneSince !== undefined && streams.size === 0) yield { id, type: null };`,
      replace: `if (fields.goneSince !== undefined && streams.size < 0) yield { id, type: null };`,
    },
    {
      name: "streams that are read are forgotten as soon as those that are gone",
      find: `if (this.#characters > mostOfAll) yield* this.#fromTheEnd();`,
      replace: `yield* this.#fromTheEnd();`,
    },
    {
      name: "what was forgotten stays in the host's copy",
      find: `if (entry?.sent.delete(type) === true) this.#removed.push({ id, type });`,
      replace: `entry?.sent.delete(type);`,
    },
    {
      name: "the names of environments take no room",
      find: `this.#characters += keySize(id) + `,
      replace: `this.#characters += `,
    },
    {
      name: "a new finding type stays without a name until the run has ended",
      find: `const isNewType = !this.#sentTypes.has(type);`,
      replace: `const isNewType = false;`,
    },
    {
      name: "the host gets the name of a finding type with one alert, which it may leave",
      find: `...(isNewType ? {`,
      replace: `...(isNewType && this.#sentTypes.add(type) ? {`,
    },
    {
      name: "the name of a finding type without streams counts as one that the host's copy has",
      find: `for (const [type, uses] of this.#uses) if (uses > 0) this.#sentTypes.add(type);`,
      replace: `for (const type of this.#numbers.keys()) this.#sentTypes.add(type);`,
    },
    {
      name: "streams are forgotten in the order of their environments",
      find: `return gone.sort((a, b) => a.since - b.since);`,
      replace: `return gone;`,
    },
  ]),
  ...bugsIn("src/ingestion/state/absence.ts", [
    {
      name: "what comes back with its environment makes its first alerts where findings are newer than the host's clock",
      find: `Math.max(hour, forgottenUpTo(each, since))`,
      replace: `hour`,
    },
    {
      name: "the ids of a finding type that is listed and not selected keep their room",
      find: `return unselected(memory, hour);`,
      replace: `return { ...offered(memory), wholeHistory: true };`,
    },
    {
      name: "an environment that is listed but not read is forgotten after a week",
      find: `goneSince: wasListed === true ? hour : (goneSince ?? hour)`,
      replace: `goneSince: goneSince ?? hour`,
    },
    {
      name: "an environment that was gone for a day is forgotten",
      find: `const GONE_HOURS = 7 * DAY_HOURS;`,
      replace: `const GONE_HOURS = 1;`,
    },
    {
      name: "what is gone is never forgotten",
      find: `hour - since > GONE_HOURS`,
      replace: `hour - since > 1e9`,
    },
  ]),
  ...bugsIn("src/ingestion/state/listings.ts", [
    {
      name: "what comes back with its finding type after a week makes the alerts that the host knows",
      find: `{ ...fields, ...forgetting(fields, [memory], memory.goneSince ?? 0) }`,
      replace: `fields`,
    },
    {
      name: "what comes back with its environment after a week makes the alerts that the host knows",
      find: `{ goneSince, ...forgetting(table.fields(id) ?? {}, memories, goneSince) }`,
      replace: `{ goneSince }`,
    },
    {
      name: "what comes back again with its environment makes the alerts of its first return",
      find: `forgetting(table.fields(id) ?? {}, memories, goneSince)`,
      replace: `forgetting(table.fields(id) ?? {}, [], goneSince)`,
    },
  ]),
  ...bugsIn("src/ingestion/state/state-store.ts", [
    {
      name: "a run that reads an environment forgets that it had forgotten some of it",
      find: `      ...initialMemory(known),
`,
      replace: ``,
    },
    {
      name: "an environment is skipped although the host left an alert of it",
      find: `return isDue ? undefined : {`,
      replace: `return isDue || stream.findingType !== "" ? undefined : {`,
    },
    {
      name: "an environment that is gone is known again once a run has read it",
      find: `...fields, ...absence }`,
      replace: `...fields }`,
    },
    {
      name: "an environment that was not selected stays unread while the list is cut",
      find: `goneSince === undefined || isListed === true`,
      replace: `goneSince === undefined`,
    },
    {
      name: "killed runs begin with the same stream each time",
      find: `next: { findingType: null, ...next },`,
      replace: ``,
    },
    {
      name: "the run after a killed one begins in the next environment with the finding type of the one before",
      find: `next: { findingType: null, ...next },`,
      replace: `next: { ...next },`,
    },
    {
      name: "a changed selection is skipped by what was remembered of the other one",
      find: `for (const id of this.#table.ids()) this.#table.setFields(id, { ...this.#table.fields(id), due: "selection" });`,
      replace: ``,
    },
    {
      name: "a changed selection is read in part where an earlier run left a part unread",
      find: `{ ...this.#table.fields(id), due: "selection" }`,
      replace: `{ due: "selection" as const, ...this.#table.fields(id) }`,
    },
    {
      name: "what a killed run left is skipped by what was remembered before it",
      find: `const isNewlyDue = this.#leave(environment.id);`,
      replace: `const isNewlyDue = false;`,
    },
    {
      name: "the first patch leaves the rest of an unusable state with the host",
      find: `if (this.#host !== undefined) return this.#wholePatch(this.#host, stream);`,
      replace: ``,
    },
    {
      name: "each patch repeats everything since the start of the run",
      find: `this.#host = undefined;`,
      replace: ``,
    },
    {
      name: "the state may grow beyond what a host keeps",
      find: `const MOST_CHARACTERS = 2_400_000;`,
      replace: `const MOST_CHARACTERS = 24_000_000;`,
    },
    {
      name: "hours count backwards from each run instead of from the first",
      find: `this.#state.firstRun ??= hourOf(`,
      replace: `this.#state.firstRun = hourOf(`,
    },
    {
      name: "a wrong Date header in the first run moves where hours count backwards from",
      find: `hourOf(Math.max(time.trusted, time.host - HOUR_MS))`,
      replace: `hourOf(time.service)`,
    },
    {
      name: "the clocks of the last run are not remembered",
      find: `this.#state.clock = clockMemory(time);`,
      replace: ``,
    },
  ]),
];
