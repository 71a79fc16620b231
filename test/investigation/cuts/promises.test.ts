import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { deriveFindings } from "../../../sandbox/tenant/dataset/derive.ts";
import { Reach } from "../../../sandbox/tenant/dataset/reach.ts";
import { Graph, type GraphNode } from "../../../sandbox/tenant/graph/graph.ts";
import { reachable, shortestPaths } from "../../../sandbox/tenant/graph/walk.ts";
import { findCuts } from "../../../src/investigation/cuts/find-cuts.ts";
import type { OpenFinding } from "../../../src/investigation/cuts/open-findings.ts";
import { silent } from "../../../src/logger.ts";
import { directory, fakeService, object } from "../../support/fake-service.ts";

/*
 * The promise: without the edge, or the object, no more findings close than `closes` says. It is checked against the graph of the
 * simulated tenant itself: take the edge out, analyse again, and count what is gone.
 */

type Edge = readonly [from: number, kind: string, to: number];

const KINDS = ["GenericAll", "WriteDacl", "MemberOf", "Owns"];
const SIZE = 12;
const ENVIRONMENT = "S-1-5-21-1-2-3";
const idOf = (index: number): string => `${ENVIRONMENT}-${1100 + index}`;

function graphWith(
  edges: readonly Edge[],
  without: (edge: { from: string; kind: string; to: string }) => boolean = () => false,
): Graph {
  const graph = new Graph();
  for (let index = 0; index < SIZE; index += 1) {
    const objectId = idOf(index);
    const node: GraphNode = {
      objectId,
      kind: index % 2 === 0 ? "User" : "Group",
      kinds: ["Base"],
      name: `OBJECT${index}@A.TEST`,
      environmentId: ENVIRONMENT,
      tierZero: index >= SIZE - 3,
      props: { name: `OBJECT${index}@A.TEST`, objectid: objectId, enabled: true },
    };
    graph.add(node);
  }
  for (const [from, kind, to] of edges) {
    if (from !== to && !without({ from: idOf(from), kind, to: idOf(to) })) graph.connect(idOf(from), kind, idOf(to));
  }
  return graph;
}

/** The service in this process: its shortest paths are those of the simulated tenant. Hidden objects all have one id there. */
function serviceOf(graph: Graph, hidden: ReadonlySet<string> = new Set()) {
  const objects = directory([...graph.nodes].map(({ objectId, name }) => object(objectId, name)));
  const shortest = (start: string, end: string) => {
    const edges = shortestPaths(graph, start, end);
    if (edges === null) return Promise.resolve(null);
    const ids = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
    const nodes = new Map(
      ids.map((objectId) => [
        objectId,
        { objectId: hidden.has(objectId) ? "HIDDEN" : objectId, label: graph.get(objectId)!.name, kind: "User" },
      ]),
    );
    return Promise.resolve({ nodes, edges: edges.map(({ from, to, kind }) => ({ source: from, target: to, kind })) });
  };
  return fakeService({ objects, paths: { shortest } });
}

/** The findings that an analysis of the graph makes: each is one relationship into Tier Zero. */
function analysed(graph: Graph): OpenFinding[] {
  const nodes = [...graph.nodes];
  const drafts = deriveFindings({ graph, environmentId: ENVIRONMENT, nodes, reach: new Reach(graph, nodes) });
  return drafts.flatMap((draft) =>
    "FromPrincipal" in draft
      ? [
          {
            findingType: draft.Finding,
            source: draft.FromPrincipal,
            target: draft.ToPrincipal,
            severity: "high" as const,
          },
        ]
      : [],
  );
}

/** Findings whose source and target are far apart: from objects outside Tier Zero to each object in it that they reach. */
function distant(graph: Graph): OpenFinding[] {
  const nodes = [...graph.nodes];
  return nodes
    .filter(({ tierZero }) => !tierZero)
    .flatMap(({ objectId: source }) =>
      [...reachable(graph, source, "outgoing")]
        .filter((target) => graph.get(target)?.tierZero)
        .map((target) => ({ findingType: "Custom", source, target, severity: "low" as const })),
    );
}

const isOpen = (graph: Graph, { source, target }: OpenFinding): boolean =>
  reachable(graph, source, "outgoing").has(target);
const keyOf = ({ findingType, source, target }: OpenFinding): string => JSON.stringify([findingType, source, target]);

const edges = fc.array(fc.tuple(fc.nat(SIZE - 1), fc.constantFrom(...KINDS), fc.nat(SIZE - 1)), {
  minLength: 8,
  maxLength: 34,
});

