import { type Glyph, glyphs } from "./glyphs.ts";
import { shapeOf, shapes } from "./kinds.ts";
import { visible } from "./text.ts";

export type Child = Node | string | null;

/** How urgent something looks. */
export type Look = "danger" | "warning" | "good" | "plain";

/**
 * Makes an element. Texts become text nodes and attribute values, never markup, and what cannot be seen in them is made
 * visible. Event handlers and styles cannot be given here.
 */
export function element<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Readonly<Record<string, string>> | null,
  ...children: Child[]
): HTMLElementTagNameMap[T] {
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

export function badge(text: string, look: Look): HTMLElement {
  return element("span", { class: `badge ${look}` }, text);
}

/** Said by a screen reader and not shown. */
export function unseen(text: string): HTMLElement {
  return element("span", { class: "unseen" }, text);
}

export function button(
  attributes: Readonly<Record<string, string>>,
  press: () => void,
  ...children: Child[]
): HTMLElement {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", press);
  return made;
}

/** The drawing for a kind of object, in a colour of its own. */
export function kindIcon(kind: string | null): HTMLElement {
  const shape = shapeOf(kind);
  return element("span", { class: `icon ${shape}` }, drawing(shapes[shape]));
}

export function glyph(name: Glyph): HTMLElement {
  return element("span", { class: `glyph ${name}` }, drawing(glyphs[name]));
}

/** Draws a path of 24 by 24 units in the colour of the text around it; screen readers skip it. */
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
