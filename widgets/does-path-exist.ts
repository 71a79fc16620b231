import { atMost, badge, element, foreign, kindIcon } from "./shared/dom.ts";
import { count, type Fields, fields, items, text } from "./shared/read.ts";
import { counted } from "./shared/text.ts";
import { startWidget } from "./shared/widget.ts";

const MOST_PATHS = 50;
const MOST_OBJECTS = 100;
const MOST_EDGES = 200;

startWidget((result) => {
  const paths = items(result["paths"]);
  const [only] = paths;
  if (only === undefined) return null;
  if (paths.length === 1) return answer(only);
  const { drawn, note } = atMost(MOST_PATHS, paths, "pairs", (path) => element("section", null, ...answer(path)));
  return [...drawn, note];
});

function answer(path: Fields): (Node | null)[] {
  const start = fields(path["start"]);
  const end = fields(path["end"]);
  if (path["exists"] === true) return foundPath(start, items(path["hops"]), path);
  return path["exists"] === false ? noPath(start, end) : unanswered(path, start, end);
}

function foundPath(start: Fields, hops: readonly Fields[], path: Fields): (Node | null)[] {
  const tierZero: readonly unknown[] = Array.isArray(path["tierZero"]) ? path["tierZero"] : [];
  const length = count(path["length"]) ?? hops.length;
  const heading = element(
    "header",
    null,
    element("h1", null, "Attack path found"),
    badge(length === 0 ? "start and end are the same object" : counted(length, "hop"), "danger"),
  );
  const objects = [start, ...hops.map(({ to }) => fields(to))];
  const steps = objects.map((object, index) => ({ object, index, next: hops[index] }));
  const { drawn, note } = atMost(MOST_OBJECTS, steps, "objects", ({ object, index, next }) => {
    const place = index === 0 ? "Start" : index === hops.length ? "End" : null;
    const card = node(object, tierZero.includes(object["objectId"]), place);
    return element("li", null, card, next ? arrow(text(next["relation"])) : null);
  });
  const label = `One shortest attack path, ${counted(length, "hop")}`;
  const list = element("ol", { class: "path", "aria-label": label }, ...drawn);
  return [heading, list, note, otherPaths(items(path["alternatives"]))];
}

function noPath(start: Fields, end: Fields): Node[] {
  return [
    element("header", null, element("h1", null, "No attack path"), badge("not reachable", "good")),
    element("p", { class: "note" }, "Both objects are known, and no attack path leads from the start to the end."),
    apart(start, end, "no path"),
  ];
}

function unanswered(path: Fields, start: Fields, end: Fields): Node[] {
  return [
    element("header", null, element("h1", null, "Not answered"), badge("unknown", "warning")),
    element("p", { class: "error" }, text(path["error"]) ?? "This pair could not be checked."),
    apart(start, end, "not checked"),
  ];
}

function apart(start: Fields, end: Fields, why: string): HTMLElement {
  return element(
    "ol",
    { class: "path", "aria-label": "Start and end, not connected" },
    element("li", null, node(start, false, "Start"), arrow(null, why)),
    element("li", null, node(end, false, "End")),
  );
}

function node(object: Fields, tierZero: boolean, place: "Start" | "End" | null): HTMLElement {
  const objectId = text(object["objectId"]);
  const kind = text(object["kind"]);
  const name = nameOf(object);
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

function nameOf(object: Fields): string {
  return text(object["name"]) ?? text(object["objectId"]) ?? "unnamed object";
}

/** No relation: the two ends are not connected, for the reason given. */
function arrow(relation: string | null, why = "no path"): HTMLElement {
  return element(
    "div",
    { class: relation === null ? "arrow broken" : "arrow" },
    relation === null ? element("span", { class: "relation" }, why) : foreign(relation, "relation"),
    element("span", { class: "shaft" }),
  );
}

function otherPaths(alternatives: readonly Fields[]): Node | null {
  if (alternatives.length === 0) return null;
  const row = (edge: Fields): HTMLElement =>
    element(
      "li",
      null,
      foreign(nameOf(fields(edge["from"]))),
      element("b", null, " ", foreign(text(edge["relation"]) ?? "?", "relation"), " "),
      foreign(nameOf(fields(edge["to"]))),
    );
  const { drawn, note } = atMost(MOST_EDGES, alternatives, "edges", row);
  return element(
    "details",
    null,
    element("summary", null, `More than one shortest path: ${counted(alternatives.length, "other edge")}`),
    element("ul", { class: "edges" }, ...drawn),
    note,
  );
}
