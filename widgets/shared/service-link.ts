import { element, glyph, unseen } from "./dom.ts";
import { text } from "./read.ts";

/** A link to a page of the service in a new tab; null when the value is no web address. */
export function serviceLink(value: unknown): HTMLElement | null {
  const address = text(value) ?? "";
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return null;
  return element(
    "a",
    { class: "button", href: address, target: "_blank", rel: "noopener noreferrer" },
    glyph("outward"),
    "Open in the service",
    unseen(" (new tab)"),
  );
}
