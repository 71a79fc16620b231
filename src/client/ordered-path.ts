import { shortestWalk } from "../investigation/paths/path-walk.ts";
import type { PathGraph, PathNode } from "../service/resources/paths.records.ts";

/** An object of an ordered path. What the service does not say is null. */
export interface PathObject {
  readonly objectId: string | null;
  readonly name: string | null;
  readonly kind: string | null;
  readonly tierZero: boolean | null;
}

/** One edge of an ordered path. */
export interface PathHop {
  readonly from: PathObject;
  /** Kind of the relationship, such as MemberOf. */
  readonly relation: string;
  readonly to: PathObject;
}

/**
 * One shortest path from one object to another, hop by hop. A graph merges all shortest paths; the same graph always gives the
 * same one of them. There are no hops from an object to itself.
 *
 * @param graph - what `shortestPath` resolves with
 * @returns null when the graph does not connect the two objects
 */
export function orderedPath(graph: PathGraph, startId: string, endId: string): PathHop[] | null {
  const walk = shortestWalk(graph, startId, endId);
  if (walk === null) return null;
  const object = (key: string): PathObject => objectOf(graph.nodes.get(key) ?? {});
  return walk.steps.map(({ from, relation, to }) => ({ from: object(from), relation, to: object(to) }));
}

function objectOf({ objectId, label, kind, isTierZero }: PathNode): PathObject {
  return { objectId: objectId ?? null, name: label ?? null, kind: kind ?? null, tierZero: isTierZero ?? null };
}
