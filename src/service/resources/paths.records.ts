/** A node of a shortest-path graph (BloodHound API, docs/openapi.json). */
export interface PathNode {
  objectId?: string;
  /** Name of the object. */
  label?: string;
  kind?: string;
  kinds?: string[];
  isTierZero?: boolean;
  isOwnedObject?: boolean;
  /** RFC 3339 date-time of the collection that saw the object last. */
  lastSeen?: string;
  properties?: Record<string, unknown>;
}

/** The service gives this id to every object that the token may not see (BloodHound, server code). */
export const HIDDEN_ID = "HIDDEN";

export function isHidden({ objectId }: { readonly objectId?: string | null }): boolean {
  return objectId === HIDDEN_ID;
}

/** An edge of a shortest-path graph on the wire. */
export interface WirePathEdge {
  source?: string;
  target?: string;
  label?: string;
  /** Kind of the relationship, such as MemberOf. */
  kind?: string;
  lastSeen?: string;
  properties?: Record<string, unknown>;
}

export interface WirePathGraph {
  nodes?: Record<string, PathNode>;
  edges?: WirePathEdge[];
}

/** An edge of a shortest-path graph; `source` and `target` are keys of the nodes map. */
export type PathEdge = WirePathEdge & Required<Pick<WirePathEdge, "source" | "target">>;

/**
 * All shortest paths between two objects, merged into one graph; node keys are the service's internal ids. Edges that lack an end,
 * which no path can use, are left out.
 */
export interface PathGraph {
  nodes: ReadonlyMap<string, PathNode>;
  edges: readonly PathEdge[];
}
