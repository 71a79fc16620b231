import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type Edge, layered } from "../../../src/cli/drawing/layered.ts";

const gaps = { columns: 50, rows: 10 };

function place(count: number, edges: readonly (readonly [number, number])[]) {
  const nodes = Array.from({ length: count }, (_, at): [string, { width: number; height: number }] => [
    String(at),
    { width: 20 + (at % 7) * 10, height: 26 },
  ]);
  const named = edges.map(([from, to]): Edge => ({ from: String(from), to: String(to) }));
  return layered(new Map(nodes), named, gaps);
}

describe("a graph in columns", () => {
  it("has every node inside the picture and no two on top of each other, whatever its edges are", () => {
    const graphs = fc
      .integer({ min: 1, max: 12 })
      .chain((count) =>
        fc.tuple(fc.constant(count), fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 30 })),
      );
    fc.assert(
      fc.property(graphs, ([count, edges]) => {
        const { width, height, places } = place(count, edges);
        const boxes = [...places.values()].map(({ x, y, ...size }) => ({
          left: x - size.width / 2,
          right: x + size.width / 2,
          top: y - size.height / 2,
          bottom: y + size.height / 2,
        }));
        expect(boxes).toHaveLength(count);
        for (const [index, a] of boxes.entries()) {
          expect(Math.min(a.left, a.top, width - a.right, height - a.bottom)).toBeGreaterThan(-0.001);
          for (const b of boxes.slice(index + 1))
            expect(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top).toBe(true);
        }
      }),
    );
  });

  it("leads from left to right where it has no cycle", () => {
    const upward = fc.tuple(fc.nat(11), fc.nat(11)).filter(([from, to]) => from < to);
    fc.assert(
      fc.property(fc.array(upward, { maxLength: 30 }), (edges) => {
        const { places } = place(12, edges);
        for (const [from, to] of edges)
          expect(places.get(String(from))?.x).toBeLessThan(places.get(String(to))?.x ?? 0);
      }),
    );
  });

  it("leads out of a cycle to the right", () => {
    const { places } = place(4, [
      [0, 1],
      [1, 2],
      [2, 1],
      [2, 3],
    ]);
    const xs = ["0", "1", "2", "3"].map((key) => places.get(key)?.x ?? 0);
    expect([...xs].sort((a, b) => a - b)).toEqual(xs);
  });

  it("is placed in time however long its paths are", () => {
    const count = 20_000;
    const chain = Array.from({ length: count - 1 }, (_, at) => [at, at + 1] as const);
    const toTheEnd = Array.from({ length: count - 1 }, (_, at) => [at, count - 1] as const);
    expect(place(count, [...chain, ...toTheEnd]).places.size).toBe(count);
    expect(place(count, [...chain, [count - 1, 0]]).places.size).toBe(count);
  });

  it("is empty without nodes", () => {
    expect(place(0, [])).toMatchObject({ width: 0, height: 0 });
  });
});
