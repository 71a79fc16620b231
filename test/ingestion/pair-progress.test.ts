import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PairProgress, type PairState } from "../../src/ingestion/pair-progress.ts";
import { compareInstants, parseInstant } from "../../src/service/instants.ts";

const START = Date.UTC(2026, 0, 1);
const NOW = START + 400 * 3_600_000;

interface Row {
  id: string;
  /** Nanoseconds since START. */
  at: number;
}

function text({ at }: Row): string {
  const seconds = new Date(START + Math.floor(at / 1e9) * 1000).toISOString().slice(0, 19);
  const fraction = String(at % 1e9)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${seconds}${fraction === "" ? "" : `.${fraction}`}Z`;
}

interface Manners {
  sorts: boolean;
  filters: boolean;
}

/** The list that a service gives for a query. */
function listOf(rows: Row[], from: string | undefined, manners: Manners): Row[] {
  const bound = from === undefined ? null : parseInstant(from);
  const inside = (row: Row): boolean => {
    const instant = parseInstant(text(row));
    return bound === null || instant === null || !manners.filters || compareInstants(instant, bound) >= 0;
  };
  const list = rows.filter(inside);
  return manners.sorts ? list.sort((a, b) => a.at - b.at || Number(a.id) - Number(b.id)) : list;
}

/** One run over the list: delivers in alerts of `perAlert`; stops undelivered after `stopAfter` findings. */
function poll(rows: Row[], state: PairState | null, manners: Manners, perAlert: number, stopAfter: number) {
  const progress = new PairProgress(state, NOW);
  const list = listOf(rows, progress.query.createdFrom, manners);
  const { skip = 0, after = "" } = progress.query.resume ?? {};
  const start = list[skip - 1]?.id === after ? skip : 0;
  const delivered: string[] = [];
  let held: string[] = [];
  let stored = state;
  for (const [index, row] of list.slice(start).entries()) {
    if (index === stopAfter) return { delivered, stored };
    if (progress.consider(row.id, text(row), start + index)) held.push(row.id);
    if (held.length < perAlert) continue;
    delivered.push(...held);
    held = [];
    stored = progress.interrupted();
  }
  return { delivered: [...delivered, ...held], stored: progress.completed() };
}

const hour = 3600e9;
const manners = fc.record({ sorts: fc.boolean(), filters: fc.boolean() });
/** New findings of one round: as many hours on as said, some inside the overlap window before the newest. */
const round = fc.record({
  hoursOn: fc.integer({ min: 0, max: 5 }),
  added: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -hour, max: hour })), { maxLength: 12 }),
  removed: fc.array(fc.nat(40), { maxLength: 3 }),
  perAlert: fc.integer({ min: 1, max: 5 }),
  stopAfter: fc.integer({ min: 0, max: 15 }),
});

describe("the progress of one finding type", () => {
  it("delivers every finding exactly once over interrupted runs, late findings and deletions", () => {
    fc.assert(
      fc.property(manners, fc.array(round, { minLength: 1, maxLength: 6 }), (behaviour, rounds) => {
        const rows: Row[] = [];
        const times = new Map<string, number>();
        let [newest, nextId] = [10 * hour, 1];
        let state: PairState | null = null;
        const all: string[] = [];
        for (const { hoursOn, added, removed, perAlert, stopAfter } of rounds) {
          const base = newest + hoursOn * hour;
          for (const offset of added) {
            const row = { id: String(nextId++), at: Math.max(newest - hour, base + offset) };
            rows.push(row);
            times.set(row.id, row.at);
          }
          // What a run that did not come to its end has not seen may be further back than the overlap window.
          for (const at of removed) if (all.includes(rows[at]?.id ?? "")) rows.splice(at, 1);
          const run = poll(rows, state, behaviour, perAlert, stopAfter);
          all.push(...run.delivered);
          state = run.stored;
          const whole = poll(rows, state, behaviour, perAlert, Infinity);
          all.push(...whole.delivered);
          state = whole.stored;
          newest = Math.max(newest, ...rows.map(({ at }) => at));
        }
        expect([...all].sort()).toEqual([...new Set(all)].sort());
        expect(rows.filter(({ id }) => !all.includes(id))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it("never moves its cursor back", () => {
    fc.assert(
      fc.property(manners, fc.array(round, { minLength: 1, maxLength: 6 }), (behaviour, rounds) => {
        let state: PairState | null = null;
        for (const [n, { added, perAlert, stopAfter }] of rounds.entries()) {
          const before: string | null = state?.cursor ?? null;
          const rows = added.map((offset, i) => ({ id: String(n * 100 + i), at: 20 * hour + offset }));
          state = poll(rows, state, behaviour, perAlert, stopAfter).stored;
          const [old, now] = [before, state?.cursor ?? null].map((cursor) =>
            cursor === null ? null : parseInstant(cursor),
          );
          if (old != null) expect(now != null && compareInstants(now, old) >= 0).toBe(true);
        }
      }),
    );
  });

  it("goes on behind the last delivered finding instead of reading the list again", () => {
    const rows = Array.from({ length: 10 }, (_, i) => ({ id: String(i + 1), at: hour }));
    const { delivered, stored } = poll(rows, null, { sorts: true, filters: true }, 4, 9);
    expect(delivered).toHaveLength(8);
    expect(new PairProgress(stored, NOW).query).toEqual({ resume: { skip: 8, after: "8" } });
  });

  it("calls a window unchanged only when its count and its last added finding are what is known", () => {
    const rows = [
      { id: "1", at: 5 * hour },
      { id: "2", at: 9 * hour },
      { id: "3", at: 9 * hour },
    ];
    const { stored } = poll(rows, null, { sorts: true, filters: true }, 5, Infinity);
    const progress = new PairProgress(stored, NOW);
    expect(progress.query.createdFrom).toBe("2026-01-01T08:00:00Z");
    expect(progress.isUnchanged(2, "3")).toBe(true);
    expect(progress.isUnchanged(3, "3")).toBe(false);
    expect(progress.isUnchanged(null, "3")).toBe(false);
    // One was deleted and another one added.
    expect(progress.isUnchanged(2, "4")).toBe(false);
    // A service that does not sort, or gives no ids.
    expect(progress.isUnchanged(2, "2")).toBe(false);
    expect(progress.isUnchanged(2, "habc")).toBe(false);
    expect(progress.isUnchanged(2, null)).toBe(false);
  });

  it("still calls a window unchanged after a deletion that it has seen", () => {
    const rows = [1, 2, 3].map((n) => ({ id: String(n), at: 9 * hour }));
    const behaviour = { sorts: true, filters: true };
    const first = poll(rows, null, behaviour, 5, Infinity).stored;
    const left = rows.filter(({ id }) => id !== "2");
    expect(new PairProgress(first, NOW).isUnchanged(2, "3")).toBe(false);
    const second = poll(left, first, behaviour, 5, Infinity);
    expect(second.delivered).toEqual([]);
    const progress = new PairProgress(second.stored, NOW);
    expect([progress.isUnchanged(2, "3"), progress.isUnchanged(3, "3")]).toEqual([true, false]);
  });

  it("delivers a finding once whose time lies ahead at first and is within reach later", () => {
    const progress = new PairProgress(null, NOW);
    const soon = new Date(NOW + 30 * 3_600_000).toISOString();
    expect(progress.consider("1", soon, 0)).toBe(true);
    const later = new PairProgress(progress.completed(), NOW + 20 * 3_600_000);
    expect(later.consider("1", soon, 0)).toBe(false);
  });

  it("delivers findings without a time, or of a time that lies far ahead, once and leaves the cursor alone", () => {
    const progress = new PairProgress(null, NOW);
    expect(progress.consider("1", undefined, 0)).toBe(true);
    expect(progress.consider("2", "9999-12-31T00:00:00Z", 1)).toBe(true);
    const again = new PairProgress(progress.completed(), NOW);
    expect(again.query).toEqual({});
    expect([again.consider("1", undefined, 0), again.consider("2", "9999-12-31T00:00:00Z", 1)]).toEqual([false, false]);
  });

  it("remembers at rest only the hours that are asked for again", () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ id: String(i), at: i * hour * 0.1 }));
    const { stored } = poll(rows, null, { sorts: true, filters: true }, 100, Infinity);
    expect(stored?.seen.length).toBeLessThan(40);
  });
});
