import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { parseInstant } from "../../src/service/instants.ts";

const moment = fc.record({
  seconds: fc.integer({ min: -62_135_510_400, max: 253_402_214_400 }),
  digits: fc.stringMatching(/^\d{0,30}$/),
  offsetMinutes: fc.integer({ min: -1439, max: 1439 }),
});

/** The same moment as RFC 3339 text at the given offset. */
function text({ seconds, digits, offsetMinutes }: { seconds: number; digits: string; offsetMinutes: number }): string {
  const local = new Date((seconds + offsetMinutes * 60) * 1000).toISOString().slice(0, 19);
  const two = (number: number) => String(Math.trunc(number)).padStart(2, "0");
  const size = Math.abs(offsetMinutes);
  const zone = offsetMinutes === 0 ? "Z" : `${offsetMinutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
  return `${local}${digits === "" ? "" : `.${digits}`}${zone}`;
}

describe("instants", () => {
  it("are epoch milliseconds, for any fraction length and offset", () => {
    fc.assert(
      fc.property(moment, (at) => {
        const milliseconds = Number(at.digits.slice(0, 3).padEnd(3, "0"));
        expect(parseInstant(text(at))).toBe(at.seconds * 1000 + milliseconds);
      }),
      { numRuns: 1000 },
    );
  });

  it("know the epoch millisecond, rounded down, before 1970 too", () => {
    expect(parseInstant("1970-01-01T00:00:00.123999Z")).toBe(123);
    expect(parseInstant("1969-12-31T23:59:59.9999Z")).toBe(-1);
    expect(parseInstant("2026-08-20T16:05:06.5+02:00")).toBe(Date.UTC(2026, 7, 20, 14, 5, 6, 500));
  });

  it("read the year 1, which the service uses for never", () => {
    expect(parseInstant("0001-01-01T00:00:00Z")).toBe(-62_135_596_800_000);
  });

  it("count a leap second as the first second of the next minute", () => {
    expect(parseInstant("2016-12-31T23:59:60Z")).toBe(Date.UTC(2017, 0, 1));
  });

  it.each([
    "",
    "2026-08-20",
    "2026-08-20T14:05:06",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-08-20T24:00:00Z",
    "2026-08-20T14:60:00Z",
    "2026-08-20T14:05:61Z",
    "2026-08-20T14:05:06.Z",
    "2026-08-20T14:05:06+24:00",
    " 2026-08-20T14:05:06Z",
    "20260820T140506Z",
  ])("refuse %j", (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});
