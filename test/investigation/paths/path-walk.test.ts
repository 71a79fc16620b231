import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { identityOf, shortestWalk, type WalkStep } from "../../../src/investigation/paths/path-walk.ts";
import type { PathGraph } from "../../../src/service/resources/paths.records.ts";
import { graphOf } from "../../support/fake-service.ts";

function walkIds(graph: PathGraph, start: string, end: string): string[] | null {
  const walk = shortestWalk(graph, start, end);
  return walk && walk.steps.map(named(graph));
}

function named(graph: PathGraph) {
  return ({ from, relation, to }: WalkStep): string =>
    `${identityOf(graph, from)}>${identityOf(graph, to)}:${relation}`;
}

/** Length of a shortest walk by trying every walk of each length in turn. */
function bruteForceLength(edges: readonly (readonly [number, number])[], start: number, end: number): number | null {
  let reached = new Set([start]);
  for (let length = 0; length <= 12; length++) {
    if (reached.has(end)) return length;
    reached = new Set(edges.filter(([from]) => reached.has(from)).map(([, to]) => to));
  }
  return null;
}

describe("shortestWalk", () => {
  it("follows the edges from the start to the end", () => {
    const graph = graphOf("A>B:MemberOf", "B>C:AdminTo");
    expect(walkIds(graph, "A", "C")).toEqual(["A>B:MemberOf", "B>C:AdminTo"]);
  });

  it("names a relationship by its label where its kind is empty", () => {
    const { nodes, edges } = graphOf("A>B");
    expect(walkIds({ nodes, edges: [{ ...edges[0]!, kind: "", label: "AdminTo" }] }, "A", "B")).toEqual([
      "A>B:AdminTo",
    ]);
  });

  it("does not walk against the direction of an edge", () => {
    expect(shortestWalk(graphOf("B>A"), "A", "B")).toBeNull();
  });

  it("has no steps from an object to itself", () => {
    expect(shortestWalk(graphOf("A>B"), "A", "A")).toEqual({ steps: [], others: [] });
  });

  it("is null when an end is not in the graph", () => {
    expect(shortestWalk(graphOf("A>B"), "A", "X")).toBeNull();
    expect(shortestWalk({ nodes: new Map(), edges: [] }, "A", "B")).toBeNull();
  });

  it("finds an end without letter case only when none has exactly that id", () => {
    expect(walkIds(graphOf("a>B", "A>C"), "A", "C")).toEqual(["A>C:MemberOf"]);
    expect(walkIds(graphOf("a>B"), "A", "b")).toEqual(["a>B:MemberOf"]);
    expect(walkIds(graphOf("straße>B"), "strasse", "B")).toBeNull();
  });

  it("takes the node's key where the service left the object id out", () => {
    const graph: PathGraph = {
      nodes: new Map([
        ["A", {}],
        ["B", {}],
      ]),
      edges: [{ source: "A", target: "B", label: "Owns" }],
    };
    expect(walkIds(graph, "A", "B")).toEqual(["A>B:Owns"]);
  });

  it("gives the same walk in whatever order the service sends the graph", () => {
    const edges = ["A>C:X", "A>B:Y", "A>B:X", "B>D:X", "C>D:X"];
    fc.assert(
      fc.property(fc.shuffledSubarray(edges, { minLength: edges.length }), (order) => {
        expect(walkIds(graphOf(...order), "A", "D")).toEqual(["A>B:X", "B>D:X"]);
      }),
    );
  });

  it("gives the edges of the other shortest paths by hop, and leaves out those of longer ones and of dead ends", () => {
    const graph = graphOf("A>B:X", "A>B:Y", "A>C:X", "B>D:X", "C>D:X", "A>E:X", "E>F:X", "F>D:X", "D>A:X");
    const walk = shortestWalk(graph, "A", "D");
    expect(walk?.steps.map(named(graph))).toEqual(["A>B:X", "B>D:X"]);
    expect(walk?.others.map((step) => `${step.hop} ${named(graph)(step)}`)).toEqual(["1 A>B:Y", "1 A>C:X", "2 C>D:X"]);
  });

  it("is found in time along as many hops as the service likes, with as many edges beside them", () => {
    const hops = 40_000;
    const edges = Array.from({ length: hops }, (_, at) => ({ source: `${at}`, target: `${at + 1}`, kind: "Edge" }));
    const back = edges.map(({ source, target }) => ({ source: target, target: source, kind: "Back" }));
    const nodes = new Map(Array.from({ length: hops + 1 }, (_, at) => [`${at}`, { objectId: `O${at}` }]));
    const walk = shortestWalk({ nodes, edges: [...edges, ...back] }, "O0", `O${hops}`);
    expect([walk?.steps.length, walk?.others.length]).toEqual([hops, 0]);
  });

  it("is connected, and no walk is shorter, in any graph", () => {
    const node = fc.nat(9);
    fc.assert(
      fc.property(fc.array(fc.tuple(node, node), { maxLength: 30 }), node, node, (edges, start, end) => {
        const graph: PathGraph = {
          nodes: new Map(Array.from({ length: 10 }, (_, key) => [`k${key}`, { objectId: `O${key}` }])),
          edges: edges.map(([from, to]) => ({ source: `k${from}`, target: `k${to}`, kind: "Edge" })),
        };
        const walk = shortestWalk(graph, `O${start}`, `O${end}`)?.steps;
        expect(walk?.length ?? null).toBe(bruteForceLength(edges, start, end));
        for (const [index, step] of (walk ?? []).entries()) {
          expect(step.from).toBe(index === 0 ? `k${start}` : walk?.[index - 1]?.to);
          expect(edges).toContainEqual([Number(step.from.slice(1)), Number(step.to.slice(1))]);
        }
        if (walk && walk.length > 0) expect(walk.at(-1)?.to).toBe(`k${end}`);
      }),
    );
  });
});
