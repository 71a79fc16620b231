import type { WireProperties } from "../wire.ts";

export interface GraphNode {
  /** Unique in the tenant: a SID, a GUID, or a name-prefixed SID of a well-known group. */
  objectId: string;
  /** The most specific kind, such as User or AZGroup. */
  kind: string;
  /** All kinds, the base kind (Base or AZBase) first. */
  kinds: string[];
  name: string;
  environmentId: string;
  tierZero: boolean;
  props: WireProperties;
}

export interface GraphEdge {
  from: string;
  to: string;
  /** For example MemberOf or GenericAll. */
  kind: string;
}

/** A directed graph of directory objects. Parallel edges of different kinds are allowed, equal edges are one. */
export class Graph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #outgoing = new Map<string, GraphEdge[]>();
  readonly #incoming = new Map<string, GraphEdge[]>();
  readonly #edges: GraphEdge[] = [];
  /** Environments whose objects the service no longer knows. */
  readonly #forgotten = new Set<string>();

  add(node: GraphNode): GraphNode {
    if (this.#nodes.has(node.objectId)) throw new Error(`There are two objects with the id ${node.objectId}.`);
    this.#nodes.set(node.objectId, node);
    this.#outgoing.set(node.objectId, []);
    this.#incoming.set(node.objectId, []);
    return node;
  }

  connect(from: string, kind: string, to: string): void {
    const outgoing = this.#outgoing.get(from);
    const incoming = this.#incoming.get(to);
    if (outgoing === undefined || incoming === undefined)
      throw new Error(`An end of ${from} ${kind} ${to} is missing.`);
    if (from === to || outgoing.some((edge) => edge.to === to && edge.kind === kind)) return;
    const edge = { from, to, kind };
    outgoing.push(edge);
    incoming.push(edge);
    this.#edges.push(edge);
  }

  /** Removes every edge from one object to another, and returns them. */
  disconnect(from: string, to: string): GraphEdge[] {
    const removed = this.outgoing(from).filter((edge) => edge.to === to);
    for (const edges of [this.#outgoing.get(from), this.#incoming.get(to), this.#edges]) {
      edges?.splice(0, edges.length, ...edges.filter((edge) => !removed.includes(edge)));
    }
    return removed;
  }

  /** From now on, the objects of the environment are unknown. */
  forget(environmentId: string): void {
    this.#forgotten.add(environmentId);
  }

  isForgotten(environmentId: string): boolean {
    return this.#forgotten.has(environmentId);
  }

  get(objectId: string): GraphNode | undefined {
    const node = this.#nodes.get(objectId);
    return node === undefined || this.#forgotten.has(node.environmentId) ? undefined : node;
  }

  get nodes(): Iterable<GraphNode> {
    const nodes = this.#nodes.values();
    return this.#forgotten.size === 0
      ? nodes
      : [...nodes].filter(({ environmentId }) => !this.#forgotten.has(environmentId));
  }

  get edges(): readonly GraphEdge[] {
    return this.#edges;
  }

  outgoing(objectId: string): readonly GraphEdge[] {
    return this.#outgoing.get(objectId) ?? [];
  }

  incoming(objectId: string): readonly GraphEdge[] {
    return this.#incoming.get(objectId) ?? [];
  }
}
