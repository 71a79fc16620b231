import { disclosure } from "../shared/disclosure.ts";
import { type Child, element, foreign } from "../shared/dom.ts";
import { webLink } from "../shared/link.ts";
import { type Fields, text } from "../shared/read.ts";
import { counted } from "../shared/text.ts";

const LINES = [
  ["allows", "Allows"],
  ["abuse", "Abused"],
  ["notice", "Noticed"],
  ["removal", "Removed"],
] as const;

/** What the relationships on the paths mean, folded away: each kind once, with its technique and its public page. */
export function relationMeanings(relations: readonly Fields[]): Child[] {
  if (relations.length === 0) return [];
  const title = `What ${counted(relations.length, "relationship")} on ${relations.length === 1 ? "the path means" : "the paths mean"}`;
  return disclosure("h2", [element("span", { class: "fold-title" }, title)], () => [
    element("ul", { class: "relations", "aria-label": "Relationships" }, ...relations.map(meaning)),
  ]);
}

function meaning(relation: Fields): HTMLElement {
  const lines = LINES.flatMap(([key, label]) => {
    const said = text(relation[key]);
    return said === null ? [] : [element("dt", null, label), element("dd", null, said)];
  });
  const technique = text(relation["technique"]);
  return element(
    "li",
    null,
    element("p", { class: "relation-title" }, foreign(text(relation["kind"]) ?? "unnamed", "relation")),
    element("dl", null, ...lines),
    element(
      "p",
      { class: "note" },
      technique === null ? null : `MITRE ATT&CK ${technique}. `,
      webLink(relation["source"], "Read more in the BloodHound documentation"),
    ),
  );
}
