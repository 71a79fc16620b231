import type { Graph, GraphNode } from "../graph/graph.ts";
import { isTraversable } from "../graph/kinds.ts";
import { within, type Direction } from "../graph/walk.ts";

export interface Share {
  count: number;
  /** Of the objects of the environment, from 0 to 1. */
  percentage: number;
}

/** Hops that are counted: with more, nearly everything reaches everything, and no finding differs from another. */
const EXPOSURE_HOPS = 3;
const IMPACT_HOPS = 4;

/** How much of an environment can reach an object (exposure), and how much the object can reach (impact). */
export class Reach {
  readonly #graph: Graph;
  readonly #members: ReadonlySet<string>;
  readonly #known = new Map<string, Share>();

  constructor(graph: Graph, members: readonly GraphNode[]) {
    this.#graph = graph;
    this.#members = new Set(members.map((node) => node.objectId));
  }

  exposure(objectId: string): Share {
    return this.#share(objectId, "incoming", EXPOSURE_HOPS);
  }

  impact(objectId: string): Share {
    return this.#share(objectId, "outgoing", IMPACT_HOPS);
  }

  #share(objectId: string, direction: Direction, hops: number): Share {
    const key = `${direction} ${objectId}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const others = within(this.#graph, objectId, direction, hops, (edge) => isTraversable(edge.kind));
    const count = 1 + [...others].filter((other) => this.#members.has(other)).length;
    const share = { count, percentage: Math.min(1, Math.round((count / this.#members.size) * 10_000) / 10_000) };
    this.#known.set(key, share);
    return share;
  }
}
