import { dataAnswer, Refusal } from "../answer.ts";
import type { Exchange, Handler, Route } from "../exchange.ts";
import type { GraphEdge, GraphNode } from "../graph/graph.ts";

const ICON = { fontFamily: "Font Awesome 5 Free", color: "#000000" };
const ICONS: Record<string, string> = {
  User: "fa-user",
  Group: "fa-users",
  Computer: "fa-desktop",
  Domain: "fa-globe",
};
const TREE_ID = "meta-tier-zero";

/** The Tier Zero objects of an environment as one meta node, with the objects that have an edge into it. */
const metaTree: Handler = (exchange) => {
  const id = exchange.parameters.domain_id ?? "";
  const { data, query, token } = exchange;
  const environment = data.environment(id);
  if (environment === undefined) throw new Refusal(404, "resource not found");
  if (token?.forbiddenEnvironments?.includes(id) === true) throw new Refusal(403, "Forbidden");
  for (const name of ["node_id", "asset_group_tag_id"]) checkNumber(query, name);
  const graph: Record<string, unknown> = { [TREE_ID]: metaNode(environment.name) };
  for (const { edge, from } of attacks(exchange, id)) {
    graph[from.objectId] = treeNode(from);
    graph[`rel_${from.objectId}_${edge.kind}`] = treeEdge(edge);
  }
  return dataAnswer(graph);
};

function checkNumber(query: URLSearchParams, name: string): void {
  const raw = query.get(name);
  if (raw !== null && !/^-?\d+$/.test(raw))
    throw new Refusal(400, `query parameter "${name}" is malformed: invalid syntax`);
}

/** Edges from outside Tier Zero into it, one for each source and kind. */
function attacks({ data }: Exchange, environmentId: string): { edge: GraphEdge; from: GraphNode }[] {
  const found = new Map<string, { edge: GraphEdge; from: GraphNode }>();
  for (const target of data.nodesOf(environmentId).filter((node) => node.tierZero)) {
    for (const edge of data.graph.incoming(target.objectId)) {
      const from = data.graph.get(edge.from);
      if (from === undefined || from.tierZero || edge.kind === "Contains" || edge.kind === "AZContains") continue;
      found.set(`${edge.from} ${edge.kind}`, { edge, from });
    }
  }
  return [...found.values()];
}

const label = (text: string) => ({
  backgroundColor: "rgba(255,255,255,0.9)",
  bold: false,
  center: true,
  color: "#000000",
  fontFamily: "Roboto",
  fontSize: 14,
  text,
});

function metaNode(environmentName: string) {
  return {
    ...treeStyle("fa-gem", `TIER ZERO ${environmentName}`),
    data: { nodetype: "Meta", name: `TIER ZERO ${environmentName}`, system_tags: "admin_tier_0" },
    size: 2,
  };
}

function treeNode(node: GraphNode) {
  return { ...treeStyle(ICONS[node.kind] ?? "fa-question", node.name), data: { nodetype: node.kind, ...node.props } };
}

function treeStyle(icon: string, text: string) {
  return {
    color: "#17E625",
    fade: false,
    glyphs: [],
    border: { color: "#000000", lineStyle: "solid", width: 1 },
    coordinates: { lat: 0, lng: 0 },
    cutout: false,
    fontIcon: { ...ICON, text: icon },
    halos: [],
    image: "",
    label: label(text),
    shape: "circle",
    size: 1,
  };
}

function treeEdge(edge: GraphEdge) {
  const end = (arrow: boolean) => ({ arrow, backOff: 0, color: "#3a5464", glyphs: [], label: { text: "" } });
  return {
    color: "#3a5464",
    fade: false,
    data: { isacl: edge.kind !== "HasSession" },
    glyphs: [],
    end1: end(false),
    end2: end(true),
    flow: { velocity: 0 },
    id1: edge.from,
    id2: TREE_ID,
    label: { bold: false, color: "#3a5464", fontFamily: "Roboto", text: edge.kind },
    lineStyle: "solid",
    width: 1,
  };
}

export const metaTreeRoutes: Route[] = [{ method: "GET", path: "/api/v2/meta-trees/:domain_id", handle: metaTree }];
