import type { GraphEdge, GraphView } from "../../contract/index.ts";

/** All edges between two objects in one direction, drawn as one arrow. */
export interface Arrow {
  from: string;
  to: string;
  /** Each relation once, in the order of the edges. */
  relations: string[];
  /** On the shortest path. */
  main: boolean;
}

/** Edges whose two ends are in the graph, as arrows; the shortest path comes first. */
export function arrowsOf({ nodes, edges }: GraphView): Arrow[] {
  const known = new Set(nodes.map(({ id }) => id));
  const arrows = new Map<string, Arrow>();
  for (const edge of edges) {
    if (!known.has(edge.from) || !known.has(edge.to)) continue;
    const key = JSON.stringify([edge.from, edge.to]);
    const arrow = arrows.get(key);
    if (arrow === undefined) arrows.set(key, arrowOf(edge));
    else join(arrow, edge);
  }
  const all = [...arrows.values()];
  return [...all.filter(({ main }) => main), ...all.filter(({ main }) => !main)];
}

function arrowOf({ from, to, relation, main }: GraphEdge): Arrow {
  return { from, to, relations: [relation], main };
}

/** The relation of the shortest path stands first. */
function join(arrow: Arrow, { relation, main }: GraphEdge): void {
  const others = arrow.relations.filter((other) => other !== relation);
  if (main && !arrow.main) arrow.relations = [relation, ...others];
  else if (others.length === arrow.relations.length) arrow.relations.push(relation);
  arrow.main ||= main;
}
