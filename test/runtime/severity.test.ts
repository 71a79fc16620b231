import { describe, expect, it } from "@jest/globals";
import { worstOf } from "../../src/runtime/severity.ts";

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
