import { badge, type Child, element, foreign } from "../shared/dom.ts";
import { disclosure } from "../shared/disclosure.ts";
import { growing } from "../shared/growing-list.ts";
import { type Fields, fields } from "../shared/read.ts";
import { counted } from "../shared/text.ts";
import { nameOf, type PathEntry, relationOf } from "./path-entry.ts";

const FEW_EDGES = 6;
const MORE_EDGES = 50;

/** All shortest paths side by side, hop by hop: where one edge is the only way, removing it closes them all. */
export function hopComparison(entry: PathEntry, tag: "h2" | "h3"): Child[] {
  const { hops, alternatives, truncated, tierZero } = entry;
  // Without hops there is nothing to compare, and a result that leaves them out says so elsewhere.
  if (hops.length === 0 || (alternatives.length === 0 && !truncated)) return [];
  const title = `Other shortest paths: ${counted(alternatives.length, "edge")}${truncated ? " listed" : ""}`;
  return disclosure(tag, [element("span", { class: "fold-title" }, title)], () => [
    truncated
      ? element(
          "p",
          { class: "note" },
          "There are more edges than this result holds. The page of the service shows all.",
        )
      : null,
    element(
      "ol",
      { class: "hops", "aria-label": "Edges by hop" },
      ...hops.map((hop, index) => {
        const others = alternatives.filter((edge) => edge["hop"] === index + 1);
        return drawnHop(index + 1, hop, others, { complete: !truncated, tierZero });
      }),
    ),
  ]);
}

interface Known {
  /** Whether no edge is missing, so that a single one is known to be the only one. */
  complete: boolean;
  tierZero: PathEntry["tierZero"];
}

function drawnHop(number: number, shown: Fields, others: readonly Fields[], known: Known): HTMLElement {
  const { complete, tierZero } = known;
  const ways = others.length + 1;
  const only = ways === 1 && complete;
  return element(
    "li",
    { class: only ? "hop only" : "hop" },
    element(
      "p",
      { class: "hop-title" },
      element("b", null, `Hop ${number}`),
      badge(only ? "every shortest path" : counted(ways, "edge"), only ? "warning" : "plain"),
    ),
    ...growing([shown, ...others], {
      look: "edges",
      label: `Edges of hop ${number}`,
      noun: ["edge", "edges"],
      first: FEW_EDGES,
      step: MORE_EDGES,
      draw: (edge) => drawnEdge(edge, shown, tierZero),
    }),
  );
}

/** What an edge has in common with the one on the drawn path steps back, and what differs stands out. */
function drawnEdge(edge: Fields, shown: Fields, tierZero: PathEntry["tierZero"]): HTMLElement {
  const part = (kind: string, text: string, same: boolean): HTMLElement =>
    foreign(text, edge === shown || !same ? kind : `${kind} same`);
  const end = (key: "from" | "to"): HTMLElement => {
    const [object, drawn] = [fields(edge[key]), fields(shown[key])];
    // Objects that the service does not name, or hides, may have the same id.
    const isSame = object["objectId"] === drawn["objectId"] && nameOf(object) === nameOf(drawn);
    const name = part("name", nameOf(object), isSame);
    if (tierZero.has(object["objectId"])) name.append(" ", badge("Tier Zero", "danger"));
    return name;
  };
  const relation = part("relation", relationOf(edge), edge["relation"] === shown["relation"]);
  return element("li", edge === shown ? { class: "drawn" } : null, end("from"), relation, end("to"));
}
