import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { applyMergePatch } from "../../../sandbox/soar/merge-patch.ts";
import { applyPatch, patchBetween } from "../../../src/ingestion/state/merge-patch.ts";
import type { Json, JsonObject } from "../../../src/runtime/protocol.ts";

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

  it("is applied here as every host applies it", () => {
    fc.assert(
      fc.property(json, fc.dictionary(key, json), (from, patch) => {
        expect(applyPatch(from, patch)).toEqual(applyMergePatch(from, patch));
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
  });
});
