import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { patchBetween } from "../../src/ingestion/merge-patch.ts";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";
import { applyMergePatch } from "../../sandbox/soar/merge-patch.ts";

const key = fc.constantFrom("a", "b", "c", "__proto__", "");
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

describe("a merge patch between two states", () => {
  it("turns any host state, damaged ones too, into the wanted one", () => {
    fc.assert(
      fc.property(json, object, (from, to) => {
        expect(applyMergePatch(from, patchBetween(from, to))).toEqual(to);
      }),
    );
  });

  it("is empty between equal states", () => {
    fc.assert(
      fc.property(object, (state) => {
        expect(patchBetween(structuredClone(state), state)).toEqual({});
      }),
    );
  });
});
