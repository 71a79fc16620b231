import { describe, expect, it } from "@jest/globals";
import { applyMergePatch } from "../../../src/runtime/merge-patch.ts";
import { HOUR_MS } from "../../../src/clock.ts";
import { StateStore } from "../../../src/ingestion/state/state-store.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { NOW, NOW_HOUR, streamOf } from "../../support/streams.ts";
import { listing, loaded, open, stateOf, streamsIn, throughJson, WEEK_MS } from "../support/states.ts";

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
    expect([open(later).stream(gone), open(later).stream(listed)]).toEqual([{ forgotAt: NOW_HOUR }, { cursor: 1 }]);
    const long = [2, 9, 10].map((weeks) => NOW + weeks * WEEK_MS);
    expect(afterPolls(later, long, poll)).toMatchObject({
      environments: { "S-2": { forgotAt: NOW_HOUR, streams: {} } },
    });
  });

  it("makes other alerts than before when it comes back again after it was forgotten", () => {
    const inEnvironment = (selected: boolean) => (store: StateStore, now: number) => {
      store.setScope(listing([listed.environment, ...(selected ? [gone.environment] : [])]), now);
      if (selected) store.setTypes(gone.environment, { offered: ["B"], selected: ["B"] }, Math.floor(now / HOUR_MS));
      if (selected) store.setEnvironment(gone.environment, { readAt: 5 });
    };
    const inType = (selected: boolean) => (store: StateStore, now: number) => {
      const types = selected ? ["B"] : [];
      store.setScope(listing([listed.environment, gone.environment]), now);
      store.setTypes(gone.environment, { offered: types, selected: types }, Math.floor(now / HOUR_MS));
    };
    for (const poll of [inEnvironment, inType]) {
      const start = stateOf([
        [listed, { cursor: 1 }],
        [gone, { cursor: 2, forgotAt: NOW_HOUR + 5 }],
      ]);
      const away = [0, WEEK_MS + HOUR_MS].map((ms) => NOW + ms);
      const back = afterPolls(afterPolls(start, away, poll(false)), [NOW + 2 * WEEK_MS], poll(true));
      expect(open(back).stream(gone)).toEqual({ forgotAt: NOW_HOUR + 6 });
      const again = [3 * WEEK_MS, 4 * WEEK_MS + HOUR_MS].map((ms) => NOW + ms);
      const twice = afterPolls(afterPolls(back, again, poll(false)), [NOW + 5 * WEEK_MS], poll(true));
      expect(open(twice).stream(gone)).toEqual({ forgotAt: NOW_HOUR + 3 * 7 * 24 });
    }
  });

  it("is still known to have been forgotten once a run has read its environment", () => {
    const start = stateOf([[listed, { cursor: 1 }]]) as { environments: object };
    const store = open({ ...start, environments: { "S-2": { forgotAt: 5, streams: {} } } });
    store.setEnvironment(gone.environment, { readAt: 5 });
    expect(store.stream(gone)).toEqual({ forgotAt: 5 });
  });

  it("makes other alerts also after a run that was killed once it had forgotten them", () => {
    const other = streamOf("S-1", "B");
    const start = stateOf([
      [listed, { cursor: 1 }],
      [other, { cursor: 2, goneSince: NOW_HOUR }],
      [gone, { cursor: 3, forgotAt: NOW_HOUR + 5 }],
    ]);
    const late = NOW + WEEK_MS + HOUR_MS;
    const away = afterPolls(start, [NOW], (store, now) => {
      store.setScope(listing([listed.environment]), now);
    });
    const store = open(away);
    // The first alert brings the whole state, before the lists arrive.
    let host = applyMergePatch(away, throughJson(store.advance(streamOf("S-3", "A"), { cursor: 1 })));
    store.setScope(listing([listed.environment, { id: "S-3" }]), late);
    store.setTypes(listed.environment, { offered: ["A"], selected: ["A"] }, Math.floor(late / HOUR_MS));
    host = applyMergePatch(host, throughJson(store.advance(streamOf("S-3", "A"), { cursor: 2 })));
    const next = open(host);
    expect([next.stream(other), next.stream(gone)]).toEqual([{ forgotAt: NOW_HOUR }, { forgotAt: NOW_HOUR + 6 }]);
  });

  it("leaves nothing behind once the state is full, which is counted because alerts get their old ids should it be back", () => {
    const start = stateOf([[listed, { cursor: 1 }]]);
    const stub = { goneSince: 1, forgotAt: 1, streams: {} };
    const environments = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`S-${index + 2}`, stub]));
    const host = {
      ...(start as object),
      environments: { ...(start as { environments: object }).environments, ...environments },
    };
    const store = new StateStore(loaded(host), host, 1_000);
    expect(JSON.stringify(store.toJson()).length).toBeLessThan(1_100);
    const left = Object.keys((store.toJson() as { environments: object }).environments).length;
    expect([left + store.forgottenStreams, store.stream(listed)]).toEqual([51, { cursor: 1 }]);
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
    expect(open(later).stream(other)).toEqual({ forgotAt: NOW_HOUR });
    expect(open(later).hasKnown("B")).toBe(false);
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
    expect(store.stream(listed)).toEqual({ cursor: 1, unselectedSince: NOW_HOUR, wholeHistory: true });
    store.setTypes(listed.environment, { offered: ["A", "B"], selected: ["A"] }, NOW_HOUR + 1);
    expect(store.stream(listed)).toEqual({ cursor: 1, wholeHistory: true });
  });

  it("is there again when it is offered, selected or not", () => {
    const store = open(stateOf([[listed, { cursor: 1, goneSince: NOW_HOUR - 5 }]]));
    store.setTypes(listed.environment, { offered: ["A", "B"], selected: ["B"] }, NOW_HOUR);
    expect(store.stream(listed)).toEqual({ cursor: 1, unselectedSince: NOW_HOUR, wholeHistory: true });
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
