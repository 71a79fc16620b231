import { element } from "./dom.ts";
import { type Fields, fields } from "./read.ts";
import { followTheme } from "./theme.ts";

/**
 * Draws the result of the action once the document is there. The platform writes the result into the document's data
 * block as text, which is read as JSON and never run. Where it wrote nothing, or nothing readable, or a result that
 * `draw` finds nothing in (null), the widget says so.
 */
export function startWidget(draw: (result: Fields) => (Node | null)[] | null): void {
  followTheme();
  document.addEventListener("DOMContentLoaded", () => {
    const drawn = draw(readResult()) ?? [emptyState()];
    document.body.replaceChildren(element("main", null, ...drawn));
  });
}

function readResult(): Fields {
  try {
    return fields(JSON.parse(document.getElementById("result")?.textContent ?? ""));
  } catch {
    return {};
  }
}

function emptyState(): HTMLElement {
  return element(
    "div",
    { class: "empty", role: "status" },
    element("p", { class: "headline" }, "Nothing to show yet"),
    element("p", null, "The action has not run for this alert, or it ended without a result. Its message says more."),
  );
}
