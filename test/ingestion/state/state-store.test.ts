import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { applyMergePatch } from "../../../src/runtime/merge-patch.ts";
import { HOUR_MS } from "../../../src/ingestion/time.ts";
import { storedBatch } from "../../../src/ingestion/state/delivered-ids.ts";
import { keyOf, textOf } from "../../../src/ingestion/state/id-text.ts";
import { loadState } from "../../../src/ingestion/state/load-state.ts";
import type { ConnectorState, StreamMemory } from "../../../src/ingestion/state/state.ts";
import { StateStore } from "../../../src/ingestion/state/state-store.ts";
import type { Scope, Stream } from "../../../src/ingestion/scope.ts";
import { Selection } from "../../../src/ingestion/selection.ts";
import type { Environment } from "../../../src/service/resources/environments.records.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { NOW, NOW_HOUR, streamOf, TENANT, timeAt } from "../../support/streams.ts";

const WEEK_MS = 7 * 24 * HOUR_MS;

/** A run's store over what the host holds, as `poll` opens it. */
function open(host: Json): StateStore {
  const loaded = loadState(host, TENANT);
  if (loaded.kind === "newer") throw new Error("The state is of a newer version.");
  return new StateStore(loaded.state, host);
}

const throughJson = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

/** What is known when the service lists these environments. */
function listing(environments: readonly Environment[], selected: readonly string[] = []): Scope {
  return new Selection({ "Selected Environments": selected }).scope(environments, 0);
}

function loaded(host: Json): ConnectorState {
  const result = loadState(host, TENANT);
  if (result.kind !== "loaded") throw new Error(`Expected a state that loads: ${JSON.stringify(result)}`);
  return result.state;
}

/** A state whose ids need not be readable. */
function loadedWithoutCheck(host: Json): ConnectorState {
  return host as unknown as ConnectorState;
}

/** What a state says about streams; a patch need not carry anything else before the run ends. */
function streamsIn(host: Json): Map<string, StreamMemory> {
  const { types, environments } = loaded(host);
  const entries = Object.entries(environments).flatMap(([id, { streams }]) =>
    Object.entries(streams).map(([type, memory]): [string, StreamMemory] => [`${id} ${types[type] ?? ""}`, memory]),
  );
  return new Map(entries);
}

