import { shapeOf, shapes } from "./kinds.ts";
import { visible } from "./text.ts";

export type Child = Node | string | null;

/**
 * Makes an element. Texts become text nodes and attribute values, never markup, and what cannot be seen in them is made
 * visible. Event handlers and styles cannot be given here.
 */
export function element(
  tag: keyof HTMLElementTagNameMap,
  attributes: Readonly<Record<string, string>> | null,
  ...children: Child[]
): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) made.setAttribute(name, visible(value));
  for (const child of children) {
    if (child !== null) made.append(typeof child === "string" ? visible(child) : child);
  }
  return made;
}

/** Where a long text may be broken: behind the @ of a principal, else before a dot or between the words of a relation. */
function breakable(text: string): string[] {
  return text.split(text.includes("@") ? /(?<=@)/ : /(?=\.)|(?<=[a-z])(?=[A-Z])/);
}

/** A name, an id or another text that somebody else chose: kept apart from the direction of the text around it. */
export function foreign(text: string, kind = "name"): HTMLElement {
  const parts = breakable(text).flatMap((part) => [document.createElement("wbr"), part]);
  return element("bdi", { class: kind, title: text }, ...parts.slice(1));
}

export function badge(text: string, look: "danger" | "warning" | "good" | "plain"): HTMLElement {
  return element("span", { class: `badge ${look}` }, text);
}

/** The drawing for a kind of object, in a colour of its own. */
export function kindIcon(kind: string | null): HTMLElement {
  const shape = shapeOf(kind);
  return element("span", { class: `icon ${shape}` }, drawing(shapes[shape]));
}

/** Draws a path of 24 by 24 units in the colour of the text around it; it says nothing to a screen reader. */
function drawing(path: string): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  picture.append(line);
  return picture;
}

/** Draws at most so many items; `note` says how many more there are, and is null when there are none. */
export function atMost<T>(
  limit: number,
  all: readonly T[],
  what: string,
  draw: (item: T) => Node,
): { drawn: Node[]; note: HTMLElement | null } {
  const more = `The first ${limit} of ${all.length} ${what} are shown; the JSON result of the action holds all.`;
  return {
    drawn: all.slice(0, limit).map(draw),
    note: all.length > limit ? element("p", { class: "note" }, more) : null,
  };
}
