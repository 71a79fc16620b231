import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Pass, type PassOptions } from "../../../src/ingestion/pass.ts";
import { Selection } from "../../../src/ingestion/selection.ts";
import { HOUR_MS } from "../../../src/clock.ts";
import { DAY_HOURS, latestCursor, pollTime, type PollTime } from "../../../src/ingestion/time.ts";
import { DeliveredIds, holdsId, storedBatch } from "../../../src/ingestion/state/delivered-ids.ts";
import { loadState } from "../../../src/ingestion/state/load-state.ts";
import type { StreamMemory } from "../../../src/ingestion/state/state.ts";
import { cursorOf, forgottenBefore, windowStart } from "../../../src/ingestion/state/stream-memory.ts";
import {
  atStart,
  begun,
  clockMoved,
  finished,
  gone,
  offered,
  owing,
  type ReadMemory,
  repeatsAfterClockChange,
  took,
} from "../../../src/ingestion/state/transitions.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { instant, NOW, NOW_HOUR, TENANT, timeAt } from "../../support/streams.ts";

const ROOM = { ids: Infinity, checks: 2_000 };

/** What the host would hold with this memory. */
function stateWith(memory: StreamMemory): Json {
  const environments = { "S-1": { streams: { "0": memory } } };
  const state = { version: 1, tenant: TENANT, selection: "", types: { "0": "T0Owns" }, environments, descriptions: {} };
  return JSON.parse(JSON.stringify(state)) as Json;
}

/** A transition that changed its argument would throw. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const passOptions = ({ trusted }: PollTime): PassOptions => {
  return { trusted, isRepeat: false, selection: new Selection({}), firstRun: 0 };
};

const idsIn = (memory: StreamMemory): number => new DeliveredIds(memory.ids).size;

/** One read, of which a run may only make a part: it stores a batch of two each time, and is killed after so many. */
interface Read {
  readonly kind: "read";
  readonly all: boolean;
  readonly findings: readonly Finding[];
  readonly batches: number;
  readonly hours: number;
}
type Step = Read | { readonly kind: "gone" | "offered" | "owing" | "clock_back"; readonly hours: number };

const finding: fc.Arbitrary<Finding> = fc.record({
  id: fc.integer({ min: 1, max: 30 }),
  created_at: fc.constantFrom(instant(-300), instant(-30), instant(-1), instant(90), "0001-01-01T00:00:00Z"),
  ToPrincipal: fc.constantFrom("S-1-5-21-1-1", "S-1-5-21-1-2"),
});
const hours = fc.integer({ min: 0, max: 100 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("read" as const),
    all: fc.boolean(),
    findings: fc.uniqueArray(finding, { selector: ({ id }) => id, maxLength: 12 }),
    batches: fc.constantFrom(0, 1, 2, 3, 99, 99, 99),
    hours,
  }),
  fc.record({ kind: fc.constantFrom("gone", "offered", "owing", "clock_back"), hours }),
);

/** Reads in the way of `readStream`, and checks what must hold of each transition. */
function readOnce(before: StreamMemory, { all, findings, batches }: Read, time: PollTime): StreamMemory {
  let memory: ReadMemory = frozen(begun(before, { all, time }));
  const { skip } = memory.unfinished;
  if (skip === 0) memory = frozen(atStart(memory, time));
  const pass = new Pass(memory, passOptions(time));
  let stored = before;
  for (const [index, each] of findings.slice(skip).entries()) {
    pass.take(each, skip + index);
    if (index % 2 === 0) continue;
    if (index / 2 >= batches) return stored;
    const known = idsIn(memory);
    const next = frozen(took(memory, pass.batch(), ROOM)).memory;
    expect(next.unfinished.from).toBe(memory.unfinished.from);
    expect(next.unfinished.skip).toBe(skip + index + 1);
    expect(cursorOf(next)).toBe(cursorOf(memory));
    expect(idsIn(next)).toBeGreaterThanOrEqual(known);
    stored = memory = next;
  }
  if (batches < 99) return stored;
  const end = pass.end();
  const { memory: after, idsReused } = frozen(finished(memory, end, time, ROOM));
  expect(cursorOf(after) ?? 0).toBeGreaterThanOrEqual(cursorOf(memory) ?? 0);
  expect(cursorOf(after) ?? 0).toBeLessThanOrEqual(Math.max(cursorOf(memory) ?? 0, time.trusted / HOUR_MS));
  if (end.listing === null || idsReused) expect(after.unfinished).toMatchObject({ skip: 0, after: "" });
  else if (memory.unfinished.from === undefined) expect(after).toEqual(readToItsEnd(after));
  return after;
}

