import type { Graph, GraphNode } from "./graph.ts";
import { neighbours, ofKinds, reachable } from "./walk.ts";

/** A set of objects that stands in some relation to an object; counts are the sizes of such sets. */
export type Relation = (graph: Graph, objectId: string) => ReadonlySet<string>;

const MEMBERSHIP = ofKinds("MemberOf", "AZMemberOf");
const CONTAINMENT = ofKinds("Contains", "AZContains");

/** Groups that hold the object, over any number of groups. */
export const groupsOf: Relation = (graph, objectId) => reachable(graph, objectId, "outgoing", MEMBERSHIP);

/** Members of a group, over any number of groups. */
export const membersOf: Relation = (graph, objectId) => reachable(graph, objectId, "incoming", MEMBERSHIP);

/** Objects that the object, or a group that holds it, has an edge of these kinds to. */
export const outbound =
  (kinds: ReadonlySet<string>): Relation =>
  (graph, objectId) => {
    const holders = [objectId, ...groupsOf(graph, objectId)];
    const targets = new Set(holders.flatMap((holder) => neighbours(graph, holder, "outgoing", kinds)));
    targets.delete(objectId);
    return targets;
  };

/** Objects that have an edge of these kinds to the object, with the members of those that are groups. */
export const inbound =
  (kinds: ReadonlySet<string>): Relation =>
  (graph, objectId) => {
    const direct = neighbours(graph, objectId, "incoming", kinds);
    const sources = new Set(direct.flatMap((source) => [source, ...membersOf(graph, source)]));
    sources.delete(objectId);
    return sources;
  };

/** Objects at the other end of edges of these kinds. */
export const direct =
  (direction: "outgoing" | "incoming", ...kinds: string[]): Relation =>
  (graph, objectId) =>
    new Set(neighbours(graph, objectId, direction, new Set(kinds)));

/** Everything inside a container, over any number of containers. */
export const contents: Relation = (graph, objectId) => reachable(graph, objectId, "outgoing", CONTAINMENT);

/** Containers that the object is in. */
const containersOf: Relation = (graph, objectId) => reachable(graph, objectId, "incoming", CONTAINMENT);

/** Policies that are linked to the object or to a container that it is in. */
export const policiesOn: Relation = (graph, objectId) => {
  const places = [objectId, ...containersOf(graph, objectId)];
  return new Set(places.flatMap((place) => neighbours(graph, place, "incoming", new Set(["GPLink"]))));
};

/** What a policy is linked to, and everything inside. */
export const policyScope: Relation = (graph, objectId) => {
  const linked = neighbours(graph, objectId, "outgoing", new Set(["GPLink"]));
  return new Set(linked.flatMap((place) => [place, ...contents(graph, place)]));
};

/** Computers on which the object, or a member of it, has a session. */
export const sessionHosts: Relation = (graph, objectId) => {
  const users = [objectId, ...membersOf(graph, objectId)];
  return new Set(users.flatMap((user) => neighbours(graph, user, "incoming", new Set(["HasSession"]))));
};

/** The part of a relation whose objects fit. */
export const only =
  (relation: Relation, fits: (node: GraphNode) => boolean): Relation =>
  (graph, objectId) =>
    new Set(
      [...relation(graph, objectId)].filter((other) => {
        const node = graph.get(other);
        return node !== undefined && fits(node);
      }),
    );

export const ofKind =
  (...kinds: string[]): ((node: GraphNode) => boolean) =>
  (node) =>
    kinds.includes(node.kind);
