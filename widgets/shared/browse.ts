import { button, badge, element, type Look } from "./dom.ts";
import { growingList } from "./growing-list.ts";
import { counted, integer } from "./text.ts";

/** A list with fewer entries needs no filter. */
const FEW = 6;
const STEP = 12;

export interface Entry {
  /** Key of its group. */
  group: string;
  /** What the filter looks in. */
  words: readonly (string | null)[];
  draw: () => HTMLElement;
}

export interface Group {
  label: string;
  look: Look;
}

/** How many entries each group has, and a list of all, which can be narrowed when it is long. */
export interface Browsing {
  summary: HTMLElement;
  list: HTMLElement[];
}

/**
 * @param groups - by key, in the order of the summary; those without entries are left out
 * @param entries - in the order of the list
 */
export function browse(
  noun: readonly [one: string, many: string],
  groups: Readonly<Record<string, Group>>,
  entries: readonly Entry[],
): Browsing {
  const counts = Object.entries(groups)
    .map(([key, group]) => ({ key, ...group, count: entries.filter((entry) => entry.group === key).length }))
    .filter(({ count }) => count > 0);
  const drawn = new Map<Entry, HTMLElement>();
  const list = growingList<Entry>({
    look: "entries",
    label: noun[1],
    noun,
    first: STEP,
    step: STEP,
    draw: (entry) => {
      const node = drawn.get(entry) ?? entry.draw();
      drawn.set(entry, node);
      return node;
    },
    grown: (shown) => {
      announce(shown);
    },
  });
  let fitting = entries;
  const announced = element("p", { class: "matches", role: "status" });
  const announce = (shown: number): void => {
    const all = counted(entries.length, ...noun);
    const matching = `${integer(fitting.length)} of ${all} ${fitting.length === 1 ? "matches" : "match"}.`;
    const showing = shown === entries.length ? `Showing all ${all}.` : `Showing ${integer(shown)} of ${all}.`;
    announced.textContent = fitting.length === entries.length ? showing : matching;
  };
  list.show(entries);
  if (entries.length < FEW) {
    const badges = counts.map(({ label, look, count }) => badge(`${integer(count)} ${label}`, look));
    return { summary: element("div", { class: "tags" }, ...badges), list: list.nodes };
  }

  const field = element("input", { type: "search", placeholder: "Name, id or kind", id: "filter" });
  let chosen: string | null = null;
  const narrow = (): void => {
    const sought = field.value.trim().toLowerCase();
    fitting = entries.filter(
      ({ group, words }) =>
        (chosen === null || group === chosen) && words.some((word) => word?.toLowerCase().includes(sought)),
    );
    announce(list.show(fitting));
  };
  field.addEventListener("input", narrow);
  const chips = counts.map(({ key, label, look, count }) => {
    const chip = button(
      { class: `chip badge ${look}`, "aria-pressed": "false" },
      () => {
        chosen = chosen === key ? null : key;
        for (const each of chips) each.setAttribute("aria-pressed", String(each === chip && chosen !== null));
        narrow();
      },
      `${integer(count)} ${label}`,
    );
    return chip;
  });
  narrow();
  const filter = element(
    "div",
    { class: "filter", role: "search" },
    element("label", { for: "filter" }, "Filter"),
    field,
    announced,
  );
  return {
    summary: element("div", { class: "tags", role: "group", "aria-label": `Show only some ${noun[1]}` }, ...chips),
    list: [filter, ...list.nodes],
  };
}
