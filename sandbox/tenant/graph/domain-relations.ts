import type { Graph, GraphNode } from "./graph.ts";
import { DIRECTORY_CONTROL } from "./kinds.ts";
import { inbound, type Relation } from "./relations.ts";
import { neighbours } from "./walk.ts";

const ADMIN = new Set(["AdminTo"]);
const MEMBER = new Set(["MemberOf"]);

function objectsOf(graph: Graph, environmentId: string, kind: string): GraphNode[] {
  return [...graph.nodes].filter((node) => node.environmentId === environmentId && node.kind === kind);
}

const isForeign = (graph: Graph, objectId: string, environmentId: string): boolean =>
  graph.get(objectId)?.environmentId !== environmentId;

/** Objects of a kind that belong to the domain. */
export const domainObjects =
  (kind: string): Relation =>
  (graph, domainId) =>
    new Set(objectsOf(graph, domainId, kind).map((node) => node.objectId));

/** Objects of other domains, of a kind, that are direct members of a group of the domain. */
export const foreignMembers =
  (kind: string): Relation =>
  (graph, domainId) => {
    const members = objectsOf(graph, domainId, "Group").flatMap((group) =>
      neighbours(graph, group.objectId, "incoming", MEMBER),
    );
    return new Set(members.filter((id) => isForeign(graph, id, domainId) && graph.get(id)?.kind === kind));
  };

/** Objects of other domains that `edges` give a hold on the domain's objects of a kind. */
const foreignHolders =
  (kind: string, edges: ReadonlySet<string>): Relation =>
  (graph, domainId) => {
    const holders = objectsOf(graph, domainId, kind).flatMap((node) => [...inbound(edges)(graph, node.objectId)]);
    return new Set(holders.filter((id) => isForeign(graph, id, domainId)));
  };

export const foreignAdmins = foreignHolders("Computer", ADMIN);
export const foreignPolicyControllers = foreignHolders("GPO", DIRECTORY_CONTROL);
