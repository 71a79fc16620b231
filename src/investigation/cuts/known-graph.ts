import { HIDDEN_ID, isHidden } from "../../service/resources/paths.records.ts";
import type { PathEntry } from "../paths/path-entry.ts";

type Hop = PathEntry["hops"][number];
type Node = Hop["from"];

/** An edge between two objects that can be distinguished from others. */
export interface KnownEdge {
  key: string;
  edge: Hop;
  /** Keys of both ends. */
  from: string;
  to: string;
}

/**
 * The part of the service's graph that the shortest paths of some findings show, all of them together. A hidden object of one path may
 * be that of another path or not, so edges of hidden objects are no part of it.
 */
export class KnownGraph {
  readonly #leaving = new Map<string, KnownEdge[]>();
  readonly #edges = new Map<string, KnownEdge>();
  readonly #objects = new Map<string, Node>();

  /**
   * The edges in the order in which they are given. An edge with an object that the service does not name, or hides, is left out.
   *
   * @param areWays - false for edges that give no control: no path leads over them
   */
  add(hops: readonly Hop[], areWays = true): KnownEdge[] {
    return this.#addAll(
      hops.filter(({ from, to }) => !isHidden(from) && !isHidden(to)),
      areWays,
    );
  }

  /** The same for the hops of one path, with those of its hidden objects. These are not kept. */
  addPath(hops: readonly Hop[], areWays = true): KnownEdge[] {
    return this.#addAll(hops, areWays);
  }

  /** Undefined for one of a hidden object. */
  edge(key: string): KnownEdge | undefined {
    return this.#edges.get(key);
  }

  /** Undefined for a hidden one. */
  object(objectId: string): Node | undefined {
    return this.#objects.get(objectId);
  }

  leaving(objectId: string): readonly KnownEdge[] {
    return this.#leaving.get(objectId) ?? [];
  }

  /** The position tells the hidden objects of a path apart. */
  #addAll(hops: readonly Hop[], areWays: boolean): KnownEdge[] {
    return hops.flatMap((edge, index) => {
      const [from, to] = [keyOf(edge.from, index), keyOf(edge.to, index + 1)];
      if (from === null || to === null) return [];
      const key = JSON.stringify([from, edge.relation, to]);
      const known = this.#edges.get(key) ?? { key, edge, from, to };
      if (!this.#edges.has(key)) this.#connect(known, areWays);
      return [known];
    });
  }

  #connect(known: KnownEdge, isWay: boolean): void {
    const ends = [known.edge.from, known.edge.to];
    for (const end of ends) if (end.objectId !== null && !isHidden(end)) this.#objects.set(end.objectId, end);
    if (ends.some(isHidden)) return;
    this.#edges.set(known.key, known);
    if (!isWay) return;
    const leaving = this.#leaving.get(known.from);
    if (leaving) leaving.push(known);
    else this.#leaving.set(known.from, [known]);
  }
}

function keyOf(node: Node, position: number): string | null {
  return isHidden(node) ? `${HIDDEN_ID} ${position}` : node.objectId;
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
