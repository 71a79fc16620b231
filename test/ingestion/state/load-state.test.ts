import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { loadState } from "../../../src/ingestion/state/load-state.ts";
import type { Json, JsonObject } from "../../../src/runtime/protocol.ts";
import { TENANT } from "../../support/streams.ts";

const EMPTY = { version: 1, tenant: TENANT, selection: "", types: {}, environments: {}, descriptions: {} };
const WHOLE: JsonObject = {
  ...EMPTY,
  selection: "fingerprint",
  clock: { host: 1, service: 2, trusted: 3 },
  next: { environmentId: "S-1", findingType: "T0Owns" },
  descriptions: { T0Owns: { readAt: 1, packed: "abc" } },
  types: { "0": "T0Owns", "1": "T0Admins", "7": "T0Old" },
  environments: {
    "S-1": {
      name: "CORP.TEST",
      type: "active-directory",
      readAt: 1,
      readAllAt: 1,
      evidence: { analysis: "2030-01-01T00:00:00Z", trend: "x" },
      streams: {
        "0": {
          ids: { "526000": "17+49*60,~abcdefghijk:ABCDEFGHIJKL", none: "3", "526001.0": "5:ABC" },
          cursor: 526_001,
          forgottenBefore: 0,
          count: 3,
          unfinished: { from: 525_977, skip: 3, after: "5" },
        },
        "1": { goneSince: 526_000 },
        "7": { returned: true },
      },
    },
  },
};

/** The whole state with another memory of one stream. */
function withStream(memory: Json): JsonObject {
  return { ...EMPTY, types: { "0": "T0Owns" }, environments: { "S-1": { streams: { "0": memory } } } };
}

describe("loading the state", () => {
  it("gives back what was stored", () => {
    const loaded = loadState(WHOLE, TENANT);
    expect(loaded).toEqual({ kind: "loaded", state: WHOLE });
  });

  it("drops members that it does not know", () => {
    const raw = { ...WHOLE, note: "y".repeat(1_000), __proto__: {} };
    expect(loadState(raw, TENANT)).toEqual({ kind: "loaded", state: WHOLE });
  });

  it.each<[string, Json]>([
    ["null", null],
    ["an empty object", {}],
  ])("takes %s for a first run", (_, raw) => {
    expect(loadState(raw, TENANT)).toEqual({ kind: "loaded", state: EMPTY });
  });

  it("sets the state of another tenant aside and names the tenant", () => {
    const raw = { ...WHOLE, tenant: "https://other.test" };
    expect(loadState(raw, TENANT)).toEqual({ kind: "other_tenant", state: EMPTY, tenant: "https://other.test" });
  });

  it("does not touch the state of a newer version, whatever else stands in it", () => {
    expect(loadState({ version: 2 }, TENANT)).toEqual({ kind: "newer", version: 2 });
    expect(loadState({ version: 7, tenant: 5, environments: [] }, TENANT)).toEqual({ kind: "newer", version: 7 });
  });

  it.each<[string, Json]>([
    ["a text", "state"],
    ["a truncated text", '{"version":1,"ten'],
    ["a number", 5],
    ["a list", [1]],
    ["no version", { tenant: TENANT }],
    ["a version that is a text", { ...EMPTY, version: "1" }],
    ["a version before the first", { ...EMPTY, version: 0 }],
    ["no tenant", { version: 1, selection: "", types: {}, environments: {}, descriptions: {} }],
    ["no environments", { version: 1, tenant: TENANT, selection: "", types: {}, descriptions: {} }],
    ["no names of finding types", { version: 1, tenant: TENANT, selection: "", environments: {}, descriptions: {} }],
    ["a finding type without a name", { ...EMPTY, environments: { "S-1": { streams: { "0": {} } } } }],
    ["a finding type with a name for a number", { ...EMPTY, types: { T0Owns: "T0Owns" } }],
    ["environments that are a list", { ...EMPTY, environments: [] }],
    ["an environment that is null", { ...EMPTY, environments: { "S-1": null } }],
    ["an environment without streams", { ...EMPTY, environments: { "S-1": {} } }],
    ["a stream that is a text", withStream("x")],
    ["ids that are no text", withStream({ ids: { "5": 17 } })],
    ["ids that cannot be read", withStream({ ids: { "5": "1-x" } })],
    ["ids with an empty token", withStream({ ids: { "5": "1,,2" } })],
    ["a check that cannot be read", withStream({ ids: { "5": "1:?" } })],
    ["a hash of the wrong length", withStream({ ids: { "5": "~abc" } })],
    ["a cursor that is a text", withStream({ cursor: "soon" })],
    ["a cursor in the far future", withStream({ cursor: 1e12 })],
    ["a fraction of an hour", withStream({ cursor: 1.5 })],
    ["a negative position", withStream({ unfinished: { skip: -1, after: "" } })],
    ["half an unfinished read", withStream({ unfinished: { skip: 1 } })],
    ["a clock of texts", { ...EMPTY, clock: { host: "1", service: 2, trusted: 3 } }],
    ["a description without a time", { ...EMPTY, descriptions: { T0Owns: { packed: "x" } } }],
    ["a next start without an environment", { ...EMPTY, next: { findingType: "T0Owns" } }],
  ])("starts afresh from a state that is damaged by %s, and says where", (_, raw) => {
    const loaded = loadState(raw, TENANT);
    expect(loaded).toEqual({ kind: "damaged", state: EMPTY, problem: expect.stringMatching(/./) });
  });

  it("names the place of the damage", () => {
    expect(loadState(withStream({ cursor: "soon" }), TENANT)).toMatchObject({
      problem: expect.stringContaining("/environments/S-1/streams/0/cursor"),
    });
  });

  it("keeps names such as __proto__ as names", () => {
    const text = JSON.stringify(WHOLE).replaceAll('"T0Owns"', '"__proto__"').replaceAll('"S-1"', '"constructor"');
    const loaded = loadState(JSON.parse(text) as Json, TENANT);
    expect(loaded.kind).toBe("loaded");
    expect(JSON.stringify(loaded.kind === "loaded" ? loaded.state : null)).toBe(text);
    expect(Object.prototype).not.toHaveProperty("cursor");
  });

  it("never throws, whatever the host kept", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        const { kind } = loadState(raw as Json, TENANT);
        expect(["loaded", "damaged", "newer"]).toContain(kind);
      }),
    );
  });

  it("never throws when any value inside a state is replaced", () => {
    const places = placesIn(WHOLE);
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 1 }), (place, value) => {
        const damaged = structuredClone(WHOLE);
        const holder = place.slice(0, -1).reduce<JsonObject>((inner, key) => inner[key] as JsonObject, damaged);
        holder[place.at(-1) ?? ""] = value as Json;
        expect(() => loadState(damaged, TENANT)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

/** The path of every value inside. */
function placesIn(value: Json, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) => placesIn(child, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}
