import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { ReadStream } from "../../src/follow-up/proof/after-read.ts";
import { evidenceOf } from "../../src/follow-up/proof/judge.ts";
import { closingPauseOf, massLoss } from "../../src/follow-up/proof/closing-pause.ts";
import { JobTime } from "../../src/follow-up/proof/job-time.ts";
import { findingKeyOf, keyOfFinding } from "../../src/follow-up/finding-key.ts";
import { afterList, isUnstable, mayBeHidden, zonesOf } from "../../src/follow-up/proof/guards.ts";
import { absenceHistory, explained, MissingFindings, vanishingOf } from "../../src/follow-up/proof/missing.ts";
import type { Missing, StreamMemory } from "../../src/follow-up/state/state.ts";
import { type FindingFacts, type VerdictTerms, verdictOf } from "../../src/follow-up/proof/verdict.ts";
import { DAY_MS, HOUR_MS } from "../../src/clock.ts";
import { FollowedStream } from "../../src/follow-up/streams.ts";
import { restsOnSessions, SETTLED_AFTER_MS, waitOf } from "../../src/follow-up/proof/waits.ts";

const NOW = 1_780_000_000_000;

const terms: VerdictTerms = {
  analysis: NOW,
  analysisAt: NOW,
  analysisBy: NOW - HOUR_MS,
  now: NOW,
  waitMs: DAY_MS,
  lostAt: 0,
  othersStay: true,
  isStillCollected: true,
};

const weekAgo = { firstAnalysis: NOW - 8 * DAY_MS, absentSince: NOW - 8 * DAY_MS, noticedAt: NOW - 8 * DAY_MS };

function absent(missing: Partial<Missing> = {}, check: FindingFacts["check"] = "none"): FindingFacts {
  const ago = NOW - 25 * HOUR_MS;
  return {
    presence: "absent",
    missing: { firstAnalysis: ago, absentSince: ago, noticedAt: ago, analyses: 2, ...missing },
    check,
  };
}

describe("a finding", () => {
  test("is gone after two complete reads of two analyses that lie a day apart", () => {
    expect(verdictOf(absent(), terms)).toBe("gone");
  });

  test("is only missing within 50 minutes of the analysis, when lists may still be rebuilt, unless many analyses lack it", () => {
    const at = (analysisBy: number, missing = {}) => verdictOf(absent(missing), { ...terms, analysisBy });
    expect([at(NOW - SETTLED_AFTER_MS + 1), at(NOW - SETTLED_AFTER_MS)]).toEqual(["missing", "gone"]);
    expect([at(NOW, { analyses: 4 }), at(NOW, { analyses: 5 })]).toEqual(["missing", "gone"]);
    expect(at(NOW, { confirmed: true })).toBe("gone");
  });

  test.each([
    ["one complete read", { analyses: 1 }],
    ["analyses that lie less than a day apart", { absentSince: NOW - 23 * HOUR_MS }],
    ["analyses that lie less than a day apart by the service's clock", { firstAnalysis: NOW - 23 * HOUR_MS }],
    ["reads that lie less than a day apart", { noticedAt: NOW - 23 * HOUR_MS }],
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
    const long = { ...weekAgo, analyses: 3, unchecked: true } as const;
    expect(verdictOf(absent(long), terms)).toBe("missing");
    expect(verdictOf(absent(long, "unknown_object"), terms)).toBe("gone");
  });

  test("about an unknown object needs three reads over eight days, while others of its environment stay", () => {
    const long = { ...weekAgo, analyses: 3 };
    expect(verdictOf(absent(long, "unknown_object"), terms)).toBe("gone");
    expect(verdictOf(absent({ ...long, analyses: 2 }, "unknown_object"), terms)).toBe("missing");
    expect(verdictOf(absent({ ...long, noticedAt: NOW - 7 * DAY_MS }, "unknown_object"), terms)).toBe("missing");
    expect(verdictOf(absent(long, "unknown_object"), { ...terms, othersStay: false })).toBe("missing");
  });

  test("that rests on sessions needs as long while no session is left that collections renew", () => {
    const alone = { ...terms, isStillCollected: false, othersStay: false };
    expect(verdictOf(absent(), alone)).toBe("missing");
    const long = { ...weekAgo, analyses: 3 };
    expect(verdictOf(absent(long), alone)).toBe("gone");
    expect(verdictOf(absent({ ...long, analyses: 2 }), alone)).toBe("missing");
    expect(verdictOf(absent(long, "unknown_object"), alone)).toBe("missing");
  });

  test("of a hidden zone is unknown, then withdrawn, and never gone", () => {
    expect(verdictOf(absent({ hidden: true }), terms)).toBe("unknown");
    const weekOld = absent({ hidden: true, noticedAt: NOW - 7 * DAY_MS });
    expect(verdictOf(weekOld, terms)).toBe("withdrawn");
    expect(verdictOf(weekOld, { ...terms, lostAt: NOW - 6 * DAY_MS })).toBe("unknown");
  });

  test("is recognised by its objects, whatever the letter case and the id", () => {
    expect(findingKeyOf("a", "b")).toBe(findingKeyOf("A", "B"));
    expect(findingKeyOf("B", "A")).toBe(findingKeyOf("A", "B"));
    expect(findingKeyOf("A", "B")).not.toBe(findingKeyOf("C", "B"));
    expect(findingKeyOf(null, "AB")).not.toBe(findingKeyOf("A", "B"));
    expect(keyOfFinding({ id: 7, FromPrincipal: "A", ToPrincipal: "B" })).toBe(findingKeyOf("A", "B"));
    expect(keyOfFinding({ id: 7, Principal: "B" })).toBe(findingKeyOf(null, "B"));
    expect(keyOfFinding({ id: 7, ToPrincipal: "B" })).toBeNull();
  });
});

