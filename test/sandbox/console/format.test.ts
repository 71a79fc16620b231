import { describe, expect, it } from "@jest/globals";
import { bytes, cutText, machineTime, relativeTime } from "../../../sandbox/console/browser/format.ts";

describe("what the console writes", () => {
  it("a time for a machine, and nothing for one that no date can hold", () => {
    expect(machineTime(1_700_000_000_000)).toBe("2023-11-14T22:13:20.000Z");
    expect(machineTime(6e16)).toBeUndefined();
  });

  it.each([
    [0, "now"],
    [12_000, "12 s ago"],
    [59_999, "59 s ago"],
    [3 * 60_000, "3 min ago"],
    [26 * 3_600_000, "1 d ago"],
    [-240_000, "in 4 min"],
  ])("a time %i ms ago as %s", (ago, text) => {
    const now = Date.parse("2026-11-22T04:00:00Z");
    expect(relativeTime(now - ago, now)).toBe(text);
  });

  it("a time of another week as its day", () => {
    const at = new Date(2026, 0, 5, 12).getTime();
    expect(relativeTime(at, at + 8 * 86_400_000)).toBe("2026-01-05");
  });

  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KB"],
    [12 * 2 ** 20, "12 MB"],
    [2 ** 45, "32768 GB"],
  ])("%d bytes as %s", (count, text) => {
    expect(bytes(count)).toBe(text);
  });

  it("what a list leaves out, and nothing of a list that is whole", () => {
    expect(cutText(["a", "b"], 1_620, "worst", "alerts")).toBe("Showing the worst 2 of 1,620 alerts.");
    expect(cutText(["a", "b"], 2, "worst", "alerts")).toBeUndefined();
  });
});