const name = fc.constantFrom("S-1", "S-2", "__proto__", "constructor", "", "Ünïcode / type");
const memory: fc.Arbitrary<StreamMemory> = fc.record(
  {
    ids: fc.dictionary(fc.constantFrom("526000", "526001.0", "none"), fc.constantFrom("1", "1+49", "~abcdefghijk")),
    cursor: fc.nat(526_002),
    count: fc.nat(50),
    unfinished: fc.record({ skip: fc.nat(9), after: fc.string() }),
  },
  { requiredKeys: [] },
);
const goneMemory = memory.map((rest): StreamMemory => ({ ...rest, goneSince: NOW_HOUR - 5 }));
const stream = fc.tuple(name, name).map(([environmentId, findingType]) => streamOf(environmentId, findingType));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("news" as const), stream, memory, described: fc.boolean() }) },
  fc.record({ kind: fc.constant("no news" as const), stream, memory }),
  fc.record({ kind: fc.constant("types" as const), stream, others: fc.array(name, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant("scope" as const), environments: fc.array(name, { maxLength: 3 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const before = fc.oneof(
  fc.constant(null),
  fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json),
  fc.constant({ version: 1, tenant: "https://other.test", environments: { "S-1": { streams: { x: { cursor: 1 } } } } }),
  fc.array(fc.tuple(stream, fc.oneof(memory, goneMemory)), { maxLength: 4 }).map((list) => stateOf(list)),
);

function stateOf(list: readonly (readonly [Stream, StreamMemory])[]): Json {
  const store = open(null);
  for (const [of, remembered] of list) store.keep(of, remembered);
  return throughJson(store.toJson());
}

/** Does what `poll` does with one item; gives the patch when there is one. */
function take(store: StateStore, what: Step): Json | null {
  const description = { readAt: 1, packed: "abc" };
  switch (what.kind) {
    case "news":
      return store.advance(what.stream, what.memory, what.described ? description : undefined);
    case "no news":
      store.keep(what.stream, what.memory);
      return null;
    case "types": {
      const offered = [...new Set([...what.others, what.stream.findingType])];
      store.setTypes(what.stream.environment, { offered, selected: offered }, NOW_HOUR);
      return null;
    }
    case "scope":
      store.setScope(listing(what.environments.map((id) => ({ id }))), NOW);
      return null;
  }
}

describe("what the host holds while a run delivers", () => {
  it("always gives the next run the memory of every stream that was delivered from, whenever the run is killed", () => {
    fc.assert(
      fc.property(before, fc.array(step, { maxLength: 12 }), (first, steps) => {
        const store = open(first);
        let host = first;
        const readToTheEnd = new Set<string>();
        const delivered = new Map<string, StreamMemory>();
        for (const what of steps) {
          const key = "stream" in what ? `${what.stream.environment.id} ${what.stream.findingType}` : "";
          // A stream that was read to its end delivers nothing more in the same run.
          if (what.kind === "news" && readToTheEnd.has(key)) continue;
          if (what.kind === "no news") readToTheEnd.add(key);
          const patch = take(store, what);
          if (patch === null || what.kind !== "news") continue;
          host = applyMergePatch(host, throughJson(patch));
          delivered.set(key, what.memory);
          expect([...streamsIn(host)]).toEqual(expect.arrayContaining([...delivered]));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("is the whole state as soon as the first alert is stored, whatever the host held before", () => {
    fc.assert(
      fc.property(before, fc.array(step, { maxLength: 4 }), stream, memory, (first, steps, of, remembered) => {
        const store = open(first);
        for (const what of steps) if (what.kind !== "news") take(store, what);
        const host = applyMergePatch(first, throughJson(store.advance(of, remembered)));
        expect(host).toEqual(throughJson(store.toJson()));
      }),
      { numRuns: 300 },
    );
  });

  it("changes in nothing but one stream from the second alert on", () => {
    const store = open(null);
    store.advance(streamOf("S-1", "A"), { ids: { "5": "1+9" } });
    store.advance(streamOf("S-1", "B"), { ids: { "5": "20" } }, { readAt: 1, packed: "abc" });
    const patch = store.advance(streamOf("S-1", "A"), {
      ids: { "5": "1+9", "5.0": "30" },
      unfinished: { skip: 1, after: "30" },
    });
    expect(patch).toMatchObject({
      environments: { "S-1": { streams: { "0": { ids: { "5.0": "30" }, unfinished: { skip: 1, after: "30" } } } } },
    });
  });

  it("says with each alert where the run after a killed one goes on", () => {
    let host = stateOf([
      [streamOf("S-1", "A"), {}],
      [streamOf("S-1", "B"), {}],
      [streamOf("S-2", "A"), {}],
    ]);
    const store = open(host);
    const places = ["A", "B"].map((type) => {
      host = applyMergePatch(host, throughJson(store.advance(streamOf("S-1", type), { ids: { "5": "1" } })));
      return loaded(host).next;
    });
    expect(places).toEqual([{ environmentId: "S-1", findingType: "B" }, { environmentId: "S-2" }]);
  });

  it("lacks with the next alert what was forgotten since the one before", () => {
    const [stays, goes] = [streamOf("S-1", "A"), streamOf("S-1", "B")];
    const store = open(null);
    store.keep(goes, { goneSince: NOW_HOUR - 24 * 8 });
    let host = applyMergePatch(null, throughJson(store.advance(stays, { ids: { "5": "1" } })));
    expect([...streamsIn(host).keys()].sort()).toEqual(["S-1 A", "S-1 B"]);
    store.setTypes(stays.environment, { offered: ["A"], selected: ["A"] }, NOW_HOUR);
    host = applyMergePatch(host, throughJson(store.advance(stays, { ids: { "5": "1", "5.0": "2" } })));
    expect([...streamsIn(host).keys()]).toEqual(["S-1 A"]);
  });

  it("makes an environment due with its first alert, so that a killed run hides nothing", () => {
    const store = open(null);
    store.setEnvironment(streamOf("S-1").environment, { readAt: 1, readAllAt: 1, evidence: { analysis: "T1" } });
    const host = throughJson(store.toJson());
    const killed = open(host);
    const patch = killed.advance(streamOf("S-1", "A"), { ids: { "5": "1" } });
    const { due, readAt } = loaded(applyMergePatch(host, throughJson(patch))).environments["S-1"] ?? {};
    expect([due, readAt]).toEqual(["left", 1]);
    expect(killed.advance(streamOf("S-1", "A"), { ids: { "5": "1+1" } })).toMatchObject({
      environments: { "S-1": { streams: { "0": { ids: { "5": "1+1" } } } } },
    });
  });

  it("keeps names such as __proto__ as names", () => {
    const hostile = streamOf("__proto__", "__proto__");
    const store = open(null);
    store.keep(streamOf("S-1", "A"), { cursor: 7 });
    let host = applyMergePatch(null, throughJson(store.advance(streamOf("S-1", "A"), { cursor: 8 })));
    host = applyMergePatch(host, throughJson(store.advance(hostile, { cursor: 9 }, { readAt: 1, packed: "abc" })));
    expect(open(host).stream(hostile)).toEqual({ cursor: 9 });
    expect(open(host).knownTypes("__proto__")).toEqual(["__proto__"]);
    expect(open(host).stream(streamOf("constructor", "toString"))).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty("cursor");
  });
});

describe("what no longer exists", () => {
  const listed = streamOf("S-1", "A");
  const gone = streamOf("S-2", "B");

  function afterPolls(host: Json, times: readonly number[], poll: (store: StateStore, now: number) => void): Json {
    let state = host;
    for (const now of times) {
      const store = open(state);
      poll(store, now);
      state = throughJson(store.toJson());
    }
    return state;
  }

  it("is an environment that is forgotten a week after it was last listed, and not before", () => {
    const start = stateOf([
      [listed, { cursor: 1 }],
      [gone, { cursor: 2 }],
    ]);
    const poll = (store: StateStore, now: number): void => {
      store.setScope(listing([{ id: "S-1" }]), now);
    };
    const almost = afterPolls(start, [NOW, NOW + WEEK_MS], poll);
    expect(open(almost).stream(gone)).toEqual({ cursor: 2 });
    expect(open(almost).knownEnvironments()).toMatchObject([{ id: "S-1" }]);
    const later = afterPolls(almost, [NOW + WEEK_MS + HOUR_MS], poll);
    expect([open(later).stream(gone), open(later).stream(listed)]).toEqual([undefined, { cursor: 1 }]);
  });

  it("stays forgotten in a run that is killed after the environment has come back", () => {
    const start = stateOf([
      [listed, { cursor: 1 }],
      [gone, { cursor: 2 }],
    ]);
    const forgets = open(start);
    forgets.setScope(listing([{ id: "S-1" }]), NOW);
    const patches = [forgets.advance(listed, { cursor: 3 })];
    forgets.setScope(listing([{ id: "S-1" }]), NOW + WEEK_MS + HOUR_MS);
    patches.push(forgets.advance(streamOf("S-2", "C"), { cursor: 4 }));
    const host = patches.reduce<Json>((state, patch) => applyMergePatch(state, throughJson(patch)), start);
    expect(streamsIn(host)).toEqual(streamsIn(throughJson(forgets.toJson())));
  });

  it("is forgotten earlier when the state is full, which is counted because its findings are repeated should it be back", () => {
    const start = stateOf([
      [listed, { ids: { "5": "1" } }],
      [gone, { ids: { "5": Array(20).fill("~abcdefghijk").join(",") } }],
    ]);
    const counts = [10_000, 100].map((most) => {
      const store = new StateStore(loaded(start), start, most);
      store.setScope(listing([{ id: "S-1" }]), NOW);
      return [store.forgottenStreams, store.stream(gone) === undefined, store.stream(listed) === undefined];
    });
    expect(counts).toEqual([
      [0, false, false],
      [1, true, false],
    ]);
  });

  it("is forgotten in the order in which it went, although it is listed and only not selected", () => {
    const ids = { "5": Array(20).fill("~abcdefghijk").join(",") };
    const [first, second] = [streamOf("S-2", "A"), streamOf("S-3", "A")];
    const start = stateOf([
      [listed, { cursor: 1 }],
      [second, { ids }],
      [first, { ids }],
    ]);
    const selecting = (selected: readonly string[]) => (store: StateStore, now: number) => {
      store.setScope(
        listing(
          ["S-1", "S-2", "S-3"].map((id) => ({ id })),
          selected,
        ),
        now,
      );
    };
    const one = afterPolls(start, [NOW], selecting(["S-1", "S-3"]));
    const two = afterPolls(one, [NOW + HOUR_MS, NOW + 2 * HOUR_MS], selecting(["S-1"]));
    const full = new StateStore(loaded(two), two, JSON.stringify(two).length - 100);
    expect([full.stream(first), full.stream(second)]).toEqual([undefined, { ids }]);
  });

  it("is not forgotten as long as it is listed, although it is not selected or holds no data", () => {
    const start = stateOf([
      [listed, { cursor: 1 }],
      [gone, { cursor: 2 }],
    ]);
    const other = { ...gone.environment, collected: false };
    const later = afterPolls(start, [NOW, NOW + 2 * WEEK_MS], (store, now) => {
      store.setScope(listing([listed.environment, other]), now);
    });
    // Nor as soon as one list leaves it out.
    const left = afterPolls(later, [NOW + 2 * WEEK_MS + HOUR_MS], (store, now) => {
      store.setScope(listing([listed.environment]), now);
    });
    expect(open(left).stream(gone)).toEqual({ cursor: 2 });
  });

  it("is a finding type that is forgotten a week after it was last offered, and not before", () => {
    const other = streamOf("S-1", "B");
    const start = stateOf([
      [listed, { cursor: 1 }],
      [other, { cursor: 2 }],
    ]);
    const poll = (store: StateStore, now: number): void => {
      store.setScope(listing([listed.environment]), now);
      store.setTypes(listed.environment, { offered: ["A"], selected: ["A"] }, Math.floor(now / HOUR_MS));
    };
    const almost = afterPolls(start, [NOW, NOW + WEEK_MS], poll);
    expect(open(almost).stream(other)).toMatchObject({ cursor: 2 });
    expect(open(almost).knownTypes("S-1")).toEqual(["A"]);
    const later = afterPolls(almost, [NOW + WEEK_MS + HOUR_MS], poll);
    expect(open(later).stream(other)).toBeUndefined();
  });

  it("is known again when it comes back, and its next read also looks for findings without a usable time", () => {
    const start = afterPolls(stateOf([[listed, { cursor: 1 }]]), [NOW], (store) => {
      store.setScope(listing([]), NOW);
      store.setTypes(listed.environment, { offered: [], selected: [] }, NOW_HOUR);
    });
    expect([open(start).knownEnvironments(), open(start).knownTypes("S-1")]).toEqual([[], []]);
    const store = open(start);
    store.setScope(listing([listed.environment]), NOW + HOUR_MS);
    store.setTypes(listed.environment, { offered: ["A"], selected: ["A"] }, NOW_HOUR + 1);
    expect(store.knownEnvironments()).toMatchObject([{ id: "S-1" }]);
    expect(store.stream(listed)).toEqual({ cursor: 1, wholeHistory: true });
  });

  it("is not forgotten when a run that delivered from it again was killed", () => {
    const start = afterPolls(stateOf([[listed, { ids: { "5": "1" } }]]), [NOW], (store) => {
      store.setScope(listing([listed.environment]), NOW);
      store.setTypes(listed.environment, { offered: [], selected: [] }, NOW_HOUR);
    });
    const back = NOW + WEEK_MS;
    const store = open(start);
    store.setScope(listing([listed.environment]), back);
    // The first alert brings the whole state; only then is it known that the type is offered again.
    let host = applyMergePatch(start, throughJson(store.advance(streamOf("S-1", "C"), { cursor: 1 })));
    store.setTypes(listed.environment, { offered: ["A", "C"], selected: ["A", "C"] }, NOW_HOUR + 7 * 24);
    host = applyMergePatch(host, throughJson(store.advance(listed, { ids: { "5": "1", "9.0": "2" } })));
    const next = open(host);
    next.setScope(listing([listed.environment]), back + HOUR_MS);
    expect(next.stream(listed)).toEqual({ ids: { "5": "1", "9.0": "2" } });
  });

  it("keeps what is offered and not selected, and looks at all of it once it is selected again", () => {
    const store = open(stateOf([[listed, { cursor: 1 }]]));
    store.setTypes(listed.environment, { offered: ["A", "B"], selected: ["B"] }, NOW_HOUR);
    expect(store.stream(listed)).toEqual({ cursor: 1, wholeHistory: true });
  });

  it("is there again when it is offered, selected or not", () => {
    const store = open(stateOf([[listed, { cursor: 1, goneSince: NOW_HOUR - 5 }]]));
    store.setTypes(listed.environment, { offered: ["A", "B"], selected: ["B"] }, NOW_HOUR);
    expect(store.stream(listed)).toEqual({ cursor: 1, wholeHistory: true });
  });
});

describe("an environment that is listed again after it was away", () => {
  it("is read, whatever was known of it before", () => {
    const store = open(null);
    store.setEnvironment({ id: "S-1", name: "CORP" }, { evidence: { analysis: "x" }, readAt: 5, readAllAt: 5 });
    store.setScope(listing([]), NOW);
    store.setScope(listing([{ id: "S-1" }]), NOW);
    expect(store.environment("S-1")).toEqual({ name: "CORP", due: "returned" });
  });

  it("was away also when a run read it before the list without it arrived", () => {
    const store = open(null);
    store.setEnvironment({ id: "S-1" }, { readAt: 5 });
    store.setScope(listing([]), NOW);
    store.setEnvironment({ id: "S-1" }, { readAt: 6 });
    expect([store.knownEnvironments(), store.listedEnvironments()]).toEqual([[], []]);
  });
});

describe("a changed selection", () => {
  it("trusts no evidence of the one before, and knows the same environments", () => {
    const store = open(null);
    store.select("all");
    store.setScope(listing([{ id: "S-1" }]), NOW);
    store.setEnvironment({ id: "S-1" }, { evidence: { analysis: "x" }, readAt: 5 });
    const host = throughJson(store.toJson());
    const same = open(host);
    same.select("all");
    expect([same.environment("S-1"), same.knownEnvironments()]).toEqual([
      { evidence: { analysis: "x" }, readAt: 5 },
      [{ id: "S-1" }],
    ]);
    const changed = open(host);
    changed.select("some");
    expect(changed.environment("S-1")).toMatchObject({ readAt: 5, due: "selection" });
    expect(changed.knownEnvironments()).toEqual([{ id: "S-1" }]);
  });

  it("keeps in mind which environments are listed without being selected, and which are not listed any more", () => {
    const store = open(null);
    const [kept, deselected, gone] = [{ id: "S-1" }, { id: "S-2", name: "CORP" }, { id: "S-3" }];
    store.setScope(listing([kept, deselected, gone]), NOW);
    for (const environment of [kept, deselected, gone]) store.setEnvironment(environment, {});
    store.setScope({ selected: [kept], visible: [kept, deselected] }, NOW);
    expect([store.knownEnvironments(), store.listedEnvironments()]).toEqual([[kept], [kept, deselected]]);
  });
});

describe("a service's clock that was set back", () => {
  it("moves every stream's cursor back and counts those that may repeat findings", () => {
    const store = open(
      stateOf([
        [streamOf("S-1", "A"), { ids: { [NOW_HOUR]: "1" }, forgottenBefore: NOW_HOUR - 48 }],
        [streamOf("S-1", "B"), { ids: { [NOW_HOUR - 200]: "2" } }],
      ]),
    );
    expect(store.followClock(timeAt(NOW - 100 * HOUR_MS))).toBe(1);
    expect(store.stream(streamOf("S-1", "B"))).toEqual({ ids: { [NOW_HOUR - 200]: "2" } });
    expect(store.clock).toMatchObject({ service: (NOW - 100 * HOUR_MS) / 1000 });
  });
});

describe("the size of the state", () => {
  it("grows with what a run delivers: its patches together take at most three times the state and 300 characters an alert", () => {
    const size = 20;
    for (const id of [(n: number) => String(n * 7 + (n % 3)), (n: number) => `text ${n}`]) {
      const store = open(null);
      store.advance(streamOf("S-0", "A"), { cursor: 1 });
      const stored: Record<string, string> = {};
      let characters = 0;
      const alerts = 200;
      for (let alert = 0; alert < alerts; alert++) {
        const batch = Array.from({ length: size }, (_, n) => ({
          key: keyOf(id(alert * size + n), ""),
          check: n,
          hour: NOW_HOUR,
        }));
        Object.assign(stored, storedBatch(alert, batch));
        const skip = (alert + 1) * size;
        const memoryNow = { ids: { ...stored }, unfinished: { skip, after: id(skip - 1) } };
        characters += JSON.stringify(store.advance(streamOf("S-1", "A"), memoryNow)).length;
      }
      expect(characters).toBeLessThanOrEqual(3 * JSON.stringify(store.toJson()).length + 300 * alerts);
    }
  });

  it("is under 64 KB for a thousand streams after a poll", () => {
    const store = open(null);
    for (let environment = 0; environment < 50; environment++) {
      const id = `S-1-5-21-1111111111-2222222222-${1000 + environment}`;
      store.setEnvironment(
        { id, name: `DOMAIN-${environment}.EXAMPLE.TEST`, type: "active-directory" },
        {
          readAt: NOW / 1000,
          readAllAt: NOW / 1000,
          evidence: { analysis: "2030-01-31T09:00:00.123456789Z" },
        },
      );
      for (let type = 0; type < 20; type++) {
        const first = (environment * 20 + type) * 50;
        const entries = Array.from({ length: 50 }, (_, i) => ({ key: first + i, check: i }));
        store.keep(streamOf(id, `T0LargeDefaultGroups${type}`), { ids: { [NOW_HOUR]: textOf(entries) } });
      }
    }
    expect(JSON.stringify(store.toJson()).length).toBeLessThan(64 * 1024);
  });

  it.each([
    ["60,000 streams", 1_000, 60, (n: number) => `S-1-5-21-${n}`, (n: number) => `T0FindingType${n}`],
    ["long names of finding types", 2, 4_000, (n: number) => `S-${n}`, (n: number) => `${"t".repeat(990)}${n}`],
    [
      "names as long as a request takes",
      2_400,
      3,
      (n: number) => `${"n".repeat(990)}${n}`,
      (n: number) => `${"t".repeat(990)}${n}`,
    ],
  ])(
    "stays within its bound with %s, with each patch, and says how many it had to forget",
    (_, environments, types, id, type) => {
      const store = open(null);
      let host: Json = null;
      let largest = 0;
      for (let e = 0; e < environments; e++) {
        for (let t = 0; t < types; t++) {
          const stream = streamOf(id(e), type(t));
          const memory = { ids: { [NOW_HOUR]: "1+3,17+5:AbCdEfGhIjKl" }, unfinished: { skip: 10, after: "22" } };
          if (t > 0 || e % 5 > 0) {
            store.keep(stream, memory);
            continue;
          }
          host = applyMergePatch(host, store.advance(stream, memory));
          if (e % 100 === 0) largest = Math.max(largest, JSON.stringify(host).length);
        }
      }
      const kept = JSON.stringify(store.toJson()).length;
      expect(Math.max(largest, kept)).toBeLessThan(2_500_000);
      expect(store.forgottenStreams).toBeGreaterThan(0);
      expect(kept).toBeGreaterThan(2_000_000);
      const streams = Object.values(loaded(throughJson(store.toJson())).environments).map((each) =>
        Object.keys(each.streams),
      );
      expect(streams.flat().length + store.forgottenStreams).toBe(environments * types);
      // The same ones in each run.
      expect(store.stream(streamOf(id(0), type(0)))).toBeDefined();
    },
  );

  it("leaves a stream what the gone ones take", () => {
    const [of, gone] = [streamOf("S-1", "A"), streamOf("S-1", "B")];
    const state = stateOf([
      [of, { cursor: 1 }],
      [gone, { ids: { "5": "x".repeat(5_000) }, goneSince: NOW_HOUR }],
    ]);
    const rooms = [1_000, 5_500].map((most) => {
      const store = new StateStore(loadedWithoutCheck(state), state, most);
      return store.roomFor(of).ids;
    });
    expect(rooms[0]).toBeGreaterThan(500);
    expect(rooms[1]).toBeGreaterThan(5_000);
  });

  it("leaves a stream what has come to be gone since it was last asked, and not what is back", () => {
    const [of, other] = [streamOf("S-1", "A"), streamOf("S-2", "B")];
    const ids = { "5": "x".repeat(5_000) };
    const store = new StateStore(loadedWithoutCheck(stateOf([[other, { ids }]])), null, 5_500);
    const room = (): number => store.roomFor(of).ids;
    const scopeOf = (...selected: Environment[]) => ({ selected, visible: selected });
    const empty = room();
    store.keep(other, { ids, goneSince: NOW_HOUR });
    expect(room()).toBeGreaterThan(empty + 4_900);
    store.keep(other, { ids });
    expect(room()).toBe(empty);
    store.setScope(scopeOf(of.environment), NOW_HOUR * HOUR_MS);
    expect(room()).toBeGreaterThan(empty + 4_900);
    store.setScope(scopeOf(of.environment, other.environment), NOW_HOUR * HOUR_MS);
    expect(room()).toBeLessThan(empty + 100);
  });

  it("leaves a stream what the others do not take", () => {
    const store = open(null);
    const of = streamOf("S-1", "A");
    const empty = store.roomFor(of).ids;
    expect(empty).toBeLessThan(2_500_000);
    store.keep(streamOf("S-1", "B"), { ids: { "5": "x".repeat(1_000_000) } });
    expect(store.roomFor(of).ids).toBeLessThan(empty - 1_000_000);
    store.keep(of, { ids: { "5": "x".repeat(1_000_000) } });
    expect(store.roomFor(of).ids).toBeGreaterThan(empty - 1_001_000);
    store.keep(streamOf("S-1", "B"), {});
    expect(store.roomFor(of).ids).toBeGreaterThan(empty - 1_000);
  });
});
