import { setImmediate } from "node:timers/promises";
import { changeText, groupChanges } from "../../../sandbox/console/browser/parts/state-change.ts";
import { Loader } from "../../../sandbox/console/browser/loader.ts";
import { loadPages } from "../../../sandbox/console/browser/load-pages.ts";
import { preview } from "../../../sandbox/console/browser/parts/preview.ts";
import { trendShape, trendText } from "../../../sandbox/console/browser/parts/trend-shape.ts";
import { totalsOf, waterfallOf } from "../../../sandbox/console/browser/parts/waterfall-scale.ts";
import type { RequestTrace } from "../../../sandbox/console/contract/index.ts";

function request(queuedAt: number, sentAt: number, endedAt: number, more: Partial<RequestTrace> = {}): RequestTrace {
  const path = "/api/v2/self";
  return { method: "GET", path, query: "", queuedAt, sentAt, endedAt, status: 200, bytes: 10, error: null, ...more };
}

describe("The waterfall of a run", () => {
  it("places each request by the time that the run took", () => {
    const { span, bars } = waterfallOf([request(0, 50, 100), request(100, 100, 150)], 200);
    expect(span).toBe(200);
    expect(bars[0]).toEqual({ wait: { start: 0, width: 25 }, answer: { start: 25, width: 25 } });
    expect(bars[1]?.wait.width).toBe(0);
  });

  it("keeps a short request visible and inside", () => {
    const [bar] = waterfallOf([request(99_999, 99_999, 100_000)]).bars;
    expect(bar?.answer.width).toBeGreaterThan(0.2);
    expect((bar?.answer.start ?? 0) + (bar?.answer.width ?? 0)).toBeLessThanOrEqual(100);
  });

  it.each([
    [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [420, [0, 100, 200, 300, 400]],
    [61_000, [0, 20_000, 40_000, 60_000]],
  ])("has few and round times for %i ms", (span, ticks) => {
    const found = waterfallOf([], span).ticks;
    expect(found.map((tick) => Math.round(tick * 10) / 10)).toEqual(ticks);
  });

  it("adds up what the requests cost", () => {
    const failed = request(10, 20, 40, { status: null, bytes: null, error: "reset" });
    expect(totalsOf([request(0, 5, 100), failed])).toEqual({
      count: 2,
      bytes: 10,
      problems: 1,
      waitedMs: 15,
      slowestMs: 95,
    });
  });
});

describe("A change of the state", () => {
  it("is added, changed or removed", () => {
    const kinds = [
      { path: ["a"], before: undefined, after: 1 },
      { path: ["a"], before: 1, after: null },
      { path: ["a"], before: 1, after: undefined },
    ].map((change) => changeText(change).kind);
    expect(kinds).toEqual(["Added", "Changed", "Removed"]);
  });

  it("says what lists have lost and gained", () => {
    expect(changeText({ path: ["ids"], before: [1, 2], after: [2, 3, 4] }).entries).toBe(
      "2 entries added, 1 entry removed",
    );
    expect(changeText({ path: ["ids"], before: [1, 2], after: [2, 1] }).entries).toBe("in another order");
  });

  it("stands with the others of its environment", () => {
    const change = (path: string[]) => ({ path, before: 1, after: 2 });
    const groups = groupChanges([
      change(["environments", "E", "a"]),
      change(["time"]),
      change(["environments", "E", "b"]),
    ]);
    expect(groups.map(({ name, changes }) => [name, changes.length])).toEqual([
      ["environments › E", 2],
      ["General", 1],
    ]);
  });
});

describe("A list that comes page by page", () => {
  /** Pages of two rows. */
  const from = (all: readonly number[]) => (cursor: string | undefined) => {
    const start = cursor === undefined ? 0 : all.indexOf(Number(cursor)) + 1;
    const rows = all.slice(start, start + 2);
    const next = start + 2 < all.length ? String(rows.at(-1)) : null;
    return Promise.resolve({ rows, total: all.length, next });
  };

  it("shows all that it had shown when rows have come at its top", async () => {
    const { rows } = await loadPages(from([9, 8, 3, 2, 1]), 3);
    expect(rows).toEqual([9, 8, 3, 2]);
  });

  it("leads on when rows have come at its end", async () => {
    expect(await loadPages(from([1, 2, 3]), 3)).toEqual({ rows: [1, 2, 3], total: 3, next: null });
    expect(await loadPages(from([1, 2, 3, 4, 5, 6]), 3)).toEqual({ rows: [1, 2, 3, 4], total: 6, next: "4" });
  });
});

describe("A load", () => {
  /** Each load with how to end it. */
  function observed() {
    const loads: { signal: AbortSignal; end: () => void }[] = [];
    const loader = new Loader(
      (signal) =>
        new Promise((end) => {
          loads.push({ signal, end });
        }),
    );
    return { loads, loader };
  }

  it("is finished however many events arrive during it, and then done once more", async () => {
    const { loads, loader } = observed();
    for (let event = 0; event < 3; event++) loader.ask();
    expect(loads).toHaveLength(1);
    expect(loads[0]!.signal.aborted).toBe(false);
    loads[0]!.end();
    await setImmediate();
    expect(loads).toHaveLength(2);
    loads[1]!.end();
    await setImmediate();
    expect(loads).toHaveLength(2);
  });

  it("gives way to one of something else", async () => {
    const { loads, loader } = observed();
    loader.ask();
    loader.ask();
    loader.start();
    expect(loads.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    for (const { end } of loads) end();
    await setImmediate();
    expect(loads).toHaveLength(2);
  });
});

describe("The preview of a value", () => {
  it.each([
    [undefined, "nothing"],
    ["a\u202eb", "a‹U+202E›b"],
    [[1, "b"], '[1,"b"]'],
    [[{}, {}], "2 items"],
    [{ a: 1 }, "1 field"],
    ["x".repeat(200), `${"x".repeat(119)}…`],
  ])("of %j is one line", (value, text) => {
    expect(preview(value)).toBe(text);
  });
});

describe("The trend of a finding type", () => {
  const at = (day: number) => new Date(2026, 10, day).getTime();
  const point = (day: number, findings: number) => ({ at: at(day), findings });

  it("is a line from the first to the last day, whatever their order", () => {
    const shape = trendShape([point(3, 10), point(1, 0), point(2, 5)], 106, 26);
    expect(shape?.line).toBe("M3 23L53 13L103 3");
    expect(shape?.last).toEqual({ x: 103, y: 3 });
  });

  it("is a sentence too", () => {
    expect(trendText([point(1, 4), point(2, 1)])).toBe("1 finding, 3 fewer since 2026-11-01.");
    expect(trendText([point(1, 4), point(2, 4)])).toBe("4 findings, as many as on 2026-11-01.");
    expect(trendText([point(1, 4)])).toBe("4 findings on 2026-11-01.");
    expect(trendText([])).toBe("No history.");
  });

  it("is no line with one point, and flat with no findings", () => {
    expect(trendShape([point(1, 4)], 100, 20)).toBeNull();
    expect(trendShape([point(1, 0), point(2, 0)], 106, 26)?.line).toBe("M3 23L103 23");
  });
});
