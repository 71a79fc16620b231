import type { Graph, GraphEdge } from "./graph.ts";

export type Direction = "outgoing" | "incoming";
export type EdgeFilter = (edge: GraphEdge) => boolean;

const everyEdge: EdgeFilter = () => true;
const far = (edge: GraphEdge, direction: Direction): string => (direction === "outgoing" ? edge.to : edge.from);

/** Objects next to this one over edges of these kinds, without repeats. */
export function neighbours(graph: Graph, objectId: string, direction: Direction, kinds: ReadonlySet<string>): string[] {
  const found = graph[direction](objectId).filter((edge) => kinds.has(edge.kind));
  return [...new Set(found.map((edge) => far(edge, direction)))];
}

/** Everything within so many hops over the edges that the filter lets through, without the start. */
export function within(
  graph: Graph,
  objectId: string,
  direction: Direction,
  hops: number,
  follow: EdgeFilter = everyEdge,
): Set<string> {
  const seen = new Set([objectId]);
  let frontier = [objectId];
  for (let hop = 0; hop < hops && frontier.length > 0; hop += 1) {
    const next: string[] = [];
    for (const edge of frontier.flatMap((current) => graph[direction](current))) {
      const other = far(edge, direction);
      if (seen.has(other) || !follow(edge)) continue;
      seen.add(other);
      next.push(other);
    }
    frontier = next;
  }
  seen.delete(objectId);
  return seen;
}

/** Everything that can be reached over the edges that the filter lets through, without the start. */
export function reachable(
  graph: Graph,
  objectId: string,
  direction: Direction,
  follow: EdgeFilter = everyEdge,
): Set<string> {
  return within(graph, objectId, direction, Infinity, follow);
}

/** `follow` for edges of these kinds. */
export const ofKinds =
  (...kinds: string[]): EdgeFilter =>
  (edge) =>
    kinds.includes(edge.kind);

/** Hops from the start to every object that is not farther away than `goal`. */
function distances(graph: Graph, start: string, goal: string, follow: EdgeFilter): Map<string, number> {
  const hops = new Map([[start, 0]]);
  let frontier = [start];
  for (let distance = 1; frontier.length > 0 && !hops.has(goal); distance += 1) {
    const next: string[] = [];
    for (const edge of frontier.flatMap((objectId) => graph.outgoing(objectId))) {
      if (hops.has(edge.to) || !follow(edge)) continue;
      hops.set(edge.to, distance);
      next.push(edge.to);
    }
    frontier = next;
  }
  return hops;
}

/** The edges of all shortest paths from start to end, merged; null when there is no path. */
export function shortestPaths(
  graph: Graph,
  start: string,
  end: string,
  follow: EdgeFilter = everyEdge,
): GraphEdge[] | null {
  if (start === end) return null;
  const hops = distances(graph, start, end, follow);
  if (!hops.has(end)) return null;
  const edges: GraphEdge[] = [];
  const seen = new Set([end]);
  const waiting = [end];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    const distance = hops.get(current) ?? 0;
    for (const edge of graph.incoming(current)) {
      if (hops.get(edge.from) !== distance - 1 || !follow(edge)) continue;
      edges.push(edge);
      if (seen.has(edge.from)) continue;
      seen.add(edge.from);
      waiting.push(edge.from);
    }
  }
  return edges;
}