describe("what a cut promises, on random graphs of the simulated tenant", () => {
  it("is never less than what closes when the edge is removed and the graph analysed again", async () => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(edges, async (drawn) => {
        const graph = graphWith(drawn);
        const findings = [...analysed(graph), ...distant(graph)];
        const { edges: cuts, findings: counted, leftOut, unknown } = await findCuts(serviceOf(graph), findings, silent);
        expect([counted, leftOut, unknown]).toEqual([findings.length, 0, 0]);
        for (const { from, kind, to } of graph.edges) {
          const without = graphWith(drawn, (edge) => edge.from === from && edge.kind === kind && edge.to === to);
          const still = new Set(analysed(without).map(keyOf));
          // A finding closes when an analysis no longer makes it, or when its path is gone.
          const closed = findings.filter((finding) =>
            finding.findingType === "Custom" ? !isOpen(without, finding) : !still.has(keyOf(finding)),
          );
          const cut = cuts.find(
            ({ edge }) => edge.from.objectId === from && edge.relation === kind && edge.to.objectId === to,
          );
          expect(cut?.closes ?? 0).toBeGreaterThanOrEqual(closed.length);
          if (cut !== undefined && cut.closes === closed.length) kept += 1;
        }
      }),
      { numRuns: 100 },
    );
    expect(kept).toBeGreaterThan(0);
  });

  it("is never less than what closes when an object is removed", async () => {
    await fc.assert(
      fc.asyncProperty(edges, async (drawn) => {
        const graph = graphWith(drawn);
        const findings = distant(graph);
        const { objects } = await findCuts(serviceOf(graph), findings, silent);
        for (const { objectId } of graph.nodes) {
          const without = graphWith(drawn, ({ from, to }) => from === objectId || to === objectId);
          const others = findings.filter(({ target }) => target !== objectId);
          const closed = others.filter((finding) => finding.source === objectId || !isOpen(without, finding));
          const cut = objects.find(({ object: each }) => each.objectId === objectId);
          expect(cut?.closes ?? 0).toBeGreaterThanOrEqual(closed.length);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("holds for what the token may see when other objects are hidden", async () => {
    const hidden = new Set([1, 4, 6].map(idOf));
    await fc.assert(
      fc.asyncProperty(edges, async (drawn) => {
        const graph = graphWith(drawn);
        const findings = distant(graph).filter(({ source }) => !hidden.has(source));
        const { edges: cuts, objects } = await findCuts(serviceOf(graph, hidden), findings, silent);
        const closedWithout = (isGone: (edge: { from: string; kind: string; to: string }) => boolean) => {
          const rest = graphWith(drawn, isGone);
          return findings.filter((finding) => !isOpen(rest, finding));
        };
        for (const { from, kind, to } of graph.edges) {
          if (hidden.has(from) || hidden.has(to)) continue;
          const closed = closedWithout((each) => each.from === from && each.kind === kind && each.to === to);
          const cut = cuts.find(
            ({ edge }) => edge.from.objectId === from && edge.relation === kind && edge.to.objectId === to,
          );
          expect(cut?.closes ?? 0).toBeGreaterThanOrEqual(closed.length);
        }
        for (const { objectId } of graph.nodes) {
          if (hidden.has(objectId)) continue;
          const closed = closedWithout(({ from, to }) => from === objectId || to === objectId);
          const cut = objects.find(({ object: each }) => each.objectId === objectId);
          expect(cut?.closes ?? 0).toBeGreaterThanOrEqual(closed.filter(({ target }) => target !== objectId).length);
        }
        const offered = [...cuts.flatMap(({ edge }) => [edge.from, edge.to]), ...objects.map((cut) => cut.object)];
        expect(offered.map(({ objectId }) => objectId)).not.toContain("HIDDEN");
      }),
      { numRuns: 100 },
    );
  });

  it("is exactly what closes in the graph that the shortest paths of all findings show", async () => {
    await fc.assert(
      fc.asyncProperty(edges, async (drawn) => {
        const graph = graphWith(drawn);
        // From any object, Tier Zero too. A direct edge can be the relationship of the finding itself.
        const findings = [...graph.nodes].flatMap(({ objectId: source }) =>
          [...reachable(graph, source, "outgoing")]
            .filter((target) => target !== source && !graph.outgoing(source).some(({ to }) => to === target))
            .map((target) => ({ findingType: "Custom", source, target, severity: "low" as const })),
        );
        const known = graphWith([]);
        for (const { source, target } of findings)
          for (const { from, kind, to } of shortestPaths(graph, source, target) ?? []) known.connect(from, kind, to);
        const { edges: cuts, objects } = await findCuts(serviceOf(graph), findings, silent);
        const closedWithout = (isGone: (edge: { from: string; kind: string; to: string }) => boolean) => {
          const rest = graphWith([]);
          for (const each of known.edges) if (!isGone(each)) rest.connect(each.from, each.kind, each.to);
          return findings.filter((finding) => !isOpen(rest, finding));
        };
        for (const { from, kind, to } of known.edges) {
          const closed = closedWithout((each) => each.from === from && each.kind === kind && each.to === to);
          const cut = cuts.find(
            ({ edge }) => edge.from.objectId === from && edge.relation === kind && edge.to.objectId === to,
          );
          expect(cut?.closes ?? 0).toBe(closed.length);
        }
        for (const { objectId } of graph.nodes) {
          const closed = closedWithout(({ from, to }) => from === objectId || to === objectId);
          const cut = objects.find(({ object: each }) => each.objectId === objectId);
          // Nobody removes a target.
          expect(cut?.closes ?? 0).toBe(closed.filter(({ target }) => target !== objectId).length);
        }
        const ranks = cuts.map(({ closes, through }) => closes * 1_000 + through);
        expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
      }),
      { numRuns: 50 },
    );
  });
});
