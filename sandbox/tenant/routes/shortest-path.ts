import { dataAnswer, Refusal } from "../answer.ts";
import type { Exchange, Handler, Route } from "../exchange.ts";
import type { Graph, GraphEdge, GraphNode } from "../graph/graph.ts";
import { isTraversable } from "../graph/kinds.ts";
import { shortestPaths, type EdgeFilter } from "../graph/walk.ts";
import { parseFlag } from "../query.ts";

/**
 * All shortest paths merged in one graph. No path is a 404; an object id that nobody has is a 500 (BloodHound API,
 * cmd/api/src/api/v2/pathfinding.go).
 */
const shortestPath: Handler = (exchange) => {
  const { query, data } = exchange;
  const start = required(query, "start_node");
  const end = required(query, "end_node");
  const follow = edgeFilter(exchange);
  if (data.graph.get(start) === undefined || data.graph.get(end) === undefined) throw new Refusal(500, "not found");
  const edges = shortestPaths(data.graph, start, end, follow);
  if (edges === null) throw new Refusal(404, "path not found");
  return dataAnswer(pathGraph(data.graph, edges));
};

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null || value === "") throw new Refusal(400, `Missing query parameter: ${name}`);
  return value;
}

function edgeFilter({ query, data }: Exchange): EdgeFilter {
  const onlyTraversable = parseFlag(query, "only_traversable", false);
  const raw = query.get("relationship_kinds") ?? "";
  const acceptable = new Set(data.graph.edges.map((edge) => edge.kind));
  const kinds = raw === "" ? acceptable : askedKinds(raw, acceptable);
  const followed = new Set([...kinds].filter((kind) => !onlyTraversable || isTraversable(kind)));
  if (followed.size === 0) throw new Refusal(400, "invalid parameter combination; no valid edges to traverse");
  return (edge) => followed.has(edge.kind);
}

function askedKinds(raw: string, acceptable: ReadonlySet<string>): Set<string> {
  const [, operator, list] = /^(in|nin):([\w, ]+)$/.exec(raw) ?? [];
  if (operator === undefined || list === undefined) {
    const format = "acceptable values should match the format: in|nin:Kind1,Kind2";
    throw new Refusal(400, `invalid query parameter 'relationship_kinds': ${format}`);
  }
  const named = list.replaceAll(" ", "").split(",");
  if (named.some((kind) => !acceptable.has(kind))) {
    const kinds = [...acceptable].join(" ");
    throw new Refusal(
      400,
      `invalid query parameter 'relationship_kinds': acceptable relationship kinds are: [${kinds}]`,
    );
  }
  return new Set(operator === "in" ? named : [...acceptable].filter((kind) => !named.includes(kind)));
}

/** Nodes are keyed by numbers of the database, not by object id. */
function pathGraph(graph: Graph, edges: readonly GraphEdge[]) {
  const ids = [...new Set(edges.flatMap((edge) => [edge.from, edge.to]))];
  const keys = new Map(ids.map((objectId, index) => [objectId, String(1001 + index * 7)]));
  const nodes: Record<string, unknown> = {};
  for (const [objectId, key] of keys) {
    const node = graph.get(objectId);
    if (node !== undefined) nodes[key] = pathNode(node);
  }
  return {
    nodes,
    edges: edges.map((edge) => ({
      source: keys.get(edge.from),
      target: keys.get(edge.to),
      label: edge.kind,
      kind: edge.kind,
      lastSeen: graph.get(edge.from)?.props.lastseen,
      properties: {},
    })),
  };
}

function pathNode(node: GraphNode) {
  return {
    label: node.name,
    kind: node.kind,
    kinds: node.kinds,
    objectId: node.objectId,
    isTierZero: node.tierZero,
    isOwnedObject: false,
    lastSeen: node.props.lastseen,
    properties: {},
  };
}

export const shortestPathRoutes: Route[] = [
  { method: "GET", path: "/api/v2/graphs/shortest-path", handle: shortestPath },
];
