import { type Child, element } from "../shared/dom.ts";
import { integer } from "../shared/text.ts";
import type { Count } from "./asset-entry.ts";

const UNKNOWN = "The service did not return this count.";

/** The counts as tiles. Those that are 0 share one line; one that could not be read is unknown, not 0. */
export function countTiles(counts: readonly Count[]): Child[] {
  if (counts.length === 0) return [element("p", { class: "note" }, "The service has no counts for this kind.")];
  const zeros = counts.filter(({ value }) => value === 0).map(({ label }) => label);
  const others = counts.filter(({ value }) => value !== 0);
  return [
    others.length === 0 ? null : element("dl", { class: "counts" }, ...others.map(tile)),
    zeros.length === 0 ? null : element("p", { class: "zeros" }, element("b", null, "0"), ` ${zeros.join(", ")}`),
  ];
}

function tile({ label, value }: Count): HTMLElement {
  return element(
    "div",
    { class: value === null ? "count unknown" : "count" },
    element("dt", { title: label }, label),
    element("dd", value === null ? { title: UNKNOWN } : null, value === null ? "unknown" : integer(value)),
  );
}
