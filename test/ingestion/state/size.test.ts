import { describe, expect, it } from "@jest/globals";
import { applyMergePatch } from "../../../src/runtime/merge-patch.ts";
import { HOUR_MS } from "../../../src/clock.ts";
import { storedBatch } from "../../../src/ingestion/state/delivered-ids.ts";
import { identityKeyOf, textOf } from "../../../src/ingestion/state/id-text.ts";
import { StateStore } from "../../../src/ingestion/state/state-store.ts";
import type { Environment } from "../../../src/service/resources/environments.records.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { NOW, NOW_HOUR, streamOf } from "../../support/streams.ts";
import { loaded, loadedWithoutCheck, open, stateOf, throughJson } from "../support/states.ts";

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
          key: identityKeyOf(id(alert * size + n), ""),
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
