import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  countIds,
  DeliveredIds,
  holdsId,
  hourOfName,
  storedBatch,
  type Hour,
} from "../../../src/ingestion/state/delivered-ids.ts";

const identity = fc.oneof(
  fc.nat(60).map(String),
  fc.nat().map(String),
  fc.integer({ min: 0, max: 40 }).map((n) => String(1_000 + n * 60)),
  fc.constantFrom("", "0", "07", "7.0", "-1", "1e3", "__proto__", "constructor", "~", "17+3", "a,b", "999999999999999"),
  fc.constantFrom("1000000000000000", "9007199254740993", "9007199254740992", "\ud800", "h0123456789abcdef"),
  fc.string(),
);
const hour: fc.Arbitrary<Hour> = fc.option(fc.integer({ min: 1, max: 5 }));
/** One entry per identity: the first hour it was added with would be replaced by the last. */
const entries = fc.uniqueArray(fc.record({ id: identity, hour }), { selector: ({ id }) => id });

function storedOf(added: readonly { id: string; hour: Hour }[]): Record<string, string> {
  const ids = new DeliveredIds();
  for (const { id, hour: at } of added) ids.add(id, at);
  return ids.toStored();
}

const hash = (n: number): string => createHash("sha256").update(String(n)).digest("hex").slice(0, 32);

describe("the identities of delivered findings", () => {
  it("come back from their text exactly as they were added, and nothing else with them", () => {
    fc.assert(
      fc.property(entries, identity, (added, other) => {
        const stored = storedOf(added);
        const copy = DeliveredIds.parse(stored);
        expect(added.every(({ id }) => copy.has(id))).toBe(true);
        expect(copy.has(other)).toBe(added.some(({ id }) => id === other));
        expect([...copy.hours()].sort()).toEqual(added.map((entry) => entry.hour).sort());
        expect(copy.toStored()).toEqual(stored);
      }),
      { numRuns: 500 },
    );
  });

  it("are found and counted in their text without reading it into memory", () => {
    fc.assert(
      fc.property(entries, identity, fc.nat(6), (added, other, from) => {
        const stored = storedOf(added);
        expect(holdsId(stored, other)).toBe(added.some(({ id }) => id === other));
        expect(added.every(({ id }) => holdsId(stored, id))).toBe(true);
        expect(countIds(stored, from)).toBe(added.filter((entry) => (entry.hour ?? -Infinity) >= from).length);
        expect(countIds(stored, Infinity)).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it("are not taken for others that look alike", () => {
    const stored = storedOf([10, 20, 30, 40].map((number) => ({ id: String(number), hour: 500_000 })));
    expect(holdsId(stored, "20")).toBe(true);
    for (const other of ["15", "50", "020", "2e1"]) expect(holdsId(stored, other)).toBe(false);
  });

  it("are one set however they were split into batches", () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 5 }), (added, size) => {
        const stored: Record<string, string> = {};
        for (let at = 0; at < added.length; at += size) {
          Object.assign(stored, storedBatch(at, added.slice(at, at + size)));
        }
        expect(countIds(stored, -Infinity)).toBe(added.length);
        expect(DeliveredIds.parse(stored).toStored()).toEqual(storedOf(added));
        const hours = new Set(Object.keys(stored).map(hourOfName));
        expect(hours).toEqual(new Set(added.map((entry) => entry.hour)));
      }),
    );
  });

  it("are kept from an hour on, those without an hour always", () => {
    const ids = new DeliveredIds();
    ids.add("1", 10);
    ids.add("2", 11);
    ids.add("3", null);
    expect(ids.toStored(11)).toEqual({ "11": "2", none: "3" });
  });

  it("take no more text for a hundred thousand numbers in a row, or evenly spaced, than for ten", () => {
    const inARow = Array.from({ length: 100_000 }, (_, i) => ({ id: String(7 + i), hour: 5 }));
    const spaced = Array.from({ length: 1_000 }, (_, i) => ({ id: String(7 + i * 60), hour: 5 }));
    expect(storedOf(inARow)).toEqual({ "5": "7+99999" });
    expect(storedOf(spaced)).toEqual({ "5": "7+999*60" });
  });

  it("take less than 1.5 MB for a hundred thousand texts", () => {
    const texts = Array.from({ length: 100_000 }, (_, i) => ({ id: `h${hash(i)}`, hour: i % 48 }));
    expect(JSON.stringify(storedOf(texts)).length).toBeLessThan(1_500_000);
  });

  it("never take two texts for one, although only a hash of each is kept", () => {
    const texts = Array.from({ length: 20_000 }, (_, i) => ({ id: `finding ${i}`, hour: 1 }));
    expect(countIds(storedOf(texts), -Infinity)).toBe(20_000);
  });
});
