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
