import { describe, expect, it } from "@jest/globals";
import { floorSeconds } from "../../bench/growth.ts";
import { type Cost, medianCost } from "../../bench/measure.ts";
import { plotSvg } from "../../bench/plot.ts";
import { missed, rowIds, targetOf } from "../../bench/targets.ts";

const cost: Cost = {
  requests: 7,
  connections: 3,
  refused: 0,
  busiestSecond: 7,
  wallMs: 200,
  cpuMs: 80,
  peakBytes: 55e6,
  receivedBytes: 4_500,
  writtenBytes: 9_000,
  startMs: 70,
  findings: 0,
  stateBytes: 8_000,
};

describe("the figures of the bench", () => {
  it("are the median of each measure by itself", () => {
    const costs = [9, 1, 5].map((requests, index) => ({ ...cost, requests, wallMs: index * 100 }));
    expect(medianCost(costs)).toEqual({ ...cost, requests: 5, wallMs: 100 });
    expect(medianCost(costs.slice(0, 2)).requests).toBe(5);
  });

  it("name every limit that a row goes over, and none that it just meets", () => {
    const gated = targetOf("gated-3x20");
    expect(missed(gated, cost)).toEqual([]);
    expect(missed(gated, { ...cost, requests: 8, refused: 1, wallMs: 256 }).sort()).toEqual([
      "refused",
      "requests",
      "wallMs",
    ]);
    expect(missed(targetOf("first-3x20x50"), { ...cost, findings: 10, writtenBytes: 12_001 })).toEqual([
      "bytesPerEvent",
    ]);
  });

  it("count what could not be measured as a miss", () => {
    expect(missed(targetOf("ping"), { ...cost, startMs: NaN })).toEqual(["startMs"]);
  });

  it("compare each row's wall time with its share of the reference", () => {
    for (const id of rowIds) {
      const { limits, share, reference } = targetOf(id);
      expect(limits.wallMs).toBeCloseTo(share * reference.wallMs);
    }
  });

  it("know that the first fifty requests take no time of the limit", () => {
    expect([10, 50, 100, 1_050].map(floorSeconds)).toEqual([0, 0, 1, 20]);
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
