import { describe, expect, it } from "@jest/globals";
import { isSeverity, worstOf } from "../../src/runtime/severity.ts";

describe("the severity of several", () => {
  it("is the worst by rank, not by alphabet", () => {
    expect(worstOf(["low", "moderate", "high"])).toBe("high");
    expect(worstOf(["low", "moderate"])).toBe("moderate");
    expect(worstOf(["unknown", "low"])).toBe("low");
    expect(worstOf(["critical", "high", "low"])).toBe("critical");
    expect(worstOf([])).toBe("unknown");
    expect(worstOf([undefined, "low"])).toBe("low");
  });
});

it("A severity is one of five words, as they are written", () => {
  expect(["critical", "high", "moderate", "low", "unknown"].every(isSeverity)).toBe(true);
  expect(["medium", "Critical", "", null, 5].some(isSeverity)).toBe(false);
});
