import type { PathEntry } from "../paths/path-entry.ts";

type Hop = PathEntry["hops"][number];
type Node = Hop["from"];

/** An edge between two objects whose ids are known. */
export interface KnownEdge {
  key: string;
  edge: Hop;
  /** Keys of both ends. */
  from: string;
  to: string;
}

/** The part of the service's graph that the shortest paths of some findings show, all of them together. */
export class KnownGraph {
  readonly #leaving = new Map<string, KnownEdge[]>();
  readonly #edges = new Map<string, KnownEdge>();
  readonly #objects = new Map<string, Node>();

  /** The edges in the order in which they are given. An edge with an object that the service does not name is left out. */
  add(hops: readonly Hop[]): KnownEdge[] {
    return hops.flatMap((edge) => {
      const [from, to] = [edge.from.objectId, edge.to.objectId];
      if (from === null || to === null) return [];
      const key = JSON.stringify([from, edge.relation, to]);
      const known = this.#edges.get(key) ?? { key, edge, from, to };
      if (!this.#edges.has(key)) this.#connect(known);
      return [known];
    });
  }

  edge(key: string): KnownEdge | undefined {
    return this.#edges.get(key);
  }

  object(objectId: string): Node | undefined {
    return this.#objects.get(objectId);
  }

  leaving(objectId: string): readonly KnownEdge[] {
    return this.#leaving.get(objectId) ?? [];
  }

  #connect(known: KnownEdge): void {
    this.#edges.set(known.key, known);
    this.#objects.set(known.from, known.edge.from);
    this.#objects.set(known.to, known.edge.to);
    const leaving = this.#leaving.get(known.from);
    if (leaving) leaving.push(known);
    else this.#leaving.set(known.from, [known]);
  }
}

/** Where one path can be cut: what every way from its start to its end leads through, as far as the graph is known. */
export interface CutPlaces {
  /** Keys of edges. */
  edges: string[];
  /** Object ids, without the two ends. */
  objects: string[];
}

/**
 * Visits each edge of the graph at most once. A cut lies on every path, so it lies on the given one, too. An edge or an object of
 * that path is not a cut when a detour leaves the path before it and returns behind it.
 */
export function cutPlaces(graph: KnownGraph, path: readonly KnownEdge[]): CutPlaces {
  const places: CutPlaces = { edges: [], objects: [] };
  const start = path[0]?.from;
  if (start === undefined) return places;
  const positions = new Map([start, ...path.map(({ to }) => to)].map((objectId, index) => [objectId, index]));
  const onPath = new Set(path.map(({ key }) => key));
  const seen = new Set<string>();
  let farthest = 0;
  for (const [index, step] of path.entries()) {
    const waiting = [step.from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const { key, to } of graph.leaving(at)) {
        const position = positions.get(to);
        if (position !== undefined && !onPath.has(key)) farthest = Math.max(farthest, position);
        if (position !== undefined || seen.has(to)) continue;
        seen.add(to);
        waiting.push(to);
      }
    }
    if (farthest <= index) places.edges.push(step.key);
    farthest = Math.max(farthest, index + 1);
    if (farthest === index + 1 && index < path.length - 1) places.objects.push(step.to);
  }
  return places;
}
