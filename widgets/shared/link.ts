import { element, glyph, unseen } from "./dom.ts";
import { text } from "./read.ts";

/** A link to a page of the service in a new tab; null when the value is no web address. */
export function serviceLink(value: unknown): HTMLElement | null {
  const link = webLink(value, "Open in the service");
  link?.classList.add("button");
  link?.prepend(glyph("outward"));
  return link;
}

/** A link to a page of the web in a new tab; null when the value is no web address. */
export function webLink(value: unknown, label: string): HTMLElement | null {
  const address = text(value) ?? "";
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return null;
  const attributes = { href: address, target: "_blank", rel: "noopener noreferrer" };
  return element("a", attributes, label, unseen(" (new tab)"));
}
