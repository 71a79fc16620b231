import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { brakeHolds } from "../../src/follow-up/brake.ts";
import { keyOf, keyOfFinding } from "../../src/follow-up/finding-key.ts";
import { afterList, afterListed, mayBeHidden, zonesAreUnstable } from "../../src/follow-up/guards.ts";
import { afterAbsence, MissingFindings } from "../../src/follow-up/missing.ts";
import type { Missing } from "../../src/follow-up/state/state.ts";
import { type FindingFacts, type VerdictTerms, verdictOf } from "../../src/follow-up/verdict.ts";
import { DAY_MS, HOUR_MS, restsOnSessions, waitOf } from "../../src/follow-up/waits.ts";

const NOW = 1_780_000_000_000;

const terms: VerdictTerms = {
  analysis: NOW,
  now: NOW,
  waitMs: DAY_MS,
  othersStay: true,
  isCollected: () => true,
};

function absent(missing: Partial<Missing> = {}, check: FindingFacts["check"] = "none"): FindingFacts {
  const ago = NOW - 25 * HOUR_MS;
  return { presence: "absent", missing: { first: ago, at: ago, censuses: 2, ...missing }, check };
}

describe("a finding", () => {
  test("is gone after two complete reads of two analyses that lie a day apart", () => {
    expect(verdictOf(absent(), terms)).toBe("gone");
  });

  test.each([
    ["one complete read", { censuses: 1 }],
    ["analyses that lie less than a day apart", { first: NOW - 23 * HOUR_MS }],
    ["reads that lie less than a day apart", { at: NOW - 23 * HOUR_MS }],
  ])("is only missing after %s", (_, missing) => {
    expect(verdictOf(absent(missing), terms)).toBe("missing");
  });

  test("holds while one hop joins its objects, and is unknown when nobody could say", () => {
    expect(verdictOf(absent({}, "holds"), terms)).toBe("active");
    expect(verdictOf(absent({}, "failed"), terms)).toBe("unknown");
    expect(verdictOf({ presence: null, missing: null, check: "none" }, terms)).toBe("unknown");
  });

  test("is only missing as long as the graph was not asked when it vanished", () => {
    expect(verdictOf(absent({ unchecked: true }), terms)).toBe("missing");
    const long = { first: NOW - 8 * DAY_MS, at: NOW - 8 * DAY_MS, censuses: 3, unchecked: true } as const;
    expect(verdictOf(absent(long), terms)).toBe("missing");
    expect(verdictOf(absent(long, "unknown_object"), terms)).toBe("gone");
  });

  test("about an unknown object needs three reads over eight days, while others of its environment stay", () => {
    const long = { first: NOW - 8 * DAY_MS, at: NOW - 8 * DAY_MS, censuses: 3 };
    expect(verdictOf(absent(long, "unknown_object"), terms)).toBe("gone");
    expect(verdictOf(absent({ ...long, censuses: 2 }, "unknown_object"), terms)).toBe("missing");
    expect(verdictOf(absent({ ...long, at: NOW - 7 * DAY_MS }, "unknown_object"), terms)).toBe("missing");
    expect(verdictOf(absent(long, "unknown_object"), { ...terms, othersStay: false })).toBe("missing");
  });

  test("that rests on sessions is not gone while no collection has renewed them", () => {
    expect(verdictOf(absent(), { ...terms, isCollected: () => false })).toBe("missing");
  });

  test("of a hidden zone is unknown, then withdrawn, and never gone", () => {
    expect(verdictOf(absent({ hidden: true }), terms)).toBe("unknown");
    expect(verdictOf(absent({ hidden: true, at: NOW - 7 * DAY_MS }), terms)).toBe("withdrawn");
  });

  test("is recognised by its objects, whatever the letter case and the id", () => {
    expect(keyOf("a", "b")).toBe(keyOf("A", "B"));
    expect(keyOf("A", "B")).not.toBe(keyOf("C", "B"));
    expect(keyOf(null, "AB")).not.toBe(keyOf("A", "B"));
    expect(keyOfFinding({ id: 7, FromPrincipal: "A", ToPrincipal: "B" })).toBe(keyOf("A", "B"));
    expect(keyOfFinding({ id: 7, Principal: "B" })).toBe(keyOf(null, "B"));
    expect(keyOfFinding({ id: 7, ToPrincipal: "B" })).toBeNull();
  });
});

