import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  checkOf,
  CHECKS,
  holdsKey,
  type IdEntry,
  idsIn,
  isIdText,
  identityKeyOf,
  sharesIn,
  textOf,
} from "../../../src/ingestion/state/id-text.ts";

const identity = fc.oneof(
  fc.nat(60).map(String),
  fc.nat().map(String),
  fc.integer({ min: 0, max: 40 }).map((n) => String(1_000 + n * 60)),
  fc.constantFrom("", "0", "07", "7.0", "-1", "1e3", "__proto__", "constructor", "~", "17+3", "a,b", "999999999999999"),
  fc.constantFrom("1000000000000000", "9007199254740993", "9007199254740992", "\ud800", "h0123456789abcdef", "a:b"),
  fc.string(),
);
const check = fc.nat(CHECKS - 1);
const entries: fc.Arbitrary<IdEntry[]> = fc.uniqueArray(
  fc.record({ key: identity.map((id) => identityKeyOf(id, "")), check }),
  { selector: ({ key }) => key },
);
const numbered = (numbers: readonly number[]): IdEntry[] => numbers.map((key) => ({ key, check: 7 }));

describe("the text of identities", () => {
  it("holds exactly those that were written, and is of the form that a state is checked for", () => {
    fc.assert(
      fc.property(entries, identity, (written, other) => {
        const text = textOf(written);
        expect(isIdText(text)).toBe(true);
        expect(new Set(sharesIn(text).flatMap(({ keys }) => keys))).toEqual(new Set(written.map(({ key }) => key)));
        expect(idsIn(text)).toBe(written.length);
        for (const { key } of written) expect(holdsKey(text, key)).toBe(true);
        const otherKey = identityKeyOf(other, "");
        expect(holdsKey(text, otherKey)).toBe(written.some(({ key }) => key === otherKey));
      }),
      { numRuns: 500 },
    );
  });

  it("checks each number alone where there is room, and else in one of at least four shares", () => {
    fc.assert(
      fc.property(entries, fc.nat(20), (written, room) => {
        const checks = new Map(written.map((entry) => [entry.key, entry.check ?? 0]));
        const shares = sharesIn(textOf(written, room)).filter((share) => share.check !== null);
        const numbers = written.filter(({ key }) => typeof key === "number");
        expect(shares.length).toBe(Math.min(4 + room, numbers.length));
        for (const share of shares) {
          expect(share.check).toBe(share.keys.reduce<number>((sum, key) => sum + (checks.get(key) ?? 0), 0) % CHECKS);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("has no checks where one of them is not known", () => {
    expect(textOf([...numbered([1, 2]), { key: 3, check: null }])).toBe("1+2");
  });

  it("takes hardly more for a hundred thousand numbers in a row, or evenly spaced, than for ten", () => {
    expect(textOf(numbered(Array.from({ length: 100_000 }, (_, i) => 7 + i)))).toMatch(/^7\+99999:.{12}$/);
    expect(textOf(numbered(Array.from({ length: 1_000 }, (_, i) => 7 + i * 60)))).toMatch(/^7\+999\*60:.{12}$/);
  });

  it("takes less than 1.5 MB for a hundred thousand texts, and takes no two of them for one", () => {
    const hash = (n: number): string => createHash("sha256").update(String(n)).digest("hex");
    const text = textOf(Array.from({ length: 100_000 }, (_, i) => ({ key: identityKeyOf(hash(i), ""), check: 0 })));
    expect(text.length).toBeLessThan(1_500_000);
    expect(new Set(sharesIn(text)[0]?.keys).size).toBe(100_000);
  });

  it("is not taken for others that look alike", () => {
    const text = textOf(numbered([10, 20, 30, 40]));
    expect([holdsKey(text, 20), holdsKey(text, 15), holdsKey(text, 50)]).toEqual([true, false, false]);
  });

  it.each(["1-x", "1,,2", "~abc", "1:A", "1:", "1:ABC:DEF", "1:A B", "1:ABCD", "AB:1"])("is damaged as %s", (text) => {
    expect(isIdText(text)).toBe(false);
  });
});

describe("the key of an identity", () => {
  it("is a number, or a hash of the identity and of what the finding is about", () => {
    expect([identityKeyOf("17", "a"), identityKeyOf("017", "a")]).toEqual([17, expect.stringMatching(/^~[\w-]{11}$/)]);
    expect(identityKeyOf("x", "a")).toBe(identityKeyOf("x", "a"));
    expect(identityKeyOf("x", "a")).not.toBe(identityKeyOf("x", "b"));
  });
});

describe("the check of what a finding is about", () => {
  it("differs for most pairs of principals, and uses all of its range", () => {
    const checks = Array.from({ length: 40_000 }, (_, i) => checkOf(`["S-1-5-21-1-513","S-1-5-21-1-${i}",""]`));
    expect(checks.every((each) => each >= 0 && each < CHECKS)).toBe(true);
    // As many as of so many drawn at random.
    expect(new Set(checks).size).toBeGreaterThan(36_500);
    const parts = checks.reduce((sum, each) => {
      sum[each >> 10] = (sum[each >> 10] ?? 0) + 1;
      return sum;
    }, new Array<number>(256).fill(0));
    expect([Math.min(...parts) > 80, Math.max(...parts) < 240]).toEqual([true, true]);
  });
});
