import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { IdentitySet } from "../../../src/service/lists/identity-set.ts";

describe("a set of identities", () => {
  it("holds numbers and texts as a set of texts does", () => {
    const identity = fc.oneof(
      fc.nat(200).map(String),
      fc.maxSafeNat().map(String),
      fc.constantFrom("0", "00", "007", "-1", "1.0", "1e3", " 1", "31", "32", "999999999999999", "9999999999999999"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(identity, { maxLength: 300 }), (identities) => {
        const [set, expected] = [new IdentitySet(), new Set<string>()];
        for (const each of identities) {
          expect(set.add(each)).toBe(!expected.has(each));
          expected.add(each);
          expect(set.size).toBe(expected.size);
        }
      }),
    );
  });
});
