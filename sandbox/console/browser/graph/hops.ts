import type { GraphNode, GraphView } from "../../contract/index.ts";
import { type Arrow, arrowsOf } from "./arrows.ts";

/** An arrow with its two ends. */
export interface Hop {
  from: GraphNode;
  to: GraphNode;
  relations: string[];
}

/** A graph as lists: the hops of the shortest path in their order, and all other arrows. */
export function hopsOf(graph: GraphView): { main: Hop[]; others: Hop[] } {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const hop = ({ from, to, relations }: Arrow): Hop[] => {
    const [start, end] = [nodes.get(from), nodes.get(to)];
    return start === undefined || end === undefined ? [] : [{ from: start, to: end, relations }];
  };
  const arrows = arrowsOf(graph);
  return {
    main: arrows
      .filter(({ main }) => main)
      .flatMap(hop)
      .sort((a, b) => (a.from.place ?? 0) - (b.from.place ?? 0)),
    others: arrows.filter(({ main }) => !main).flatMap(hop),
  };
}

/** Without the arrows beside the shortest path, and without what only they lead to. */
export function shortestOnly({ nodes, edges }: GraphView): GraphView {
  return { nodes: nodes.filter(({ place }) => place !== null), edges: edges.filter(({ main }) => main) };
}

/** At most so many objects, those with the most edges, and the edges between them. */
export function busiest({ nodes, edges }: GraphView, most: number): GraphView {
  const degrees = new Map<string, number>();
  for (const { from, to } of edges) for (const id of [from, to]) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  const degree = ({ id }: GraphNode) => degrees.get(id) ?? 0;
  const kept = new Set([...nodes].sort((a, b) => degree(b) - degree(a)).slice(0, most));
  const ids = new Set([...kept].map(({ id }) => id));
  return {
    nodes: nodes.filter((node) => kept.has(node)),
    edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
  };
}
