import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { applyMergePatch, patchBetween } from "../../src/runtime/merge-patch.ts";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";

const key = fc.constantFrom("a", "b", "c", "__proto__", "constructor", "");
const { json, object } = fc.letrec<{ json: Json; object: JsonObject; withoutNull: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(key, tie("json"), { maxKeys: 3 }),
  ),
  withoutNull: fc.oneof({ maxDepth: 3 }, fc.boolean(), fc.integer(), fc.array(fc.integer()), tie("object")),
  object: fc.dictionary(key, tie("withoutNull"), { maxKeys: 3 }),
}));

const throughJson = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

describe("a merge patch between two states", () => {
  it("turns whatever the host holds, damaged states too, into the wanted state", () => {
    fc.assert(
      fc.property(json, object, (from, to) => {
        expect(applyMergePatch(from, throughJson(patchBetween(from, to)))).toEqual(to);
      }),
      { numRuns: 500 },
    );
  });

  it("is empty between equal states", () => {
    fc.assert(
      fc.property(object, (state) => {
        expect(patchBetween(structuredClone(state), state)).toEqual({});
      }),
    );
  });

  it("holds nothing of what stays as it is", () => {
    const kept = { streams: { T0Owns: { ids: { "5": "1+999" } } } };
    const patch = patchBetween({ S1: kept, S2: { a: 1 } }, { S1: kept, S2: { a: 2, b: 3 } });
    expect(patch).toEqual({ S2: { a: 2, b: 3 } });
    expect(patchBetween({ S1: { a: 1, b: 2 } }, { S1: { a: 1 } })).toEqual({ S1: { b: null } });
  });
});

describe("a merge patch that is applied", () => {
  // Source: RFC 7396, appendix A.
  it.each<[Json, Json, Json]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: { b: "c" } }, { a: { d: "e" } }, { a: { b: "c", d: "e" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("%j patched with %j is %j", (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  it("applied twice is as applied once, and changes neither of the two", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = applyMergePatch(target as Json, patch as Json);
        expect(applyMergePatch(once, patch as Json)).toEqual(once);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });

  it("does not touch the prototype", () => {
    const merged = applyMergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}') as Json);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
