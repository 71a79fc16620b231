import { describe, expect, it } from "@jest/globals";
import { priorityOf, severityOf } from "../../src/findings/severity.ts";
import type { Severity } from "../../src/runtime/protocol.ts";

describe("the severity of a finding", () => {
  it.each([
    ["Critical", "critical"],
    [" HIGH ", "high"],
    ["moderate", "moderate"],
    ["medium", "moderate"],
    ["low", "low"],
  ])("is the service's own word %j", (word, severity) => {
    expect(severityOf(word, 0.01, 0.01)).toBe(severity);
  });

  it.each<[number, Severity]>([
    [1, "critical"],
    [0.95, "critical"],
    [0.9499999, "high"],
    [0.8, "high"],
    [0.79, "moderate"],
    [0.4, "moderate"],
    [0.399, "low"],
    [0.001, "low"],
  ])("is taken from an exposure of %d where the service says none", (exposure, severity) => {
    expect(severityOf("", exposure, 0.5)).toBe(severity);
  });

  it("is taken from the impact where the exposure says nothing, and is unknown without figures", () => {
    expect(severityOf("", 0, 0.96)).toBe("critical");
    expect(severityOf("odd", undefined, 0.5)).toBe("moderate");
    expect([severityOf(undefined), severityOf("", 0, 0), severityOf("informational"), severityOf("__proto__")]).toEqual(
      Array.from({ length: 4 }, () => "unknown"),
    );
    expect([severityOf("", Number.NaN), severityOf("", -1)]).toEqual(["unknown", "unknown"]);
  });
});

describe("a severity", () => {
  it("has the priority that platforms count with", () => {
    const all: Severity[] = ["critical", "high", "moderate", "low", "unknown"];
    expect(all.map(priorityOf)).toEqual([100, 80, 60, 40, -1]);
  });
});