describe("the history of a missing finding", () => {
  const time = { analysis: NOW, now: NOW + 5, last: NOW - DAY_MS };
  const plain = { deletedAt: null, createdAt: 0, hidden: false, isPair: false };

  test("begins with the first complete read without it, and counts analyses", () => {
    const first = afterAbsence(null, time, plain);
    expect(first).toEqual({ first: NOW, at: NOW + 5, censuses: 1 });
    expect(afterAbsence(first, { ...time, last: NOW }, plain).censuses).toBe(1);
    expect(afterAbsence(first, { analysis: NOW + 9, now: NOW + 9, last: NOW }, plain).censuses).toBe(2);
  });

  test("waits for the graph where it joins two objects, unless the service has deleted it", () => {
    const pair = { ...plain, isPair: true };
    expect(afterAbsence(null, time, pair).unchecked).toBe(true);
    expect(afterAbsence(null, time, { ...pair, deletedAt: NOW - HOUR_MS }).unchecked).toBeUndefined();
  });

  test("begins with the time of its deletion, unless that is older than what listed it", () => {
    const deletedAt = NOW - 3 * HOUR_MS;
    expect(afterAbsence(null, time, { ...plain, deletedAt })).toEqual({ first: deletedAt, at: deletedAt, censuses: 2 });
    const first = { first: NOW, at: NOW + 5, censuses: 1 };
    expect(afterAbsence(null, time, { ...plain, deletedAt: time.last - 1 })).toEqual(first);
    expect(afterAbsence(null, time, { ...plain, deletedAt, createdAt: deletedAt })).toEqual(first);
    expect(afterAbsence(null, time, { ...plain, deletedAt: NOW + 1 })).toEqual(first);
  });

  test("begins again after a clock was set back", () => {
    const ahead = { first: NOW + DAY_MS, at: NOW + DAY_MS, censuses: 2 };
    expect(afterAbsence(ahead, time, plain)).toEqual({ first: NOW, at: NOW + 5, censuses: 1 });
  });

  test("begins again when the service deleted it after the last read without it", () => {
    const before = { first: NOW - 3 * DAY_MS, at: NOW - 3 * DAY_MS, censuses: 2 };
    const deletedAt = time.last + HOUR_MS;
    expect(afterAbsence(before, time, { ...plain, deletedAt }).first).toBe(deletedAt);
    expect(afterAbsence(before, time, { ...plain, deletedAt: before.first }).first).toBe(before.first);
  });

  test("is stored in groups and read back", () => {
    const moment = fc.record({ first: fc.nat(5), at: fc.nat(5), censuses: fc.nat(3) });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), moment), (all) => {
        const missing = new MissingFindings();
        for (const [key, history] of Object.entries(all)) missing.set(key, history);
        const read = new MissingFindings(missing.toGroups());
        for (const [key, history] of Object.entries(all)) expect(read.get(key)).toEqual(history);
      }),
    );
  });
});

describe("the brake", () => {
  const vanished = (count: number, every = 0): Missing[] =>
    Array.from({ length: count }, (_, index) => ({ first: 0, at: NOW + index * every, censuses: 1 }));

  test("holds when more than 10 and more than 30 % vanish at once", () => {
    expect(brakeHolds(vanished(10), 12)).toBe(false);
    expect(brakeHolds(vanished(11), 12)).toBe(true);
    expect(brakeHolds(vanished(30), 100)).toBe(false);
    expect(brakeHolds(vanished(31), 100)).toBe(true);
  });

  test("goes by what vanished within eight days, however long ago that was", () => {
    expect(brakeHolds(vanished(30, DAY_MS), 30)).toBe(false);
    expect(brakeHolds(vanished(30, 12 * HOUR_MS), 30)).toBe(true);
  });
});

describe("the guards", () => {
  const list = (...ids: string[]) => ids.map((id) => ({ id }));

  test("wait until a shorter list of environments has been the same for 26 hours", () => {
    const full = afterList(undefined, list("A", "B"), NOW);
    expect(full.fewer).toBeUndefined();
    const shorter = afterList(full, list("A"), NOW + 1);
    expect(shorter.fewer).toBe(true);
    expect(afterList(shorter, list("A"), NOW + 25 * HOUR_MS).fewer).toBe(true);
    expect(afterList(shorter, list("A", "C"), NOW + 25 * HOUR_MS).since).toBe(NOW + 25 * HOUR_MS);
    expect(afterList(shorter, list("A"), NOW + 1 + 26 * HOUR_MS).fewer).toBeUndefined();
  });

  test("take what vanishes with a zone for hidden", () => {
    const zones = (...ids: number[]) => ({ id: "A", exposures: ids.map((id) => ({ asset_group_tag: { id } })) });
    const both = afterListed(undefined, zones(1, 2), NOW);
    expect(zonesAreUnstable(both, NOW)).toBe(false);
    const one = afterListed(both, zones(1), NOW + 5);
    expect(zonesAreUnstable(one, NOW + HOUR_MS)).toBe(true);
    expect(mayBeHidden(one, null, NOW)).toBe(true);
    expect(mayBeHidden(one, NOW - HOUR_MS, NOW)).toBe(true);
    expect(mayBeHidden(one, NOW - 2 * DAY_MS, NOW)).toBe(false);
    expect(mayBeHidden(one, null, NOW + 2 * DAY_MS)).toBe(false);
    expect(zonesAreUnstable(afterListed(both, { id: "A" }, NOW + 5), NOW + 5)).toBe(false);
  });
});

test("sessions wait for three days, and each reopening doubles the wait up to two weeks", () => {
  expect(["T0Logins", "T0HasSession", "T0Logon"].every(restsOnSessions)).toBe(true);
  expect(["T0GenericAll", "T0PSRemote", "Kerberoasting"].some(restsOnSessions)).toBe(false);
  const hours = [0, 1, 2, 9].map((reopened) => waitOf("T0GenericAll", reopened) / HOUR_MS);
  expect(hours).toEqual([24, 48, 96, 336]);
  expect(waitOf("T0Logins", 1)).toBe(144 * HOUR_MS);
});
