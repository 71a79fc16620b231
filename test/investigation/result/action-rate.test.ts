import { describe, expect, it } from "@jest/globals";
import { mostAtOnce, nextRate } from "../../../src/investigation/result/action-rate.ts";

const service = (requestsPerSecond: number, requestsServed = 1_000) => ({ requestsPerSecond, requestsServed });

describe("the rate of the next run", () => {
  it.each([
    ["half of the rate", 53, 1_000, 26],
    ["half of what was answered, if that is less", 53, 8, 4],
    ["one request a second at least", 2, 1, 1],
    ["half of the rate if nothing was answered", 53, 0, 26],
  ])("is %s after a refusal", (_, rate, served, next) => {
    expect(nextRate(service(rate, served), true)).toBe(next);
  });

  it("is twice the rate after a run without a refusal", () => {
    expect(nextRate(service(4), false)).toBe(8);
  });
});

it("as many items are worked on at a time as requests are allowed in a second, and eight at most", () => {
  expect([1, 4, 8, 53].map((rate) => mostAtOnce(service(rate)))).toEqual([1, 4, 8, 8]);
});
