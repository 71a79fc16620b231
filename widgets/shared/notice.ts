import { type Child, element, foreign, glyph } from "./dom.ts";
import { growing } from "./growing-list.ts";
import { integer } from "./text.ts";

/** What needs attention, above everything else. */
export function notice(title: string, ...children: Child[]): HTMLElement {
  const head = element("p", { class: "notice-title" }, glyph("warning"), title);
  return element("section", { class: "notice", "aria-label": title }, head, ...children);
}

/** Why some entries say nothing, the most frequent reason first; null when all say something. */
export function reasonsNotice(title: string, reasons: readonly string[]): HTMLElement | null {
  if (reasons.length === 0) return null;
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const draw = ([reason, times]: [string, number]): HTMLElement =>
    element("li", null, times > 1 ? element("b", null, `${integer(times)} × `) : null, foreign(reason, "reason"));
  const different = [...counts].sort(([, a], [, b]) => b - a);
  return notice(
    title,
    ...growing(different, { look: "reasons", label: "Reasons", noun: ["reason", "reasons"], first: 3, step: 10, draw }),
  );
}
