import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { compareInstants, parseInstant } from "../../src/service/instants.ts";

const compareTexts = (a: string, b: string) => Math.sign(compareInstants(parseInstant(a)!, parseInstant(b)!));

/** Epoch time in units of 10^-30 seconds, computed with whole numbers only. */
function exact({ seconds, digits }: { seconds: number; digits: string }): bigint {
  return BigInt(seconds) * 10n ** 30n + BigInt(digits.padEnd(30, "0"));
}

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
  it("order as exact arithmetic does, for any fraction length and offset", () => {
    fc.assert(
      fc.property(moment, moment, fc.boolean(), (a, other, near) => {
        const b = near ? { ...other, seconds: a.seconds } : other;
        const expected = exact(a) < exact(b) ? -1 : exact(a) > exact(b) ? 1 : 0;
        expect(compareTexts(text(a), text(b))).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("know the epoch millisecond, rounded down, before 1970 too", () => {
    expect(parseInstant("1970-01-01T00:00:00.123999Z")?.epochMs).toBe(123);
    expect(parseInstant("1969-12-31T23:59:59.9999Z")?.epochMs).toBe(-1);
    expect(parseInstant("2026-08-20T16:05:06.5+02:00")?.epochMs).toBe(Date.UTC(2026, 7, 20, 14, 5, 6, 500));
  });

  it("keep the text as received", () => {
    expect(parseInstant("2026-08-20T14:05:06.123456789Z")?.text).toBe("2026-08-20T14:05:06.123456789Z");
  });

  it("tell apart what differs by a nanosecond, and not what differs by trailing zeros", () => {
    expect(compareTexts("2026-08-20T14:05:06.123456789Z", "2026-08-20T14:05:06.123456788Z")).toBe(1);
    expect(compareTexts("2026-08-20T14:05:06.1Z", "2026-08-20T14:05:06.12Z")).toBe(-1);
    expect(compareTexts("2026-08-20T14:05:06.100Z", "2026-08-20T14:05:06.1Z")).toBe(0);
    expect(compareTexts("2026-08-20T14:05:06Z", "2026-08-20T14:05:06.000000Z")).toBe(0);
  });

  it("read the year 1, which the service uses for never", () => {
    expect(parseInstant("0001-01-01T00:00:00Z")?.epochMs).toBe(-62_135_596_800_000);
  });

  it("count a leap second as the first second of the next minute", () => {
    expect(compareTexts("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z")).toBe(0);
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
