import { badge, type Child, element, foreign, kindIcon } from "../shared/dom.ts";
import { growing } from "../shared/growing-list.ts";
import { type Fields, fields, text } from "../shared/read.ts";
import { counted } from "../shared/text.ts";
import { hopsText, nameOf, type PathEntry, relationOf } from "./path-entry.ts";

const MOST_OBJECTS = 60;

/** An object of the path, and the edge that leads to it. */
interface Step {
  object: Fields;
  place: "Start" | "End" | null;
  tierZero: boolean;
  /** Null at the start. */
  link: HTMLElement | null;
}

/** The path as cards, each behind the edge that leads to it: wherever the row is broken, an arrow points at its card. */
export function drawnPath(entry: PathEntry): HTMLElement[] {
  const { start, end, length, hops, tierZero } = entry;
  const step = (object: Fields, place: Step["place"], link: Step["link"]): Step => ({
    object,
    place,
    tierZero: tierZero.has(object["objectId"]),
    link,
  });
  if (entry.verdict !== "open") {
    const why = entry.verdict === "closed" ? "no path" : "not checked";
    return path("Start and end, not connected", [step(start, "Start", null), step(end, "End", gap(why))]);
  }
  if (length === 0) return path("One object", [step(start, null, null)]);
  const label = entry.givesControl
    ? `One shortest attack path, ${hopsText(length ?? 0)}`
    : "A relationship, no attack path";
  if (hops.length === 0) {
    return path(label, [step(start, "Start", null), step(end, "End", gap(`${hopsText(length ?? 0)}, not listed`))]);
  }
  const ways = waysByHop(entry);
  const steps = hops.map((hop, index) => {
    const link = edge(relationOf(hop), ways[index] ?? 0, !entry.truncated);
    return step(fields(hop["to"]), index === hops.length - 1 ? "End" : null, link);
  });
  return path(label, [step(start, "Start", null), ...steps]);
}

/** How many other edges can stand in for each hop. */
function waysByHop({ hops, alternatives }: PathEntry): number[] {
  return hops.map((_, index) => alternatives.filter(({ hop }) => hop === index + 1).length);
}

function path(label: string, steps: readonly Step[]): HTMLElement[] {
  const noun = ["object", "objects"] as const;
  return growing(steps, { look: "path", label, noun, first: MOST_OBJECTS, step: MOST_OBJECTS, draw: drawnStep });
}

function drawnStep({ object, place, tierZero, link }: Step): HTMLElement {
  return element("li", null, link, card(object, tierZero, place));
}

/** @param isAll - there are no more others than these */
function edge(relation: string, others: number, isAll: boolean): HTMLElement {
  const more = others === 0 ? null : badge(`+${others} ${isAll ? "other" : "or more"}`, "plain");
  more?.setAttribute("title", `${isAll ? "" : "At least "}${counted(others, "other edge")} can replace this hop`);
  return arrow("arrow", foreign(relation, "relation"), more);
}

function gap(why: string): HTMLElement {
  return arrow("arrow broken", element("span", { class: "relation" }, why));
}

function arrow(look: string, ...children: Child[]): HTMLElement {
  return element(
    "div",
    { class: look },
    element("span", { class: "shaft" }),
    element("span", { class: "edge" }, ...children),
  );
}

function card(object: Fields, tierZero: boolean, place: Step["place"]): HTMLElement {
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
