import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { checkpointJson, emptyCheckpoint, loadCheckpoint, type Checkpoint } from "../../src/ingestion/checkpoint.ts";
import { Ledger } from "../../src/ingestion/ledger.ts";
import type { PairState } from "../../src/ingestion/pair-progress.ts";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";
import { applyMergePatch } from "../../sandbox/soar/merge-patch.ts";

const TENANT = "https://tenant.test";

const cursor = fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123456789Z", "2026-02-03T04:05:06.7Z");
const name = fc.constantFrom("S-1-5-21-1", "S-1-5-21-2", "__proto__", "T0GenericAll", "Ünïcode / type");
const pairState: fc.Arbitrary<PairState> = fc
  .record({
    cursor: fc.option(cursor),
    seen: fc.constantFrom("", "1+49", "1+49;1:60", "x:=habc"),
    listed: fc.option(fc.nat()),
    pass: fc.option(fc.record({ from: fc.option(cursor), skip: fc.nat(), after: fc.constantFrom("", "17", "habc") })),
  })
  .map((pair) => (pair.pass === null ? pair : { ...pair, listed: null }));
const commits = fc.array(fc.tuple(name, name, pairState, fc.option(fc.constantFrom("packed", "other"))), {
  maxLength: 12,
});

function loaded(raw: Json): Checkpoint {
  const result = loadCheckpoint(raw, TENANT);
  if (result.kind !== "loaded") throw new Error(`expected to load, got ${JSON.stringify(result)}`);
  return result.checkpoint;
}

/** What merge patches leave behind: groups of cursors that no pair has any more. */
function withoutEmptyGroups(state: Json): Json {
  return checkpointJson(loaded(state));
}

describe("the connector's state", () => {
  it("is the same after being written and read", () => {
    fc.assert(
      fc.property(commits, fc.nat(), fc.option(fc.tuple(name, name)), (list, sweptAt, next) => {
        const checkpoint = emptyCheckpoint(TENANT);
        checkpoint.sweptAt = sweptAt;
        checkpoint.selection = "print";
        checkpoint.next = next === null ? null : { environmentId: next[0], findingType: next[1] };
        const ledger = new Ledger(null, checkpoint);
        for (const [environmentId, findingType, state, document] of list) {
          ledger.commit({ environmentId, findingType }, state, document === null ? undefined : [sweptAt, document]);
          checkpoint.gates.set(environmentId, { quietPolls: 2, history: "fingerprint" });
        }
        const json = JSON.parse(JSON.stringify(ledger.finish().json)) as JsonObject;
        expect(loaded(json)).toEqual(checkpoint);
      }),
    );
  });

  it("is what a host holds after it has applied the patch of each alert, whatever it held before", () => {
    const before = fc.oneof(
      fc.constant(null),
      fc.json().map((text) => JSON.parse(text) as Json),
      fc.constant({ version: 1, tenant: "https://other.test", environments: { "S-1-5-21-1": { cursors: { x: 1 } } } }),
    );
    fc.assert(
      fc.property(before, commits, (host, list) => {
        fc.pre(list.length > 0);
        const ledger = new Ledger(host, emptyCheckpoint(TENANT));
        let state: Json = host;
        for (const [environmentId, findingType, pair, document] of list) {
          const stored = document === null ? undefined : ([1, document] as const);
          const patch = ledger.commit({ environmentId, findingType }, pair, stored && [...stored]);
          state = applyMergePatch(state, JSON.parse(JSON.stringify(patch)) as Json);
          const whole = JSON.parse(JSON.stringify(checkpointJson(ledger.checkpoint))) as Json;
          expect(withoutEmptyGroups(state)).toEqual(withoutEmptyGroups(whole));
        }
      }),
    );
  });

  it.each<[string, Json]>([
    ["a text", "state"],
    ["a list", [1]],
    ["no version", { tenant: TENANT }],
    ["no tenant", { version: 1 }],
    ["environments of the wrong shape", { version: 1, tenant: TENANT, environments: [] }],
    ["a pair that is no text", { version: 1, tenant: TENANT, environments: { a: { cursors: { "": { t: 5 } } } } }],
    [
      "a cursor that is no time",
      { version: 1, tenant: TENANT, environments: { a: { cursors: { soon: { t: "1" } } } } },
    ],
    ["unreadable ids", { version: 1, tenant: TENANT, environments: { a: { cursors: { "": { t: "1-x" } } } } }],
    [
      "a negative position",
      { version: 1, tenant: TENANT, environments: { a: { cursors: { "": { t: ["", "", -1, ""] } } } } },
    ],
    ["a broken gate", { version: 1, tenant: TENANT, environments: { a: { cursors: {}, gate: ["x"] } } }],
    ["a broken document", { version: 1, tenant: TENANT, documents: { t: ["now"] } }],
    ["a truncated text", '{"version":1,"ten'],
  ])("that is damaged, by %s, is set aside with a reason", (_, raw) => {
    const result = loadCheckpoint(raw, TENANT);
    expect(result).toMatchObject({ kind: "fresh", reason: "damaged", checkpoint: emptyCheckpoint(TENANT) });
  });

  it("of another tenant is set aside, and of a newer version left alone", () => {
    const other = { version: 1, tenant: "https://other.test", environments: {} };
    expect(loadCheckpoint(other, TENANT)).toMatchObject({ kind: "fresh", reason: "other_tenant" });
    expect(loadCheckpoint({ version: 2, tenant: TENANT }, TENANT)).toEqual({ kind: "newer", version: 2 });
  });

  it.each<[string, Json]>([
    ["null", null],
    ["an empty object", {}],
  ])("of %s is a first run without a complaint", (_, raw) => {
    expect(loadCheckpoint(raw, TENANT)).toMatchObject({ kind: "fresh", reason: null });
  });

  it("stays within what a platform keeps, by forgetting ids and never cursors", () => {
    const ledger = new Ledger(null, emptyCheckpoint(TENANT));
    for (let n = 0; n < 40; n++) {
      const seen = Array.from({ length: 12_000 }, (_, i) => `=id${n}x${i}`).join(",");
      ledger.keep(
        { environmentId: "a", findingType: `T${n}` },
        { cursor: "2026-01-01T00:00:00Z", seen, listed: null, pass: null },
      );
    }
    const { json, forgotten } = ledger.finish();
    expect(JSON.stringify(json).length).toBeLessThan(3_000_000);
    expect(forgotten).toBeGreaterThan(0);
    expect(loaded(json).pairs.get("a")?.size).toBe(40);
  });

  it("takes under 64 KB for a thousand finding types", () => {
    const ledger = new Ledger(null, emptyCheckpoint(TENANT));
    for (let n = 0; n < 1000; n++) {
      const environmentId = `S-1-5-21-1111111111-2222222222-${n % 20}`;
      const at = `2026-01-01T${String(n % 20).padStart(2, "0")}:00:00.123456789Z`;
      const seen = `${1_000_000 + n * 50}+49`;
      ledger.keep(
        { environmentId, findingType: `LargeDefaultGroups${n}` },
        { cursor: at, seen, listed: null, pass: null },
      );
    }
    expect(JSON.stringify(ledger.finish().json).length).toBeLessThan(64 * 1024);
  });
});
