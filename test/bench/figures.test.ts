import { describe, expect, it } from "@jest/globals";
import { type Cost, costFigures, medianCost, ratiosOf } from "../../bench/figures.ts";
import { floorSeconds } from "../../bench/growth.ts";
import { plotSvg } from "../../bench/plot.ts";
import { rowResult } from "../../bench/results.ts";
import { comparisonTable, rowsTable, stateTable } from "../../bench/tables.ts";
import { missedLimits, rowIds, targetOf } from "../../bench/targets.ts";
import { terminalTable } from "../../bench/terminal-table.ts";
import { workloads } from "../../bench/workloads.ts";

const cost: Cost = {
  requests: 4,
  connections: 3,
  refused: 0,
  wallMs: 200,
  cpuMs: 80,
  peakBytes: 55e6,
  receivedBytes: 4_500,
  writtenBytes: 9_000,
  startMs: 70,
  findings: 0,
  alerts: 0,
  patchCharacters: 0,
  stateCharacters: 8_000,
};

describe("the figures of the bench", () => {
  it("are the median of each measure by itself", () => {
    const costs = [9, 1, 5].map((requests, index) => ({ ...cost, requests, wallMs: index * 100 }));
    expect(medianCost(costs)).toEqual({ ...cost, requests: 5, wallMs: 100 });
    expect(medianCost(costs.slice(0, 2)).requests).toBe(5);
    expect(medianCost([cost, { ...cost, refused: 1 }, cost]).refused).toBe(1);
  });

  it("name every limit that a row goes over, and none that it just meets", () => {
    const quiet = targetOf("quiet-3x20-sparkline");
    expect(missedLimits(quiet, cost)).toEqual([]);
    const more = { ...cost, requests: 5, refused: 1, wallMs: 256 };
    expect(missedLimits(quiet, more).sort()).toEqual(["refused", "requests", "wallMs"]);
    const first = { ...cost, findings: 10, writtenBytes: 16_001 };
    expect(missedLimits(targetOf("first-3x20x50"), first)).toEqual(["bytesPerEvent"]);
  });

  it("allow patches of 300 characters for each alert and three times the final state", () => {
    const first = { ...cost, findings: 10, alerts: 2, patchCharacters: 24_600 };
    expect(costFigures(first).patchesOfState).toBe(3);
    expect(missedLimits(targetOf("first-text-ids"), first)).toEqual([]);
    expect(missedLimits(targetOf("first-text-ids"), { ...first, patchCharacters: 24_601 })).toEqual(["patchesOfState"]);
  });

  it("count what could not be measured as a miss", () => {
    expect(missedLimits(targetOf("ping"), { ...cost, startMs: NaN })).toEqual(["startMs"]);
  });

  it("compare each row's wall time with its share of the reference", () => {
    for (const id of rowIds) {
      const { limits, reference } = targetOf(id);
      if (reference === null) expect(limits.wallMs).toBeUndefined();
      else expect(limits.wallMs).toBeCloseTo(reference.share * reference.wallMs);
    }
  });

  it("are measured for every row", () => {
    expect(workloads.map(({ row }) => row).sort()).toEqual([...rowIds].sort());
  });

  it("know that the first 53 requests take no time of the limit", () => {
    expect([10, 53, 106, 1_113].map(floorSeconds)).toEqual([0, 0, 1, 20]);
  });
});

describe("a baseline", () => {
  const slower = { ...cost, cpuMs: 100, startMs: 69.9 };

  it("is what each figure is a share of, to two digits", () => {
    expect(ratiosOf(cost, slower)).toEqual({ requests: 1, wallMs: 1, cpuMs: 0.8, peakBytes: 1, startMs: 1 });
  });

  it("is missed where a row may not cost more than a share of it", () => {
    const runs = (startMs: number) => ({ current: [{ ...cost, startMs }], baseline: [slower] });
    expect(rowResult("ping", runs(76)).missed).toEqual([]);
    expect(rowResult("ping", runs(78)).missed).toEqual(["startMs, compared with the earlier commit"]);
  });

  it("leaves dashes in the tables where it has no figures", () => {
    const row = rowResult("quiet-1000x2-analysis", { current: [cost], baseline: [] });
    expect(row).toMatchObject({ baseline: null, compared: null, missed: ["requests"] });
    expect(comparisonTable([row])).toContain("| quiet, 1,000 x 2, analysis | – | – | – | – | – |");
  });
});

describe("the tables", () => {
  const rows = rowIds.map((id) => rowResult(id, { current: [cost], baseline: [cost] }));

  it("have a line for each row", () => {
    for (const table of [rowsTable(rows), comparisonTable(rows)]) {
      expect(table.split("\n")).toHaveLength(rows.length + 2);
    }
    expect(terminalTable(rows).split("\n")).toHaveLength(rows.length * 3 + 2);
    expect(stateTable(rows).split("\n").length).toBeGreaterThan(2);
  });

  it("fit into a terminal of 100 columns", () => {
    for (const line of terminalTable(rows).split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });
});

describe("a plot", () => {
  const svg = plotSvg({
    title: "Time & <memory>",
    x: "findings",
    y: "seconds",
    series: [
      {
        label: "measured",
        points: [
          [1_000, 0.5],
          [1_000_000, 50],
        ],
      },
      { label: "floor", points: [[1_000, 0.4]], dashed: true },
    ],
  });

  it("places values by their logarithm between whole powers of ten", () => {
    const [, line] = /<polyline points="([^"]+)"/.exec(svg)!;
    const [[x1, y1], [x2, y2]] = line!.split(" ").map((pair) => pair.split(",").map(Number)) as [number[], number[]];
    const grid = [...svg.matchAll(/<line x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)" class="grid"/g)];
    const vertical = grid.filter(([, from, , to]) => from === to).map(([, x]) => Number(x));
    expect([x1, x2]).toEqual([Math.min(...vertical), Math.max(...vertical)]);
    expect(y1! - y2!).toBeCloseTo((2 / 3) * (336 - 48), 0);
  });

  it("escapes what would end a text", () => {
    expect(svg).toContain("Time &#38; &#60;memory&#62;");
  });
});