/** The same memory without what is still to be read. */
function readToItsEnd({ unfinished, wholeHistory, ...rest }: StreamMemory): StreamMemory {
  return rest;
}

function apply(memory: StreamMemory, each: Step, now: number): StreamMemory {
  const hour = Math.floor(now / HOUR_MS);
  if (each.kind === "read") return readOnce(memory, each, timeAt(now));
  if (each.kind === "gone") return gone(memory, hour);
  if (each.kind === "offered") return offered(memory);
  return each.kind === "owing" ? owing(memory) : clockMoved(memory, timeAt(now - 50 * HOUR_MS));
}

describe("the memory of a stream", () => {
  it("can be stored after every transition, changes only by making another one, and forgets later each time", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let memory: StreamMemory = {};
        let now = NOW;
        for (const each of steps) {
          now += each.hours * HOUR_MS;
          const next = frozen(apply(frozen(memory), each, now));
          expect(loadState(stateWith(next), TENANT).kind).toBe("loaded");
          expect(next.forgotAt ?? -1).toBeGreaterThanOrEqual(memory.forgotAt ?? -1);
          memory = next;
        }
      }),
      { numRuns: 400 },
    );
  });

  it("is read as a whole once more after a read of the whole history that took several runs, and not twice", () => {
    const time = timeAt();
    const cut = (memory: ReadMemory, skip: number): StreamMemory => {
      const batch = { added: [], place: { skip, after: "x" }, current: -Infinity, isDoubted: false };
      return took(memory, batch, ROOM).memory;
    };
    const ended = (memory: ReadMemory): StreamMemory =>
      finished(memory, new Pass(memory, passOptions(time)).end(), time, ROOM).memory;
    const delivered = { ids: { [NOW_HOUR - 500]: "1+9" }, cursor: NOW_HOUR };
    const first = ended(begun(cut(begun(delivered, { all: true, time }), 5), { all: false, time }));
    expect([first.wholeHistory, first.unfinished]).toEqual([true, { skip: 0, after: "", isSecond: true }]);
    const second = begun(first, { all: false, time });
    expect(second.unfinished).toMatchObject({ skip: 0, isSecond: true });
    expect(ended(second)).toEqual(readToItsEnd(ended(second)));
    const third = ended(begun(cut(second, 5), { all: false, time }));
    expect([third.wholeHistory, third.unfinished]).toEqual([
      undefined,
      { from: NOW_HOUR - 25, skip: 0, after: "", isSecond: true },
    ]);
  });

  it("forgets what a read of everything did not list, except for findings that a part of the service may not know yet", () => {
    const time = timeAt();
    const added = [NOW_HOUR - 300, NOW_HOUR - 3].map((hour, index) => ({ key: index + 1, check: 0, hour }));
    const memory = begun({ ids: storedBatch(0, added) }, { all: true, time });
    const pass = new Pass(memory, passOptions(time));
    pass.take({ id: 9, created_at: instant(-1) }, 0);
    const { memory: after } = finished(memory, pass.end(), time, ROOM);
    expect([1, 2].map((key) => holdsId(after.ids ?? {}, key))).toEqual([false, true]);
    expect(after.forgotAt).toBe(NOW_HOUR - 300);
  });

  it("takes a finding with a later date for another one once the whole list is read and its check cannot be compared", () => {
    const time = timeAt();
    const added = [1, 2].map((key) => ({ key, check: 7, hour: NOW_HOUR - 300 }));
    const memory = begun({ ids: storedBatch(0, added, ROOM.checks) }, { all: true, time });
    const pass = new Pass(memory, passOptions(time));
    pass.take({ id: 1, created_at: instant(-1) }, 0);
    const { memory: after, idsReused } = finished(memory, pass.end(), time, ROOM);
    expect([idsReused, holdsId(after.ids ?? {}, 1)]).toEqual([true, false]);
  });

  it("survives two days in which its finding type is not listed, and is read as a whole after that", () => {
    const memory = { ids: { [NOW_HOUR]: "1+9" } };
    const first = gone(memory, NOW_HOUR);
    expect(first).toEqual({ ...memory, goneSince: NOW_HOUR });
    const [shortly, longer] = [2 * DAY_HOURS, 2 * DAY_HOURS + 1].map((hours) => gone(first, NOW_HOUR + hours));
    expect(offered(shortly!)).toEqual({ ...memory, wholeHistory: true });
    expect(offered(longer!)).toEqual({ forgotAt: NOW_HOUR });
    expect(offered({ ...longer!, forgotAt: NOW_HOUR + 9 })).toEqual({ forgotAt: NOW_HOUR + 10 });
    expect(offered(memory)).toBe(memory);
  });

  it("forgets nothing after one run that did not list its finding type, however long no other run came", () => {
    const memory = { ids: { [NOW_HOUR]: "1+9" } };
    const away = gone(memory, NOW_HOUR);
    expect(offered(away)).toEqual({ ...memory, wholeHistory: true });
    expect(offered(gone(gone(away, NOW_HOUR + 99), NOW_HOUR - 1))).toEqual({ ...memory, wholeHistory: true });
  });
});

