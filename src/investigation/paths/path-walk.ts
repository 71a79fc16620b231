import type { PathGraph } from "../../service/resources/paths.records.ts";
import { isSameText } from "../../text.ts";

/** One edge of a walk, by the node keys of the graph. */
export interface WalkStep {
  from: string;
  relation: string;
  to: string;
}

/** Identifies a node: its object id, or its key if the service left that out. A key is not an object id. */
export function identityOf(graph: PathGraph, key: string): string {
  return graph.nodes.get(key)?.objectId ?? key;
}

/** One shortest path, and the edges of all others. */
export interface Walk {
  /** None when both ends are one object. */
  steps: WalkStep[];
  /** By hop, and within a hop by the object ids and relation. */
  others: OtherStep[];
}

/** An edge of another shortest path. */
export interface OtherStep extends WalkStep {
  /** Counted from 1. */
  hop: number;
}

/**
 * One shortest walk along the edges from one object to another, and the edges of the others. The service merges all
 * shortest paths into one graph, so the length is found by walking. Among several walks, the one whose objects and
 * relations sort first by code point is chosen, so that the same graph always gives the same result.
 *
 * @returns null when the graph does not connect them
 */
export function shortestWalk(graph: PathGraph, startId: string, endId: string): Walk | null {
  const start = findNode(graph, startId);
  const end = findNode(graph, endId);
  if (start === undefined || end === undefined) return null;
  const layers = layersBetween(start, end, sortedEdges(graph));
  if (layers === null) return null;
  const steps: WalkStep[] = [];
  let at = start;
  for (const layer of layers) {
    const step = layer.find(({ from }) => from === at);
    if (step === undefined) return null;
    steps.push(step);
    at = step.to;
  }
  const others = layers.flatMap((layer, index) =>
    layer.filter((step) => step !== steps[index]).map((step) => ({ hop: index + 1, ...step })),
  );
  return { steps, others };
}

/** The node with exactly this object id, else one whose id differs in letter case only. */
function findNode({ nodes }: PathGraph, objectId: string): string | undefined {
  const fits = (same: (id: string) => boolean): string | undefined =>
    [...nodes].find(([key, node]) => same(node.objectId ?? key))?.[0];
  return fits((id) => id === objectId) ?? fits((id) => isSameText(id, objectId));
}

/** By target and relation, then by origin; each edge once. */
function sortedEdges(graph: PathGraph): WalkStep[] {
  const byOrder = new Map<string, WalkStep>();
  for (const { source: from, target: to, kind, label } of graph.edges) {
    const relation = kind || label || "";
    const order = [identityOf(graph, to), relation, identityOf(graph, from), to, from].join("\u0000");
    byOrder.set(order, { from, relation, to });
  }
  return [...byOrder].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, step]) => step);
}

/**
 * The edges of all shortest paths, one list per hop, in the order of the edges; null when no path leads to the end. Looks at each
 * edge a fixed number of times, because the service decides how many hops a path has.
 */
function layersBetween(start: string, end: string, edges: readonly WalkStep[]): WalkStep[][] | null {
  const leaving = new Map<string, WalkStep[]>();
  for (const edge of edges) {
    const known = leaving.get(edge.from);
    if (known) known.push(edge);
    else leaving.set(edge.from, [edge]);
  }
  const hops = hopsFrom(start, leaving);
  const length = hops.get(end);
  if (length === undefined) return null;
  const layers: WalkStep[][] = Array.from({ length }, () => []);
  for (const edge of edges) {
    const hop = hops.get(edge.from);
    if (hop !== undefined && hop < length && hops.get(edge.to) === hop + 1) layers[hop]?.push(edge);
  }
  let targets = new Set([end]);
  for (let hop = length - 1; hop >= 0; hop -= 1) {
    const layer = (layers[hop] ?? []).filter(({ to }) => targets.has(to));
    layers[hop] = layer;
    targets = new Set(layer.map(({ from }) => from));
  }
  return layers;
}

/** Hops from the start to each node that can be reached. */
function hopsFrom(start: string, leaving: ReadonlyMap<string, readonly WalkStep[]>): Map<string, number> {
  const hops = new Map([[start, 0]]);
  for (const [key, hop] of hops) {
    for (const { to } of leaving.get(key) ?? []) if (!hops.has(to)) hops.set(to, hop + 1);
  }
  return hops;
}
