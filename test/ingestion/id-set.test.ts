import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { IdSet } from "../../src/ingestion/id-set.ts";

const identity = fc.oneof(
  fc.nat(60).map(String),
  fc.nat().map(String),
  fc.integer({ min: 0, max: 40 }).map((n) => String(1_000 + n * 60)),
  fc.string(),
);

function setOf(identities: Iterable<string>): IdSet {
  const set = new IdSet();
  for (const id of identities) set.add(id);
  return set;
}

describe("a set of finding identities", () => {
  it("holds just what was added, in whatever order", () => {
    fc.assert(
      fc.property(fc.array(identity), identity, (added, other) => {
        const set = setOf(added);
        const truth = new Set(added);
        expect(added.every((id) => set.has(id))).toBe(true);
        expect(set.has(other)).toBe(truth.has(other));
        expect(set.size).toBe(truth.size);
      }),
    );
  });

  it("comes back from its text unchanged", () => {
    fc.assert(
      fc.property(fc.array(identity), identity, (added, other) => {
        const copy = IdSet.fromText(setOf(added).toText());
        expect(added.every((id) => copy?.has(id))).toBe(true);
        expect(copy?.has(other)).toBe(added.includes(other));
        expect(copy?.size).toBe(new Set(added).size);
      }),
    );
  });

  it("takes no more text for a million numbers in a row, or evenly spaced, than for ten", () => {
    const inARow = setOf(Array.from({ length: 1_000_000 }, (_, i) => String(7 + i)));
    const spaced = setOf(Array.from({ length: 1_000 }, (_, i) => String(7 + i * 60)));
    expect(inARow.toText()).toBe("7+999999");
    expect(spaced.toText()).toBe("7+999*60");
  });

  it("keeps numbers apart that are written differently or are too large to count with", () => {
    const set = setOf(["7", "9007199254740993"]);
    expect(["7", "07", "7.0", "9007199254740993", "9007199254740992"].map((id) => set.has(id))).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it.each(["1-2", "x", "1+", "=%", "1,,2", "1+99999999999", "999999999999999+1*999999999999999"])(
    "refuses the damaged text %s",
    (text) => {
      expect(IdSet.fromText(text)).toBeNull();
    },
  );
});
