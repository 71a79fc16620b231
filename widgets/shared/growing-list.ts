import { button, element } from "./dom.ts";
import { counted, integer } from "./text.ts";

export interface GrowingListOptions<T> {
  /** Class of the list. */
  look: string;
  /** What the list holds, for a screen reader. */
  label: string;
  /** What one item and several of them are called. */
  noun: readonly [one: string, many: string];
  /** Items that are shown at first. */
  first: number;
  /** Items that each press of the button adds. */
  step: number;
  draw: (item: T) => HTMLElement;
  /** Called when the button has added items, with how many are shown. */
  grown?: (shown: number) => void;
}

export interface GrowingList<T> {
  /** The list and the button that adds to it. */
  nodes: HTMLElement[];
  /** Shows the first of other items; returns how many. */
  show(items: readonly T[]): number;
}

/** A list that shows its first items, and more of them at the press of a button. */
export function growingList<T>({ look, label, noun, first, step, draw, grown }: GrowingListOptions<T>): GrowingList<T> {
  const list = element("ol", { class: look, "aria-label": label });
  const more = button({ class: "button more" }, () => {
    const [next] = grow(step);
    grown?.(list.childElementCount);
    // The button under the finger is gone when nothing is left; the reading goes on at the first item that is new.
    if (!more.hidden) return;
    next?.setAttribute("tabindex", "-1");
    next?.focus();
  });
  let rest: readonly T[] = [];
  const grow = (count: number): HTMLElement[] => {
    const added = rest.slice(0, count).map(draw);
    list.append(...added);
    rest = rest.slice(count);
    more.hidden = rest.length === 0;
    const left = rest.length > step ? ` (${integer(rest.length)} left)` : "";
    more.textContent = `Show ${counted(Math.min(step, rest.length), `more ${noun[0]}`, `more ${noun[1]}`)}${left}`;
    return added;
  };
  return {
    nodes: [list, more],
    show(items) {
      list.replaceChildren();
      rest = items;
      return grow(first).length;
    },
  };
}

/** The nodes of a growing list that always holds the same items. */
export function growing<T>(items: readonly T[], options: GrowingListOptions<T>): HTMLElement[] {
  const list = growingList(options);
  list.show(items);
  return list.nodes;
}
