import { type Child, element } from "./dom.ts";
import { count, type Fields, fields } from "./read.ts";
import { followTheme } from "./theme.ts";
import "./widget.css";

/**
 * Draws the result of the action once the document is there. The platform writes the result into the document's data
 * block as text, which is read as JSON and never run. Where it wrote nothing, or nothing readable, or a result that
 * `draw` finds nothing in (null), the widget says so.
 */
export function startWidget(draw: (result: Fields) => readonly Child[] | null): void {
  followTheme();
  document.addEventListener("DOMContentLoaded", () => {
    const result = readResult();
    const drawn = draw(result) ?? [emptyState(count(result["remaining"]) ?? 0)];
    document.body.replaceChildren(element("main", null, ...drawn));
  });
}

/** The head of a widget: what was found, how much of it, and what can be done with it. */
export function heading(title: string, summary: readonly Child[], actions: readonly Child[] = []): HTMLElement {
  return element(
    "header",
    null,
    element("h1", null, title),
    ...summary,
    actions.every((action) => action === null) ? null : element("div", { class: "actions" }, ...actions),
  );
}

function readResult(): Fields {
  try {
    return fields(JSON.parse(document.getElementById("result")?.textContent ?? ""));
  } catch {
    return {};
  }
}

/** @param remaining - how much the next run has to do */
function emptyState(remaining: number): HTMLElement {
  const [title, words] =
    remaining > 0
      ? ["In progress", "The action has no answer yet. It goes on in its next run."]
      : [
          "Nothing to show yet",
          "The action has not run for this alert, or it ended without a result. Its message says more.",
        ];
  return element("div", { class: "empty", role: "status" }, element("h1", null, title), element("p", null, words));
}
