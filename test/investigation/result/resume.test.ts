import { describe, expect, it } from "@jest/globals";
import { outlookOf } from "../../../src/investigation/result/resume.ts";
import { DeadlineError, RateLimitedError } from "../../../src/service/errors/errors.ts";

const details = { whoActs: "service" } as const;
const late = new DeadlineError("the time is over", details);
const service = { requestsPerSecond: 53, requestsServed: 0 };
const refused = new RateLimitedError("too many requests", details);

describe("the outlook of work that a run could not do", () => {
  const goesOn = (
    errors: readonly (typeof late | typeof refused)[],
    isFruitless: boolean,
    { fruitlessRuns = 0, isFirst = false } = {},
  ): boolean => outlookOf(errors, { isFruitless, saved: { fruitlessRuns, isFirst }, service }).goesOn;

  it("is the next run after any progress, and after a refusal, also beside a deadline", () => {
    expect([goesOn([late], false), goesOn([refused], false, { fruitlessRuns: 2 })]).toEqual([true, true]);
    const refusals = [[refused], [late, refused], [refused, late]];
    expect(refusals.map((errors) => goesOn(errors, true, { isFirst: true }))).toEqual([true, true, true]);
  });

  it("is a failure after a first run that had no time for anything", () => {
    expect(goesOn([late], true, { isFirst: true })).toBe(false);
  });

  it.each([
    ["were refused", refused],
    ["had no time for anything, after others that got on", late],
  ])("is a failure after three runs in a row that %s", (_, error) => {
    expect([0, 1, 2].map((fruitlessRuns) => goesOn([error], true, { fruitlessRuns }))).toEqual([true, true, false]);
  });

  it("counts the fruitless runs in a row", () => {
    const saved = { fruitlessRuns: 1, isFirst: false };
    const runs = (isFruitless: boolean): number => outlookOf([late], { isFruitless, saved, service }).fruitlessRuns;
    const done = outlookOf([], { isFruitless: true, saved, service });
    expect([runs(true), runs(false), done.fruitlessRuns]).toEqual([2, 0, 0]);
  });
});