/** Memory as runs of any kind leave it. */
const anyMemory: fc.Arbitrary<StreamMemory> = fc.array(step, { maxLength: 5 }).map((steps) => {
  let now = NOW - 400 * HOUR_MS;
  return steps.reduce((memory: StreamMemory, each) => apply(memory, each, (now += each.hours * HOUR_MS)), {});
});

describe("a service's clock that is set back", () => {
  it("changes nothing while the cursor is not ahead of it", () => {
    const memory = { ids: { [NOW_HOUR]: "1" } };
    expect(clockMoved(memory, timeAt())).toBe(memory);
    expect(clockMoved({}, timeAt(NOW - 1_000 * HOUR_MS))).toEqual({});
  });

  it("moves the window back to where new findings may be dated, and keeps every id", () => {
    const memory: StreamMemory = { ids: { [NOW_HOUR]: "1+9" } };
    const time = timeAt(NOW - 10 * HOUR_MS);
    const moved = clockMoved(memory, time);
    expect(windowStart(moved)).toBeLessThanOrEqual(NOW_HOUR - 11);
    expect(moved.ids).toEqual(memory.ids);
    expect(repeatsAfterClockChange(memory, moved)).toBe(false);
  });

  it("says that findings may be repeated when it reaches what was forgotten", () => {
    const memory: StreamMemory = { ids: { [NOW_HOUR]: "1" }, forgottenBefore: NOW_HOUR - 48 };
    const moved = clockMoved(memory, timeAt(NOW - 100 * HOUR_MS));
    expect(repeatsAfterClockChange(memory, moved)).toBe(true);
    expect(forgottenBefore(moved)).toBeLessThanOrEqual(NOW_HOUR - 101);
  });

  it("lets the next window reach the earliest moment that a new finding can have", () => {
    fc.assert(
      fc.property(
        anyMemory,
        fc.integer({ min: 0, max: 500 }),
        fc.integer({ min: 0, max: 500 }),
        (memory, back, gap) => {
          const service = NOW - back * HOUR_MS;
          const time = { host: NOW, service, trusted: service, lastRun: null, earliestNew: service - gap * HOUR_MS };
          const moved = clockMoved(memory, time);
          fc.pre(moved !== memory);
          expect(cursorOf(moved)).toBe(latestCursor(time));
          expect(moved.unfinished?.skip ?? 0).toBe(0);
          expect(windowStart(moved) ?? -Infinity).toBeLessThanOrEqual(Math.floor(time.earliestNew / HOUR_MS));
          expect(moved.ids).toEqual(memory.ids);
        },
      ),
    );
  });

  it("leaves a state that can be loaded, whatever the clocks say", () => {
    const clock = fc.record({ host: fc.nat(4e9), service: fc.nat(4e9), trusted: fc.nat(4e9) });
    const service = fc.oneof(fc.nat(4e9), fc.constant(0)).map((seconds) => seconds * 1_000);
    fc.assert(
      fc.property(anyMemory, clock, service, (memory, remembered, at) => {
        const moved = clockMoved(memory, pollTime(remembered, NOW, at));
        expect(loadState(stateWith(moved), TENANT).kind).toBe("loaded");
      }),
    );
  });
});
