import type { PathGraph } from "../service/resources/paths.records.ts";

/** One edge of a walk, by the node keys of the graph. */
export interface Step {
  from: string;
  relation: string;
  to: string;
}

/** The object id of a node; the key stands in for it where the service left it out. */
export function objectIdOf(graph: PathGraph, key: string): string {
  return graph.nodes.get(key)?.objectId ?? key;
}

/**
 * One shortest walk along the edges from one object to another. The service merges all shortest paths into one graph, so
 * the length is found by walking. Among several walks, the one whose objects and relations sort first by code point is
 * chosen, so that the same graph always gives the same result.
 *
 * @returns the steps, none when both are one object; null when the graph does not connect them
 */
export function shortestWalk(graph: PathGraph, startId: string, endId: string): Step[] | null {
  const start = findNode(graph, startId);
  const end = findNode(graph, endId);
  if (start === undefined || end === undefined) return null;
  const steps = stepsByOrigin(graph);
  const arrivals = new Map<string, Step | null>([[start, null]]);
  for (const key of arrivals.keys()) {
    if (key === end) return trace(arrivals, end);
    for (const step of steps.get(key) ?? []) if (!arrivals.has(step.to)) arrivals.set(step.to, step);
  }
  return null;
}

/** Object ids compare exactly; only where none fits, without letter case. */
function findNode({ nodes }: PathGraph, objectId: string): string | undefined {
  const fits = (same: (id: string) => boolean): string | undefined =>
    [...nodes].find(([key, node]) => same(node.objectId ?? key))?.[0];
  return fits((id) => id === objectId) ?? fits((id) => id.toUpperCase() === objectId.toUpperCase());
}

function stepsByOrigin(graph: PathGraph): Map<string, Step[]> {
  const steps = graph.edges
    .flatMap(({ source, target, kind, label }) =>
      source !== undefined && target !== undefined ? [{ from: source, relation: kind ?? label ?? "", to: target }] : [],
    )
    .map((step) => ({ step, order: `${objectIdOf(graph, step.to)}\u0000${step.relation}` }))
    .sort((a, b) => (a.order < b.order ? -1 : Number(a.order > b.order)));
  const byOrigin = new Map<string, Step[]>();
  for (const { step } of steps) {
    const known = byOrigin.get(step.from);
    if (known) known.push(step);
    else byOrigin.set(step.from, [step]);
  }
  return byOrigin;
}

function trace(arrivals: ReadonlyMap<string, Step | null>, end: string): Step[] {
  const walk: Step[] = [];
  for (let step = arrivals.get(end); step; step = arrivals.get(step.from)) walk.unshift(step);
  return walk;
}
