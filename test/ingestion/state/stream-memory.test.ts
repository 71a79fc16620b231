import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { StreamMemory } from "../../../src/ingestion/state/state.ts";
import {
  cursorOf,
  rememberedInWindow,
  forgottenBefore,
  WINDOW_HOURS,
  windowStart,
  withoutDerivable,
} from "../../../src/ingestion/state/stream-memory.ts";
import { NOW_HOUR } from "../../support/streams.ts";

const hour = fc.integer({ min: NOW_HOUR - 200, max: NOW_HOUR + 200 });
const ids = fc.dictionary(
  fc.oneof(
    hour.map(String),
    hour.map((at) => `${at}.0`),
    fc.constantFrom("none", "none.1"),
  ),
  fc.constantFrom("1", "1+49", "1+9*60", "1,~abcdefghijk"),
  { maxKeys: 6 },
);
const unfinished = fc.record({ from: hour, skip: fc.nat(), after: fc.string() }, { requiredKeys: ["skip", "after"] });
/** Memory as a read hands it to `withoutDerivable`: cursor and forgottenBefore are always given. */
const wholeMemory = fc
  .record(
    {
      ids,
      cursor: fc.oneof(fc.constant(0), hour),
      forgottenBefore: fc.oneof(fc.constant(0), hour),
      unfinished,
    },
    { requiredKeys: ["ids", "cursor", "forgottenBefore"] },
  )
  .map((memory): StreamMemory => memory);

describe("the window of the next read", () => {
  it("is the whole history before anything was read", () => {
    expect([windowStart({}), cursorOf({}), forgottenBefore({})]).toEqual([null, null, -Infinity]);
    expect(windowStart({ cursor: 0, ids: { [NOW_HOUR]: "1" } })).toBeNull();
  });

  it("starts a day before the newest finding, which its ids name when nothing else does", () => {
    expect(windowStart({ ids: { [NOW_HOUR - 5]: "1", [NOW_HOUR]: "2", none: "3" } })).toBe(NOW_HOUR - WINDOW_HOURS);
    expect(windowStart({ cursor: NOW_HOUR - 3, ids: { [NOW_HOUR + 90]: "2" } })).toBe(NOW_HOUR - 3 - WINDOW_HOURS);
  });

  it("starts no earlier than what is remembered by id, so that nothing is repeated", () => {
    expect(windowStart({ cursor: NOW_HOUR, forgottenBefore: NOW_HOUR - 2 })).toBe(NOW_HOUR - 2);
  });

  it("is the same window as before for a read that goes on", () => {
    const memory = { cursor: NOW_HOUR, unfinished: { from: 5, skip: 1, after: "1" } };
    expect(windowStart(memory)).toBe(5);
    expect(windowStart({ ...memory, unfinished: { skip: 1, after: "1" } })).toBeNull();
  });

  it("never reaches a finding that was delivered and forgotten", () => {
    fc.assert(
      fc.property(wholeMemory, (memory) => {
        fc.pre(memory.unfinished === undefined);
        const start = windowStart(memory);
        if (start !== null) expect(start).toBeGreaterThanOrEqual(forgottenBefore(memory));
      }),
    );
  });
});

describe("a memory without what follows from the rest", () => {
  it("means the same as the whole one", () => {
    fc.assert(
      fc.property(wholeMemory, (memory) => {
        const short = withoutDerivable(memory);
        expect(cursorOf(short)).toBe(cursorOf(memory));
        expect(Math.max(0, forgottenBefore(short))).toBe(memory.forgottenBefore);
        expect(windowStart(short)).toBe(windowStart(memory));
        expect(rememberedInWindow(short)).toBe(rememberedInWindow(memory));
        expect(short.unfinished).toEqual(memory.unfinished);
        expect(withoutDerivable({ ...memory, ...short })).toEqual(short);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is nothing but its ids after an ordinary read", () => {
    const memory = {
      ids: { [NOW_HOUR]: "1+49" },
      cursor: NOW_HOUR,
      forgottenBefore: 0,
    };
    expect(withoutDerivable(memory)).toEqual({ ids: { [NOW_HOUR]: "1+49" } });
    expect(withoutDerivable({ ids: {}, cursor: 0, forgottenBefore: 0 })).toEqual({});
  });
});
