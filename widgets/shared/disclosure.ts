import { button, type Child, element, glyph } from "./dom.ts";

/**
 * A heading with a button that shows and hides a part. The part is drawn when it is first shown, so that a long list of
 * them costs no more than its headings.
 */
export function disclosure(
  tag: "h2" | "h3",
  label: readonly Child[],
  draw: () => readonly Child[],
  open = false,
): HTMLElement[] {
  const body = element("div", { class: "fold-body" });
  const toggle = button(
    { class: "fold" },
    () => {
      show(body.hasAttribute("hidden"));
    },
    glyph("chevron"),
    ...label,
  );
  const show = (shown: boolean): void => {
    if (shown && body.childNodes.length === 0) body.append(...draw().filter((child) => child !== null));
    body.hidden = !shown;
    toggle.setAttribute("aria-expanded", String(shown));
  };
  show(open);
  return [element(tag, null, toggle), body];
}
