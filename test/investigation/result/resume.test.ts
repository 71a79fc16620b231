import { describe, expect, it } from "@jest/globals";
import { outlookOf } from "../../../src/investigation/result/resume.ts";
import { DeadlineError, RateLimitedError } from "../../../src/service/errors/errors.ts";

const details = { whoActs: "service" } as const;
const late = new DeadlineError("the time is over", details);
const service = { requestsPerSecond: 53, requestsServed: 0 };
const refused = new RateLimitedError("too many requests", details);

describe("the outlook of work that a run could not do", () => {
  const goesOn = (errors: readonly (typeof late | typeof refused)[], isFruitless: boolean, refusedRuns = 0): boolean =>
    outlookOf(errors, { isFruitless, saved: { refusedRuns }, service }).goesOn;

  it("is the next run after any progress, and after a refusal, also beside a deadline", () => {
    expect([goesOn([late], false), goesOn([refused], false, 2)]).toEqual([true, true]);
    expect([goesOn([refused], true), goesOn([late, refused], true), goesOn([refused, late], true)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("is a failure after a run that had no time for anything, and after three that were refused", () => {
    expect([goesOn([late], true), goesOn([refused], true, 1), goesOn([refused], true, 2)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("counts the refused runs in a row", () => {
    const saved = { refusedRuns: 1 };
    const runs = (isFruitless: boolean): number => outlookOf([refused], { isFruitless, saved, service }).refusedRuns;
    const done = outlookOf([], { isFruitless: true, saved, service });
    expect([runs(true), runs(false), done.refusedRuns]).toEqual([2, 0, 0]);
  });
});
