import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import { CATALOGUE, type EdgeSource, type PrincipalSource } from "./catalogue.ts";
import { listDraft, relationshipDraft, type Draft } from "./draft.ts";
import type { Random } from "./random.ts";
import type { Reach } from "./reach.ts";

const DEFAULT_GROUPS = ["DOMAIN USERS@", "DOMAIN COMPUTERS@", "AUTHENTICATED USERS@", "EVERYONE@"];
const isDefaultGroup = (node: GraphNode): boolean => DEFAULT_GROUPS.some((prefix) => node.name.startsWith(prefix));

/** One environment of a graph, as findings are made from it. */
export interface Ground {
  graph: Graph;
  environmentId: string;
  nodes: readonly GraphNode[];
  reach: Reach;
}

/** Every finding that the catalogue sees in an environment. */
export function deriveFindings(ground: Ground): Draft[] {
  return [...CATALOGUE.values()].flatMap((type) =>
    type.source.form === "list"
      ? principalsOf(ground, type.source).map((node) => ofPrincipal(ground, type.name, node))
      : edgesOf(ground, type.source).map((edge) => ofEdge(ground, type.name, edge)),
  );
}

function edgesOf({ graph, nodes }: Ground, source: EdgeSource): GraphEdge[] {
  const incoming = nodes.flatMap((node) => graph.incoming(node.objectId));
  return incoming.filter((edge) => {
    const from = graph.get(edge.from);
    const to = graph.get(edge.to);
    return edge.kind === source.edge && from && to && fitsFrom(source, from) && fitsTo(source, to);
  });
}

function fitsFrom({ from }: EdgeSource, node: GraphNode): boolean {
  if (from === "default-group") return isDefaultGroup(node);
  return from === "any" || !node.tierZero;
}

function fitsTo({ to }: EdgeSource, node: GraphNode): boolean {
  if (to === "tier-zero") return node.tierZero;
  return to === "any" || node.props.unconstraineddelegation === true;
}

function principalsOf({ nodes }: Ground, source: PrincipalSource): GraphNode[] {
  return nodes.filter(
    (node) =>
      node.kind === source.kind &&
      node.props[source.property] === source.value &&
      node.props.enabled === true &&
      (node.tierZero || !source.tierZeroOnly),
  );
}

function ofEdge(ground: Ground, findingType: string, edge: GraphEdge): Draft {
  const { graph, environmentId, reach } = ground;
  const from = graph.get(edge.from);
  const to = graph.get(edge.to);
  if (from === undefined || to === undefined)
    throw new Error(`An end of ${edge.from} ${edge.kind} ${edge.to} is missing.`);
  const shares = { exposure: reach.exposure(edge.from), impact: reach.impact(edge.to) };
  return relationshipDraft(findingType, environmentId, edge, { from, to }, shares);
}

function ofPrincipal(ground: Ground, findingType: string, node: GraphNode): Draft {
  return listDraft(findingType, ground.environmentId, node, ground.reach.impact(node.objectId));
}

/**
 * A finding that was not there before: the graph gets the edge, or the principal the property, that the finding is
 * about. A finding type that the catalogue does not know is taken for one about GenericAll.
 */
export function makeFinding(ground: Ground, findingType: string, random: Random): Draft {
  const source = CATALOGUE.get(findingType)?.source ?? {
    form: "relationship",
    edge: "GenericAll",
    from: "any",
    to: "any",
  };
  if (source.form === "list") {
    const node = pickFrom(
      ground.nodes,
      random,
      (candidate) => candidate.kind === source.kind && (candidate.tierZero || !source.tierZeroOnly),
    );
    node.props[source.property] = source.value;
    return ofPrincipal(ground, findingType, node);
  }
  const from = pickFrom(ground.nodes, random, (node) => isPrincipal(node) && fitsFrom(source, node));
  const to = pickFrom(ground.nodes, random, (node) => node !== from && fitsTo(source, node));
  ground.graph.connect(from.objectId, source.edge, to.objectId);
  return ofEdge(ground, findingType, { from: from.objectId, kind: source.edge, to: to.objectId });
}

const PRINCIPAL_KINDS = new Set(["User", "Group", "Computer", "AZUser", "AZGroup", "AZServicePrincipal"]);
const isPrincipal = (node: GraphNode): boolean => PRINCIPAL_KINDS.has(node.kind);

/** A fitting object, or any when none fits. */
function pickFrom(nodes: readonly GraphNode[], random: Random, fits: (node: GraphNode) => boolean): GraphNode {
  const fitting = nodes.filter(fits);
  return random.pick(fitting.length > 0 ? fitting : nodes);
}
