import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  countIds,
  DeliveredIds,
  holdsId,
  hourOfName,
  type ListedFinding,
  Listing,
  nextBatch,
  storedBatch,
} from "../../../src/ingestion/state/delivered-ids.ts";
import type { Hour, Key } from "../../../src/ingestion/state/id-text.ts";

const key: fc.Arbitrary<Key> = fc.oneof(
  fc.nat(60),
  fc.nat(),
  fc.stringMatching(/^[A-Za-z0-9_-]{11}$/).map((hash) => `~${hash}`),
);
const hour: fc.Arbitrary<Hour> = fc.option(fc.integer({ min: 1, max: 5 }));
const entries = fc.uniqueArray(fc.record({ key, hour, check: fc.nat(4_095) }), { selector: (entry) => entry.key });

type Entry = Omit<ListedFinding, "isDeleted"> & { key: Key };

function listed(found: readonly Entry[]): Listing {
  const listing = new Listing();
  for (const { key: each, ...finding } of found) listing.add(each, { ...finding, isDeleted: false });
  return listing;
}

/** The identities that count as those of other findings. */
function reusedIn(ids: DeliveredIds, listing: Listing): ReadonlySet<Key> {
  return ids.reused(listing).keys;
}

const KEEP_ALL = { keepsUnlisted: () => true, without: new Set<Key>(), oldest: -Infinity, checkRoom: 0 };

describe("the identities of delivered findings", () => {
  it("are one set however they were split into batches", () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 5 }), (added, size) => {
        const stored: Record<string, string> = {};
        for (let at = 0; at < added.length; at += size) {
          Object.assign(stored, storedBatch(nextBatch(stored), added.slice(at, at + size)));
        }
        expect(countIds(stored, -Infinity)).toBe(added.length);
        const ids = new DeliveredIds(stored);
        expect(ids.size).toBe(added.length);
        expect(added.every((entry) => ids.has(entry.key) && holdsId(stored, entry.key))).toBe(true);
        expect([...ids.hours()].sort()).toEqual(added.map((entry) => entry.hour).sort());
        expect(new Set(Object.keys(stored).map(hourOfName))).toEqual(new Set(added.map((entry) => entry.hour)));
        expect(ids.restated(listed(added), KEEP_ALL).stored).toEqual(
          new DeliveredIds(storedBatch(0, added)).restated(listed(added), KEEP_ALL).stored,
        );
      }),
      { numRuns: 300 },
    );
  });

  it("are counted from an hour on, those without an hour never", () => {
    const stored = storedBatch(0, [
      { key: 1, check: 0, hour: 10 },
      { key: 2, check: 0, hour: 11 },
      { key: 3, check: 0, hour: null },
    ]);
    expect([countIds(stored, 10), countIds(stored, 11), countIds(stored, 12)]).toEqual([2, 1, 0]);
  });

  it("are kept whatever part of them a pass lists, and forgotten only where the caller says so", () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.nat(), fc.option(hour), (added, part, before, dated) => {
        const found = added
          .filter((_, i) => (part >> (i % 30)) & 1)
          .map((entry) => ({ ...entry, hour: dated ?? entry.hour }));
        const known = added.filter((_, i) => (before >> (i % 30)) & 1);
        const ids = new DeliveredIds(new DeliveredIds(storedBatch(0, known)).restated(listed(known), KEEP_ALL).stored);
        // This run delivers the others, and its list begins once more without some of them.
        for (const entry of added) if (!known.includes(entry)) ids.add(entry.key, entry.hour, null);
        const all = ids.restated(listed(found), KEEP_ALL);
        expect([countIds(all.stored, -Infinity), all.forgottenUpTo]).toEqual([added.length, null]);
        expect(added.every((entry) => holdsId(all.stored, entry.key))).toBe(true);
        const some = ids.restated(listed(found), { ...KEEP_ALL, keepsUnlisted: () => false });
        expect(countIds(some.stored, -Infinity)).toBe(found.length);
        const gone = added
          .filter(({ key }) => !found.some((entry) => entry.key === key))
          .map((entry) => entry.hour ?? 0);
        expect(some.forgottenUpTo).toBe(gone.length === 0 ? null : Math.max(...gone));
      }),
      { numRuns: 300 },
    );
  });

  it("stand for the same findings as long as their checks agree, whichever are gone, and whatever hour all of them have", () => {
    fc.assert(
      fc.property(entries, fc.nat(), hour, (added, part, dated) => {
        const ids = new DeliveredIds(storedBatch(0, added));
        expect(reusedIn(ids, listed(added.filter((_, i) => (part >> (i % 30)) & 1)))).toEqual(new Set());
        expect(reusedIn(ids, listed(added.map((entry) => ({ ...entry, hour: dated }))))).toEqual(new Set());
      }),
      { numRuns: 300 },
    );
  });

  it("are doubted where they cannot be compared and have a later date", () => {
    const added = Array.from({ length: 24 }, (_, i) => ({ key: i, check: i, hour: 5 }));
    const ids = new DeliveredIds(storedBatch(0, added));
    const left = added.filter((entry) => entry.key % 5 !== 0);
    expect(reusedIn(ids, listed(left.map((entry) => ({ ...entry, hour: 6 }))))).toEqual(
      new Set(left.map(({ key: each }) => each)),
    );
    expect(reusedIn(ids, listed(left))).toEqual(new Set());
    expect(ids.reused(listed(left.map((entry) => ({ ...entry, hour: 6 })))).isProven).toBe(false);
  });

  it("are doubted where the checks differ, and where they cannot be compared then", () => {
    const added = Array.from({ length: 24 }, (_, i) => ({ key: i, check: i, hour: 5 }));
    const ids = new DeliveredIds(storedBatch(0, added));
    const others = added.map((entry) => (entry.key === 4 ? { ...entry, check: 99 } : entry));
    expect(reusedIn(ids, listed(others))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(reusedIn(ids, listed(others.filter((entry) => entry.key !== 23)))).toEqual(
      new Set([0, 1, 2, 3, 4, 5, 18, 19, 20, 21, 22]),
    );
    // Where there is room, each is detected alone.
    const each = new DeliveredIds(storedBatch(0, added, 1_000));
    expect(reusedIn(each, listed(others.filter((entry) => entry.key !== 5)))).toEqual(new Set([4]));
  });

  it("are all doubted where most checks differ: one that agrees may do so by chance", () => {
    const added = Array.from({ length: 24 }, (_, i) => ({ key: i, check: i, hour: 5 }));
    const ids = new DeliveredIds(storedBatch(0, added));
    const changed = (keys: readonly number[]): Listing =>
      listed(added.map((entry) => (keys.includes(entry.key) ? { ...entry, check: 99 } : entry)));
    expect(reusedIn(ids, changed([4])).size).toBe(6);
    expect(reusedIn(ids, changed([4, 10, 16])).size).toBe(24);
    expect(ids.reused(changed([4])).isProven).toBe(true);
  });

  it("older than an hour share one text", () => {
    const added = [1, 2, 3].map((number) => ({ key: number, check: number, hour: number }));
    const { stored } = new DeliveredIds(storedBatch(0, added)).restated(listed(added), { ...KEEP_ALL, oldest: 3 });
    expect(Object.keys(stored)).toEqual(["2", "3"]);
  });
});
