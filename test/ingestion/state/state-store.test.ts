import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { applyMergePatch } from "../../../src/runtime/merge-patch.ts";
import { HOUR_MS } from "../../../src/clock.ts";
import type { StreamMemory } from "../../../src/ingestion/state/state.ts";
import type { Stream } from "../../../src/ingestion/scope.ts";
import type { StateStore } from "../../../src/ingestion/state/state-store.ts";
import { hourOf, pollTime } from "../../../src/ingestion/time.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { NOW, NOW_HOUR, streamOf, timeAt } from "../../support/streams.ts";
import { listing, loaded, open, stateOf, streamsIn, throughJson } from "../support/states.ts";

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

const isSame = (a: Stream, b: Stream): boolean =>
  a.environment.id === b.environment.id && a.findingType === b.findingType;

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

  it("is everything but the first alert when the host leaves that one for the next run and takes the later ones", () => {
    const later = fc.array(fc.tuple(stream, memory), { maxLength: 4 });
    fc.assert(
      fc.property(before, fc.array(step, { maxLength: 4 }), stream, memory, later, (first, steps, of, news, others) => {
        const store = open(first);
        for (const what of steps) if (what.kind !== "news") take(store, what);
        const former = store.stream(of) ?? {};
        let host = applyMergePatch(first, throughJson(store.withoutAlert(of)!));
        store.advance(of, news);
        for (const [other, remembered] of others.filter(([other]) => !isSame(other, of)))
          host = applyMergePatch(host, throughJson(store.advance(other, remembered)));
        store.keep(of, former);
        expect(streamsIn(host)).toEqual(streamsIn(throughJson(store.toJson())));
        const [, environment] =
          Object.entries(loaded(host).environments).find(([id]) => id === of.environment.id) ?? [];
        expect(environment?.due).toBeDefined();
        expect(store.withoutAlert(of)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it("can be used by the next run, whichever alerts the host leaves with all later ones of their streams", () => {
    const alerts = fc.array(fc.record({ stream, memory, isLeft: fc.boolean() }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(before, alerts, (first, given) => {
        const store = open(first);
        let host = first;
        const left: Stream[] = [];
        const taken = new Map<string, StreamMemory>();
        for (const { stream: of, memory: remembered, isLeft } of given) {
          const withoutAlert = store.withoutAlert(of);
          const patch = store.advance(of, remembered);
          const leaves = isLeft || left.some((other) => isSame(other, of));
          if (leaves) left.push(of);
          else taken.set(`${of.environment.id} ${of.findingType}`, remembered);
          const applied = leaves ? withoutAlert : patch;
          if (applied !== undefined) host = applyMergePatch(host, throughJson(applied));
        }
        expect([...streamsIn(host)]).toEqual(expect.arrayContaining([...taken]));
        const { environments } = loaded(host);
        // The next run must not skip what was left.
        for (const { environment } of left) expect(environments[environment.id]?.due).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  it("names a finding type again that no stream had any more, so that a killed run can be read", () => {
    const [goes, comes] = [streamOf("S-1", "A"), streamOf("S-2", "A")];
    const host = stateOf([
      [goes, { goneSince: NOW_HOUR - 24 * 8 }],
      [streamOf("S-1", "B"), {}],
    ]);
    const store = open(host);
    store.setTypes(goes.environment, { offered: ["B"], selected: ["B"] }, NOW_HOUR);
    const first = applyMergePatch(host, throughJson(store.advance(streamOf("S-1", "B"), { ids: { "5": "1" } })));
    const second = applyMergePatch(first, throughJson(store.advance(comes, { ids: { "5": "2" } })));
    expect([...streamsIn(second).keys()].sort()).toEqual(["S-1 B", "S-2 A"]);
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

  it("keeps in mind which environments had no collected data when they were last listed", () => {
    const store = open(null);
    const environment = { id: "S-1", name: "CORP" };
    store.setScope(listing([environment]), NOW);
    store.setEnvironment(environment, {});
    store.setScope({ selected: [], visible: [{ ...environment, collected: false }] }, NOW);
    // One that was read before the list arrived.
    store.setEnvironment(environment, {});
    expect(store.listedEnvironments()).toEqual([{ ...environment, collected: false }]);
    store.setScope({ selected: [], visible: [] }, NOW);
    store.setScope(listing([environment]), NOW);
    expect(store.listedEnvironments()).toEqual([environment]);
  });

  it("knows the present name of an environment that is not selected", () => {
    const store = open(null);
    store.setScope(listing([{ id: "S-1", name: "OLD" }]), NOW);
    store.setEnvironment({ id: "S-1", name: "OLD" }, {});
    store.setScope({ selected: [], visible: [{ id: "S-1", name: "NEW" }] }, NOW);
    expect(store.listedEnvironments()).toEqual([{ id: "S-1", name: "NEW" }]);
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

describe("the beginning of the first run", () => {
  it.each([5 * 24, -5 * 24, 0.5, -0.5])(
    "is within an hour of the host's clock, whatever a Date header says (%d hours ahead)",
    (hours) => {
      const store = open(stateOf([]));
      store.followClock(pollTime(undefined, NOW, NOW + hours * HOUR_MS));
      const bounded = Math.min(Math.max(hours, -1), 1);
      expect(store.firstRun).toBe(hourOf(NOW + bounded * HOUR_MS) * HOUR_MS);
      store.followClock(pollTime(store.clock, NOW + 50 * HOUR_MS, NOW + 50 * HOUR_MS));
      expect(store.firstRun).toBe(hourOf(NOW + bounded * HOUR_MS) * HOUR_MS);
    },
  );
});
