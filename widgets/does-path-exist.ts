import { atMost, badge, element, foreign } from "./shared/dom.ts";
import { kindIcon } from "./shared/kinds.ts";
import { type Fields, fields, items, text } from "./shared/read.ts";
import { counted } from "./shared/text.ts";
import { startWidget } from "./shared/widget.ts";

const MOST_OBJECTS = 100;
const MOST_EDGES = 200;

interface Graph {
  nodes: ReadonlyMap<string, Fields>;
  edges: readonly Fields[];
}

startWidget((result) => {
  if (typeof result["exists"] !== "boolean") return null;
  const graph = readGraph(fields(result["graph"]));
  const start = fields(result["start"]);
  const end = fields(result["end"]);
  return result["exists"] ? path(start, items(result["hops"]), graph) : noPath(start, end, graph);
});

function readGraph(graph: Fields): Graph {
  const nodes = items(graph["nodes"]).map((node): [string, Fields] => [text(node["objectId"]) ?? "", node]);
  return { nodes: new Map(nodes), edges: items(graph["edges"]) };
}

function path(start: Fields, hops: readonly Fields[], graph: Graph): (Node | null)[] {
  const heading = element(
    "header",
    null,
    element("h1", null, "Attack path found"),
    badge(hops.length === 0 ? "start and end are the same object" : counted(hops.length, "hop"), "danger"),
  );
  const objects = [start, ...hops.map(({ to }) => fields(to))];
  const steps = objects.map((object, index) => ({ object, index, next: hops[index] }));
  const { drawn, note } = atMost(MOST_OBJECTS, steps, "objects", ({ object, index, next }) => {
    const place = index === 0 ? "Start" : index === hops.length ? "End" : null;
    return element("li", null, node(object, graph, place), next ? arrow(text(next["relation"])) : null);
  });
  const label = `One shortest attack path, ${counted(hops.length, "hop")}`;
  return [heading, element("ol", { class: "path", "aria-label": label }, ...drawn), note, otherPaths(hops, graph)];
}

function noPath(start: Fields, end: Fields, graph: Graph): Node[] {
  return [
    element("header", null, element("h1", null, "No attack path"), badge("not reachable", "good")),
    element("p", { class: "note" }, "Both objects are known, and no attack path leads from the start to the end."),
    element(
      "ol",
      { class: "path", "aria-label": "Start and end, not connected" },
      element("li", null, node(start, graph, "Start"), arrow(null)),
      element("li", null, node(end, graph, "End")),
    ),
  ];
}

function node(object: Fields, graph: Graph, place: "Start" | "End" | null): HTMLElement {
  const objectId = text(object["objectId"]);
  const kind = text(object["kind"]);
  const tierZero = graph.nodes.get(objectId ?? "")?.["tierZero"] === true;
  const name = text(object["name"]) ?? objectId ?? "unnamed object";
  return element(
    "div",
    { class: tierZero ? "node tier-zero" : "node", title: objectId === null ? name : `${name} (${objectId})` },
    kindIcon(kind),
    element(
      "div",
      { class: "node-text" },
      foreign(name),
      element(
        "div",
        { class: "tags" },
        foreign(kind ?? "unknown kind", "kind"),
        place === null ? null : badge(place, "plain"),
        tierZero ? badge("Tier Zero", "danger") : null,
      ),
    ),
  );
}

/** No relation: the two ends are not connected. */
function arrow(relation: string | null): HTMLElement {
  return element(
    "div",
    { class: relation === null ? "arrow broken" : "arrow" },
    relation === null ? element("span", { class: "relation" }, "no path") : foreign(relation, "relation"),
    element("span", { class: "shaft" }),
  );
}

function otherPaths(hops: readonly Fields[], { nodes, edges }: Graph): Node | null {
  if (edges.length <= hops.length) return null;
  const name = (objectId: string | null): string => text(nodes.get(objectId ?? "")?.["name"]) ?? objectId ?? "?";
  const row = (edge: Fields): HTMLElement =>
    element(
      "li",
      null,
      foreign(name(text(edge["from"]))),
      element("b", null, " ", foreign(text(edge["relation"]) ?? "?", "relation"), " "),
      foreign(name(text(edge["to"]))),
    );
  const { drawn, note } = atMost(MOST_EDGES, edges, "edges", row);
  const size = `${counted(nodes.size, "object")} and ${counted(edges.length, "edge")}`;
  return element(
    "details",
    null,
    element("summary", null, `More than one shortest path: ${size} in all`),
    element("ul", { class: "edges" }, ...drawn),
    note,
  );
}
