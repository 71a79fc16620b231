import { bugsIn, type Mutant } from "../mutant.ts";

/** What the host keeps between runs: patches, whole states, and states that are not ours. */
export const state: readonly Mutant[] = [
  ...bugsIn("src/ingestion/state/load-state.ts", [
    {
      name: "the state of another tenant is used",
      find: `if (stored.tenant !== tenant)`,
      replace: `if (stored.tenant === "")`,
    },
    {
      name: "a newer state is overwritten",
      find: `&& version > VERSION)`,
      replace: `&& version < VERSION)`,
    },
    {
      name: "a damaged state is used",
      find: `if (!validate(stored)) {`,
      replace: `if (!validate(stored) && stored === null) {`,
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
  ...bugsIn("src/ingestion/state/stream-patch.ts", [
    {
      name: "a finding type called __proto__ is lost from its patch",
      find: `return Object.fromEntries([...Object.entries(entries), [name, value]]);`,
      replace: `const copy = { ...entries };\n  copy[name] = value;\n  return copy;`,
    },
  ]),
  ...bugsIn("src/ingestion/state/state-store.ts", [
    {
      name: "an environment that is listed but not read is forgotten after a week",
      find: `visibleIds.has(id) ? hour : (entry.fields.goneSince ?? hour)`,
      replace: `entry.fields.goneSince ?? hour`,
    },
    {
      name: "a changed selection is skipped by what was remembered of the other one",
      find: `for (const { fields } of this.#environments.values()) delete fields.complete;`,
      replace: ``,
    },
    {
      name: "what a killed run left is skipped by what was remembered before it",
      find: `const isReopened = fields.complete !== undefined;`,
      replace: `const isReopened = false;`,
    },
    {
      name: "a finding type that is listed and not selected counts as gone since it last was",
      find: `{ ...present(memory), returned: true }`,
      replace: `{ ...memory, returned: true }`,
    },
    {
      name: "a changed selection reads the environments of the other one",
      find: `if (this.#selection !== this.#state.selection) return [];`,
      replace: ``,
    },
    {
      name: "the first patch leaves the rest of an unusable state with the host",
      find: `if (this.#host !== undefined) return this.#wholePatch(this.#host);`,
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
      name: "an environment that was gone for a day is forgotten",
      find: `const GONE_HOURS = 7 * DAY_HOURS;`,
      replace: `const GONE_HOURS = 1;`,
    },
    {
      name: "what is gone is never forgotten",
      find: `hour - since > GONE_HOURS`,
      replace: `hour - since > 1e9`,
    },
    {
      name: "a finding type that came back is not marked",
      find: `{ ...rest, returned: true }`,
      replace: `rest`,
    },
    {
      name: "the clocks of the last run are not remembered",
      find: `this.#state.clock = clockMemory(time);`,
      replace: ``,
    },
  ]),
];
