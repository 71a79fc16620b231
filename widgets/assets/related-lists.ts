import { type Child, element, foreign, kindIcon } from "../shared/dom.ts";
import { growing } from "../shared/growing-list.ts";
import { count, type Fields, fields, items, text } from "../shared/read.ts";
import { counted, integer, words } from "../shared/text.ts";

const FIRST = 5;
const MORE = 20;

/** The names in each list of related objects; an empty list is left out, and one that could not be read says why. */
export function relatedLists(related: Fields): Child[] {
  const lists = Object.entries(related)
    .map(([name, list]) => ({ name, list: fields(list) }))
    .filter(({ list }) => !isEmpty(list));
  if (lists.length === 0) return [];
  return [element("div", { class: "related" }, ...lists.map(({ name, list }) => drawnList(name, list)))];
}

function isEmpty(list: Fields): boolean {
  return text(list["error"]) === null && items(list["items"]).length === 0 && (count(list["total"]) ?? 0) === 0;
}

function drawnList(name: string, list: Fields): HTMLElement {
  const label = words(name);
  const [total, error] = [count(list["total"]), text(list["error"])];
  const known = items(list["items"]);
  return element(
    "div",
    { class: "related-list", role: "group", "aria-label": label },
    element("h3", null, label, element("span", { class: "total" }, total === null ? "" : ` ${integer(total)}`)),
    error === null ? null : element("p", { class: "error" }, error),
    ...(known.length === 0
      ? []
      : growing(known, {
          look: "objects",
          label,
          noun: ["object", "objects"],
          first: FIRST,
          step: MORE,
          draw: drawnObject,
        })),
    rest(known.length, total, error !== null),
  );
}

function drawnObject(object: Fields): HTMLElement {
  const [name, objectId, kind] = [text(object["name"]), text(object["objectId"]), text(object["kind"])];
  return element(
    "li",
    null,
    kindIcon(kind),
    foreign(name ?? objectId ?? "unnamed object"),
    foreign(kind ?? "unknown kind", "kind"),
  );
}

/** The result holds the first names of a long list only. */
function rest(listed: number, total: number | null, failed: boolean): HTMLElement | null {
  if (failed || (total === null && listed === 0) || (total !== null && listed >= total)) return null;
  if (total === null) return element("p", { class: "note" }, "The service does not say how many there are.");
  return element("p", { class: "note" }, `${counted(total - listed, "more object")} in the service, not listed here.`);
}
