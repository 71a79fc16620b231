import { dataAnswer, jsonAnswer, Refusal, type Answer } from "../answer.ts";
import type { Exchange, Handler, Route } from "../exchange.ts";
import type { Graph, GraphNode } from "../graph/graph.ts";
import { BAD_FILTERS, parseCount, parseFlag } from "../query.ts";
import { AZURE_KINDS, RELATED } from "./azure-kinds.ts";

const DEFAULT_LIMIT = 100;

const azureEntity: Handler = (exchange) => {
  const { parameters, query, data } = exchange;
  const objectId = query.get("object_id") ?? "";
  if (objectId === "") throw new Refusal(400, "query parameter object_id is required");
  const known = AZURE_KINDS[parameters.entity_type ?? ""];
  if (known === undefined) throw new Refusal(400, BAD_FILTERS);
  const node = data.graph.get(objectId);
  const related = query.get("related_entity_type") ?? "";
  if (related !== "") return relatedEntities(exchange, node, related);
  const hydrate = parseFlag(query, "counts", true);
  if (node?.kinds.includes(known.kind) !== true) throw new Refusal(404, "not found");
  return dataAnswer({ ...azureNode(node), ...(hydrate ? known.counts(data.graph, objectId) : {}) });
};

function azureNode(node: GraphNode) {
  const { kind, kinds, tierZero, props } = node;
  return { kind, kinds, isTierZero: tierZero, isOwnedObject: false, props };
}

function relatedEntities({ query, data }: Exchange, node: GraphNode | undefined, related: string): Answer {
  const form = query.get("type") ?? "list";
  if (form !== "list" && form !== "graph") {
    throw new Refusal(400, `query parameter "type" is malformed: invalid return type requested for related entities`);
  }
  const skip = parseCount(query, "skip", 0);
  const limit = parseCount(query, "limit", DEFAULT_LIMIT);
  const relation = RELATED.get(related);
  if (relation === undefined) throw new Refusal(404, `no matching related entity list type for ${related}`);
  if (node === undefined) throw new Refusal(404, "not found");
  const found = [...relation(data.graph, node.objectId)]
    .flatMap((objectId) => data.graph.get(objectId) ?? [])
    .reverse();
  if (form === "graph") return jsonAnswer(relatedGraph(data.graph, [node, ...found]));
  if (skip > found.length) throw new Refusal(400, `invalid skip: ${skip}`);
  const page = found.slice(skip, skip + limit);
  return jsonAnswer({ count: found.length, limit, skip, data: page.map(azureNode) });
}

/** The objects and the edges between them, without the data wrapper, as the service answers `type=graph`. */
function relatedGraph(graph: Graph, nodes: readonly GraphNode[]): Record<string, unknown> {
  const ids = new Set(nodes.map((node) => node.objectId));
  const edges = nodes.flatMap((node) => graph.outgoing(node.objectId)).filter((edge) => ids.has(edge.to));
  const items: Record<string, unknown> = {};
  for (const { objectId, kind, name, props } of nodes) {
    items[objectId] = { data: { nodetype: kind, ...props }, label: { text: name } };
  }
  for (const { from, kind, to } of edges) {
    items[`rel_${from}_${kind}_${to}`] = { id1: from, id2: to, label: { text: kind }, end2: { arrow: true } };
  }
  return items;
}

export const azureRoutes: Route[] = [{ method: "GET", path: "/api/v2/azure/:entity_type", handle: azureEntity }];
