import type { PathGraph } from "../service/resources/paths.records.ts";

/** One edge of a walk, by the node keys of the graph. */
export interface WalkStep {
  from: string;
  relation: string;
  to: string;
}

/** The object id of a node; the key stands in for it where the service left it out. */
export function objectIdOf(graph: PathGraph, key: string): string {
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
  const edges = sortedEdges(graph);
  const distances = distancesFrom(start, end, edges);
  if (!distances.has(end)) return null;
  const layers = layersTo(end, distances, edges);
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

/** Object ids compare exactly; only where none fits, without letter case. */
function findNode({ nodes }: PathGraph, objectId: string): string | undefined {
  const fits = (same: (id: string) => boolean): string | undefined =>
    [...nodes].find(([key, node]) => same(node.objectId ?? key))?.[0];
  return fits((id) => id === objectId) ?? fits((id) => id.toUpperCase() === objectId.toUpperCase());
}

/** By target and relation, then by origin; each edge once. */
function sortedEdges(graph: PathGraph): WalkStep[] {
  const byOrder = new Map<string, WalkStep>();
  for (const { source: from, target: to, kind, label } of graph.edges) {
    if (from === undefined || to === undefined) continue;
    const relation = kind ?? label ?? "";
    const order = [objectIdOf(graph, to), relation, objectIdOf(graph, from), to, from].join("\u0000");
    byOrder.set(order, { from, relation, to });
  }
  return [...byOrder].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, step]) => step);
}

/** Hops from the start to each node that is not farther away than the end. */
function distancesFrom(start: string, end: string, edges: readonly WalkStep[]): Map<string, number> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const known = targets.get(from);
    if (known) known.push(to);
    else targets.set(from, [to]);
  }
  const distances = new Map([[start, 0]]);
  for (const [key, distance] of distances) {
    if (key === end) break;
    for (const to of targets.get(key) ?? []) if (!distances.has(to)) distances.set(to, distance + 1);
  }
  return distances;
}

/** The edges of all shortest paths, one list per hop. */
function layersTo(end: string, distances: ReadonlyMap<string, number>, edges: readonly WalkStep[]): WalkStep[][] {
  const layers: WalkStep[][] = [];
  let targets = new Set([end]);
  for (let hop = distances.get(end) ?? 0; hop > 0; hop -= 1) {
    const layer = edges.filter(({ from, to }) => targets.has(to) && distances.get(from) === hop - 1);
    layers.unshift(layer);
    targets = new Set(layer.map(({ from }) => from));
  }
  return layers;
}
