import { atMost, badge, type Child, element, foreign, kindIcon } from "./shared/dom.ts";
import { type Fields, items, text } from "./shared/read.ts";
import { counted } from "./shared/text.ts";
import { startWidget } from "./shared/widget.ts";

const MOST_ROWS = 300;
const MOST_CANDIDATES = 25;

const looks = {
  found: { label: "Found", look: "good", candidates: "Other matches" },
  ambiguous: { label: "Ambiguous", look: "warning", candidates: "Exact matches" },
  not_found: { label: "Not found", look: "plain", candidates: "Similar names" },
  failed: { label: "Failed", look: "danger", candidates: "Matches" },
} as const;

startWidget((result) => {
  const objects = items(result["objects"]);
  if (objects.length === 0) return null;
  const { drawn, note } = atMost(MOST_ROWS, objects, "names", rows);
  const found = objects.filter(({ status }) => status === "found").length;
  return [
    element(
      "header",
      null,
      element("h1", null, "Object ids"),
      badge(`${found} of ${counted(objects.length, "name")} found`, found === objects.length ? "good" : "warning"),
    ),
    element(
      "table",
      null,
      element("caption", { class: "unseen" }, "The object id of each name"),
      element("thead", null, element("tr", null, ...["Name", "Status", "Object id", "Kind"].map(headerCell))),
      ...drawn,
    ),
    note,
  ];
});

function headerCell(label: string): HTMLElement {
  return element("th", { scope: "col" }, label);
}

function rows(object: Fields): HTMLElement {
  const status = text(object["status"]);
  const { label, look, candidates } = isStatus(status) ? looks[status] : looks.failed;
  const kind = text(object["type"]);
  const objectId = text(object["objectId"]);
  return element(
    "tbody",
    null,
    element(
      "tr",
      null,
      element("th", { scope: "row" }, foreign(text(object["name"]) ?? "no name")),
      element("td", null, badge(label, look)),
      element("td", null, objectId === null ? "–" : foreign(objectId, "id")),
      element(
        "td",
        null,
        kind === null ? "–" : element("div", { class: "kind-cell" }, kindIcon(kind), foreign(kind, "kind")),
      ),
    ),
    explanation(text(object["error"])),
    candidateRow(candidates, items(object["candidates"])),
  );
}

function isStatus(status: string | null): status is keyof typeof looks {
  return status !== null && Object.hasOwn(looks, status);
}

function explanation(error: string | null): HTMLElement | null {
  return error === null ? null : wideRow(element("p", { class: "error" }, error));
}

function candidateRow(title: string, candidates: readonly Fields[]): HTMLElement | null {
  if (candidates.length === 0) return null;
  const { drawn, note } = atMost(MOST_CANDIDATES, candidates, "matches", (candidate) =>
    element(
      "li",
      null,
      kindIcon(text(candidate["type"])),
      foreign(text(candidate["name"]) ?? "no name"),
      foreign(text(candidate["objectId"]) ?? "no id", "id"),
      foreign(text(candidate["type"]) ?? "unknown kind", "kind"),
    ),
  );
  return wideRow(
    element("p", { class: "candidates-title" }, title),
    element("ul", { class: "candidates" }, ...drawn),
    note,
  );
}

function wideRow(...children: Child[]): HTMLElement {
  return element("tr", { class: "more" }, element("td", { colspan: "4" }, ...children));
}
