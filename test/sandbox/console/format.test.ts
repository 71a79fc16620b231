import { describe, expect, it } from "@jest/globals";
import { bytes, duration, relativeTime } from "../../../sandbox/console/browser/format.ts";

describe("what the console writes", () => {
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
    [0, "0 ms"],
    [999.6, "1.0 s"],
    [59_700, "59 s"],
    [1_234, "1.2 s"],
    [12_345, "12 s"],
    [600_000, "10 min"],
    [185_000, "3 min 5 s"],
    [7_500_000, "2 h 5 min"],
    [90_000_000, "1 d 1 h"],
  ])("%d ms as %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
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
});