describe("the history of a missing finding", () => {
  const of = (at: number) => ({ earliest: at, latest: at });
  const time = {
    analysis: NOW,
    earliest: NOW,
    now: NOW + 5,
    of,
    isSame: false,
    last: NOW - DAY_MS,
    readAt: NOW - DAY_MS,
    lookedAt: NOW - DAY_MS,
  };
  const plain = { deletedAt: null, createdAt: 0, hidden: false, isPair: false, isAnew: false };

  test("begins with the first complete read without it, and counts analyses", () => {
    const first = absenceHistory(null, time, plain);
    expect(first).toEqual({ firstAnalysis: NOW, absentSince: NOW, noticedAt: NOW + 5, analyses: 1 });
    expect(absenceHistory(first, { ...time, isSame: true, last: NOW }, plain).analyses).toBe(1);
    expect(absenceHistory(first, { ...time, analysis: NOW + 9, now: NOW + 9, last: NOW }, plain).analyses).toBe(2);
  });

  test("waits for the graph where it joins two objects, unless the service has deleted it", () => {
    const pair = { ...plain, isPair: true, isAnew: false };
    expect(absenceHistory(null, time, pair).unchecked).toBe(true);
    expect(absenceHistory(null, time, { ...pair, deletedAt: NOW - HOUR_MS }).unchecked).toBeUndefined();
  });

  test("begins with the time of its deletion, unless that is older than what listed it", () => {
    const deletedAt = NOW - 3 * HOUR_MS;
    expect(absenceHistory(null, time, { ...plain, deletedAt })).toEqual({
      firstAnalysis: deletedAt,
      absentSince: deletedAt,
      noticedAt: deletedAt,
      analyses: 2,
    });
    const first = { firstAnalysis: NOW, absentSince: NOW, noticedAt: NOW + 5, analyses: 1 };
    expect(absenceHistory(null, time, { ...plain, deletedAt: time.last - 1 })).toEqual(first);
    expect(absenceHistory(null, time, { ...plain, deletedAt, createdAt: deletedAt })).toEqual(first);
    expect(absenceHistory(null, time, { ...plain, deletedAt: NOW + 1 })).toEqual(first);
  });

  test("begins by the job's time where that and the service's clock differ, and not before the read that had it", () => {
    const deletedAt = NOW - 3 * HOUR_MS;
    const begins = (latest: number, readAt = 0) =>
      absenceHistory(null, { ...time, of: () => ({ earliest: 0, latest }), readAt }, { ...plain, deletedAt });
    expect(begins(deletedAt + DAY_MS).absentSince).toBe(deletedAt + DAY_MS);
    expect(begins(deletedAt - DAY_MS, NOW - DAY_MS)).toMatchObject({
      firstAnalysis: deletedAt,
      noticedAt: NOW - DAY_MS,
    });
  });

  test("begins again when the finding was created after it", () => {
    const before = {
      firstAnalysis: NOW - 3 * DAY_MS,
      absentSince: NOW - 3 * DAY_MS,
      noticedAt: NOW - 3 * DAY_MS,
      analyses: 2,
    };
    expect(absenceHistory(before, time, { ...plain, createdAt: NOW - 2 * DAY_MS }).firstAnalysis).toBe(NOW);
    expect(absenceHistory(before, time, { ...plain, createdAt: NOW - 4 * DAY_MS }).firstAnalysis).toBe(
      before.firstAnalysis,
    );
  });

  test("begins again after a clock was set back", () => {
    const ahead = { firstAnalysis: NOW + DAY_MS, absentSince: NOW, noticedAt: NOW, analyses: 2 };
    expect(absenceHistory(ahead, time, plain)).toEqual({
      firstAnalysis: NOW,
      absentSince: NOW,
      noticedAt: NOW + 5,
      vanishedAt: NOW,
      analyses: 1,
    });
  });

  test("begins again when the service deleted it after the last read without it", () => {
    const before = {
      firstAnalysis: NOW - 3 * DAY_MS,
      absentSince: NOW - 3 * DAY_MS,
      noticedAt: NOW - 3 * DAY_MS,
      analyses: 2,
    };
    const deletedAt = time.last + HOUR_MS;
    expect(absenceHistory(before, time, { ...plain, deletedAt }).firstAnalysis).toBe(deletedAt);
    expect(absenceHistory(before, time, { ...plain, deletedAt: before.firstAnalysis }).firstAnalysis).toBe(
      before.firstAnalysis,
    );
  });

  test("explains a loss once runs have seen it for eight days, unless many vanished with it, it may be hidden, or nobody has missed it", () => {
    const old = { firstAnalysis: NOW, absentSince: NOW, noticedAt: NOW - 9 * DAY_MS, analyses: 2 };
    expect(explained(old, NOW)).toEqual({ ...old, allowed: true });
    const suspicious = [{ mass: true }, { hidden: true }, { analyses: 0 }, { noticedAt: NOW - 8 * DAY_MS }] as const;
    for (const each of suspicious) expect(explained({ ...old, ...each }, NOW)).toEqual({ ...old, ...each });
    const renewed = { ...old, noticedAt: NOW, vanishedAt: NOW - 9 * DAY_MS };
    expect(explained(renewed, NOW)).toEqual({ ...renewed, allowed: true });
  });

  test("knows when a finding vanished, unless it was hidden then or only accepted", () => {
    const history = { firstAnalysis: NOW, absentSince: NOW, noticedAt: NOW - DAY_MS, analyses: 2 };
    const vanishing = { vanishedAt: NOW - 2 * DAY_MS, listedAt: NOW - 3 * DAY_MS };
    expect(vanishingOf(history)).toEqual({ vanishedAt: history.noticedAt });
    expect(vanishingOf({ ...history, ...vanishing, hidden: true })).toEqual(vanishing);
    expect([{ hidden: true }, { analyses: 0 }].map((each) => vanishingOf({ ...history, ...each } as Missing))).toEqual([
      {},
      {},
    ]);
  });

  test("begins again when no alert had it for a while, and the reasons stay for which it is not gone", () => {
    const before = { firstAnalysis: NOW - DAY_MS, absentSince: NOW - DAY_MS, noticedAt: NOW - DAY_MS, analyses: 4 };
    const unseen = { ...before, mass: true as const, unseenSince: NOW - HOUR_MS };
    const anew = { firstAnalysis: NOW, absentSince: NOW, noticedAt: NOW + 5, analyses: 1 };
    expect(absenceHistory(unseen, time, plain)).toEqual({ ...anew, vanishedAt: before.noticedAt, mass: true });
    expect(absenceHistory(before, time, plain)).toEqual({ ...before, analyses: 5 });
  });

  test("is stored in groups and read back", () => {
    const moment = fc.record({
      firstAnalysis: fc.nat(5),
      absentSince: fc.nat(5),
      noticedAt: fc.nat(5),
      analyses: fc.nat(3),
    });
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

describe("the job's time", () => {
  const before = { service: NOW, host: NOW + 7, time: NOW };
  const at = (service: number | null, host: number) => new JobTime(before, () => ({ service, host }));

  test("begins as the service's clock, and goes on by what both clocks agree on", () => {
    expect(new JobTime(undefined, () => ({ service: NOW + 0.5, host: NOW + 9 })).toState()).toEqual({
      service: NOW,
      host: NOW + 9,
      time: NOW,
    });
    expect(at(NOW + 50, NOW + 57).now()).toBe(NOW + 50);
    expect(at(NOW + DAY_MS, NOW + 57).now()).toBe(NOW + 50);
    expect(at(NOW + 50, NOW + DAY_MS).now()).toBe(NOW + 50);
    expect(at(NOW - DAY_MS, NOW - DAY_MS).now()).toBe(NOW);
    expect(at(null, NOW + 57).now()).toBe(NOW + 50);
  });

  test("knows a moment of the service's clock only as well as that clock went", () => {
    expect(at(NOW + 50, NOW + 57).of(NOW + 30)).toEqual({ earliest: NOW + 30, latest: NOW + 30 });
    const ahead = at(NOW + DAY_MS + 50, NOW + 57);
    expect(ahead.of(NOW + 30)).toEqual({ earliest: NOW + 30 - DAY_MS, latest: NOW + 30 });
    expect(ahead.of(NOW + DAY_MS + 30)).toEqual({ earliest: NOW + 30, latest: NOW + 50 });
  });

  test("knows in a first run only that the service's clock may have agreed with the host's until then", () => {
    const first = (service: number, host: number) => new JobTime(undefined, () => ({ service, host }));
    const ahead = first(NOW + DAY_MS, NOW);
    expect(ahead.of(NOW - HOUR_MS)).toEqual({ earliest: NOW - HOUR_MS, latest: NOW - HOUR_MS + DAY_MS });
    // A clock that agreed with the host's has not told this yet.
    expect(ahead.of(NOW + HOUR_MS)).toEqual({ earliest: NOW + HOUR_MS, latest: NOW + HOUR_MS });
    expect(first(NOW, NOW + DAY_MS).of(NOW)).toEqual({ earliest: NOW - DAY_MS, latest: NOW });
    expect(first(NOW, NOW).of(NOW - HOUR_MS)).toEqual({ earliest: NOW - HOUR_MS, latest: NOW - HOUR_MS });
  });

  test("knows nothing of a moment that has not come yet", () => {
    expect(at(NOW + 50, NOW + 57).of(NOW + DAY_MS)).toEqual({ earliest: 0, latest: NOW + 50 });
    // The service tells its time in whole seconds.
    const now = NOW + HOUR_MS;
    expect(at(now, now + 7).of(now + 999)).toEqual({ earliest: now, latest: now });
  });

  /** The times that runs know, one hour after the other, each given how far the two clocks are ahead. */
  const runs = (...ahead: { service?: number; host?: number }[]): JobTime[] => {
    const times: JobTime[] = [];
    for (const [index, { service = 0, host = 0 }] of ahead.entries()) {
      const now = NOW + index * HOUR_MS;
      times.push(new JobTime(times.at(-1)?.toState(), () => ({ service: now + service, host: now + host })));
    }
    return times;
  };

  test("places a moment before a jump that an earlier run has found", () => {
    const time = runs({}, { service: DAY_MS }, { service: DAY_MS }, { service: DAY_MS }).at(-1)!;
    expect(time.of(NOW + 1)).toEqual({ earliest: NOW + 1 - DAY_MS, latest: NOW + 1 });
    // It was told after the jump.
    const later = NOW + 2 * HOUR_MS;
    expect(time.of(later + DAY_MS)).toEqual({ earliest: later, latest: later });
  });

  test("remembers that the first run saw two clocks that disagree", () => {
    const time = runs({ service: DAY_MS }, { service: DAY_MS }).at(-1)!;
    expect(time.of(NOW - 1)).toEqual({ earliest: NOW - 1, latest: NOW - 1 + DAY_MS });
    expect(time.of(NOW + DAY_MS)).toEqual({ earliest: NOW + DAY_MS, latest: NOW + DAY_MS });
  });

  test("forgets a jump after the longest wait, and that of a clock that always jumps", () => {
    const jumped = runs({}, { service: DAY_MS }).at(-1)!.toState();
    const afterDays = (days: number) =>
      new JobTime(jumped, () => ({
        service: jumped.service + days * DAY_MS,
        host: jumped.host + days * DAY_MS,
      })).toState();
    expect([afterDays(14).earlier?.length, afterDays(16).earlier]).toEqual([1, undefined]);
    const restless = runs(...Array.from({ length: 80 }, (_, index) => ({ service: (index % 2) * DAY_MS })));
    expect(restless.at(-1)!.toState().earlier).toHaveLength(50);
  });

  test("places each moment where it was, however often the clock that told it has jumped ahead since", () => {
    const steps = fc.array(
      fc.record({ hours: fc.integer({ min: 1, max: 30 }), jump: fc.constantFrom(0, 0, 1, 25, 60) }),
      {
        minLength: 1,
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(steps, (all) => {
        let [now, ahead] = [NOW, 0];
        let time = new JobTime(undefined, () => ({ service: NOW, host: NOW }));
        const told: { instant: number; at: number }[] = [];
        for (const { hours, jump } of all) {
          told.push({ instant: now + ahead + 1, at: now + 1 });
          now += hours * HOUR_MS;
          ahead += jump * HOUR_MS;
          const clocks = { service: now + ahead, host: now };
          time = new JobTime(time.toState(), () => clocks);
          for (const { instant, at } of told) {
            const { earliest, latest } = time.of(instant);
            expect([earliest <= at, latest >= at]).toEqual([true, true]);
          }
        }
      }),
    );
  });
});

describe("the closing pause", () => {
  const vanished = (count: number, every = 0): Missing[] =>
    Array.from({ length: count }, (_, index) => ({
      firstAnalysis: 0,
      absentSince: 0,
      noticedAt: NOW + index * every,
      analyses: 1,
    }));

  test("holds when more than 10 and more than 30 % vanish at once", () => {
    expect(massLoss(vanished(10), 12)).toBeNull();
    expect(massLoss(vanished(11), 12)).not.toBeNull();
    expect(massLoss(vanished(30), 100)).toBeNull();
    expect(massLoss(vanished(31), 100)).not.toBeNull();
  });

  test("counts what earlier runs found missing in lists that need no read", () => {
    const targets = Array.from({ length: 6 }, (_, index) => `K${index}`);
    const streams = ["T0Owns", "T0Other"].map((findingType) => {
      const findings = targets.map((target) => ({ id: target, source: "S", target, createdAt: 0 }));
      const common = { alertId: findingType, environmentId: "E", findingType, status: "open" } as const;
      const stream = new FollowedStream(findingType);
      stream.alerts.push({ ...common, closedBy: null, closedAt: null, findings });
      return stream;
    });
    const missing = new MissingFindings();
    for (const [index, target] of targets.entries())
      missing.set(findingKeyOf("S", target), vanished(index + 1).at(-1)!);
    const memory = { analysis: NOW, readAt: NOW, earliest: NOW, counts: {}, missing: missing.toGroups() };
    const unread = { read: null, isAbsent: false, isFailed: false };
    const pauseOf = (known: (stream: FollowedStream) => StreamMemory | undefined): boolean =>
      closingPauseOf(
        streams.map((stream) => ({ stream, known: known(stream), ...unread })),
        { before: undefined, now: NOW },
      ).holds;
    expect(pauseOf(() => memory)).toBe(true);
    expect(pauseOf(({ findingType }) => (findingType === "T0Owns" ? memory : undefined))).toBe(false);
  });

  test("goes by what vanished within eight days, however long ago that was", () => {
    expect(massLoss(vanished(30, DAY_MS), 30)).toBeNull();
    expect(massLoss(vanished(30, 12 * HOUR_MS), 30)).not.toBeNull();
  });
});

describe("the guards", () => {
  test("wait until nothing more has gone from a list, or come back, for 26 hours", () => {
    const full = afterList(undefined, ["A", "B"], NOW);
    expect(isUnstable(full, NOW)).toBe(false);
    const shorter = afterList(full, ["A"], NOW + 1);
    expect(shorter).toEqual({ ids: ["A"], since: NOW + 1, lost: ["B"], lostAt: NOW + 1 });
    expect(isUnstable(afterList(shorter, ["A"], NOW + 25 * HOUR_MS), NOW + 25 * HOUR_MS)).toBe(true);
    expect(isUnstable(afterList(shorter, ["A"], NOW + 27 * HOUR_MS), NOW + 27 * HOUR_MS)).toBe(false);
    const longer = afterList(shorter, ["A", "C"], NOW + 25 * HOUR_MS);
    expect(isUnstable(longer, NOW + 27 * HOUR_MS)).toBe(false);
    const partlyBack = afterList(afterList(full, [], NOW + 1), ["A"], NOW + 25 * HOUR_MS);
    expect(isUnstable(partlyBack, NOW + 27 * HOUR_MS)).toBe(true);
  });

  test("forget a loss once the token sees everything again", () => {
    const lost = afterList(afterList(undefined, ["A", "B"], NOW), ["A"], NOW + 1);
    const back = afterList(lost, ["A", "B", "C"], NOW + 2);
    expect(back).toEqual({ ids: ["A", "B", "C"], since: NOW + 2 });
    expect(isUnstable(back, NOW + 2)).toBe(false);
  });

  test("take what is absent in the first complete read after a loss for hidden", () => {
    const lost = afterList(afterList(undefined, ["1", "2"], NOW), ["1"], NOW + 5);
    expect(mayBeHidden([undefined, lost], NOW)).toBe(true);
    expect(mayBeHidden([undefined, lost], NOW + 2 * DAY_MS)).toBe(false);
    expect(mayBeHidden([undefined, undefined], 0)).toBe(false);
  });

  test("know the zones of an environment by its exposures", () => {
    const exposures = [{ asset_group_tag: { id: 1 } }, { asset_group_tag: { name: "Zone" } }, { asset_group_tag: 7 }];
    expect(zonesOf({ id: "A", exposures })).toEqual(["1", "Zone"]);
    expect(zonesOf({ id: "A" })).toBeNull();
  });
});

test("sessions wait for three days, and each reopening doubles the wait up to two weeks", () => {
  expect(["T0Logins", "T0HasSession", "T0Logon", "T0LogonsOnNonT0", "UserLogonToServer"].every(restsOnSessions)).toBe(
    true,
  );
  expect(["T0GenericAll", "T0PSRemote", "Kerberoasting", "WriteLogonScript"].some(restsOnSessions)).toBe(false);
  const hours = [0, 1, 2, 9].map((reopened) => waitOf("T0GenericAll", reopened) / HOUR_MS);
  expect(hours).toEqual([24, 48, 96, 336]);
  expect(waitOf("T0Logins", 1)).toBe(144 * HOUR_MS);
});

describe("the rest of an environment", () => {
  const emptied = {
    list: { size: 0 },
    time: { analysis: NOW },
    stream: { findingType: "T0Owns" },
  } as unknown as ReadStream;
  const memory: StreamMemory = { analysis: NOW, readAt: NOW, earliest: NOW, counts: {}, missing: [] };
  const stays = (changes: Partial<StreamMemory>): boolean =>
    evidenceOf([emptied], [{ findingType: "T0Other", memory: { ...memory, ...changes } }], 0).othersStay;

  test("still has findings where a list had any after the same analysis, of open alerts or not", () => {
    expect(stays({ sizes: { current: 40 } })).toBe(true);
    expect(stays({ counts: { active: 1 } })).toBe(true);
    expect(stays({ sizes: { current: 0 } })).toBe(false);
  });

  test("is not known from an earlier analysis, nor from a type that is gone", () => {
    expect(stays({ analysis: NOW - 1, sizes: { current: 40 } })).toBe(false);
    expect(stays({ absentSince: NOW, sizes: { current: 40 } })).toBe(false);
  });
});
