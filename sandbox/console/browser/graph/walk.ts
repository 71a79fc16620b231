import type { GraphNode } from "../../contract/index.ts";
import type { Layout, PlacedNode } from "./layout.ts";

const walkKeys = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"] as const;
export type WalkKey = (typeof walkKeys)[number];

export function isWalkKey(key: string): key is WalkKey {
  return (walkKeys as readonly string[]).includes(key);
}

/** Where the keyboard starts: at the attacker, or else at the leftmost object. */
export function startOf({ nodes }: Layout): string | null {
  const first = [...nodes].sort((a, b) => placeOf(a.node) - placeOf(b.node) || a.x - b.x || a.y - b.y)[0];
  return first?.node.id ?? null;
}

/**
 * The object that a key leads to: right and left follow the arrows, the shortest path first; up and down stay in the
 * column; Home and End go to the attacker and to the target. Null when there is none.
 */
export function walk(layout: Layout, from: string, key: WalkKey): string | null {
  const here = layout.nodes.find(({ node }) => node.id === from);
  if (here === undefined) return startOf(layout);
  switch (key) {
    case "ArrowRight":
      return along(layout, here, "from", "to");
    case "ArrowLeft":
      return along(layout, here, "to", "from");
    case "ArrowUp":
      return inColumn(layout, here, (y) => y < here.y);
    case "ArrowDown":
      return inColumn(layout, here, (y) => y > here.y);
    case "Home":
      return startOf(layout);
    case "End":
      return endOf(layout);
  }
}

function along({ nodes, arrows }: Layout, here: PlacedNode, near: "from" | "to", far: "from" | "to"): string | null {
  const reached = arrows
    .filter((arrow) => arrow[near] === here.node.id && arrow[far] !== here.node.id)
    .map((arrow) => ({ main: arrow.main, id: arrow[far] }));
  const distance = (id: string) => Math.abs((nodes.find(({ node }) => node.id === id)?.y ?? 0) - here.y);
  const nearest = reached.sort((a, b) => Number(b.main) - Number(a.main) || distance(a.id) - distance(b.id))[0];
  return nearest?.id ?? null;
}

function inColumn({ nodes }: Layout, here: PlacedNode, isThere: (y: number) => boolean): string | null {
  const column = nodes.filter(({ x, y }) => Math.abs(x - here.x) < 1 && isThere(y));
  return column.sort((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y))[0]?.node.id ?? null;
}

function endOf({ nodes }: Layout): string | null {
  const placed = nodes.filter(({ node }) => node.place !== null);
  const last = (placed.length > 0 ? placed : nodes).reduce<PlacedNode | null>(
    (best, next) => (best === null || isFurther(next, best) ? next : best),
    null,
  );
  return last?.node.id ?? null;
}

function isFurther(next: PlacedNode, best: PlacedNode): boolean {
  const [a, b] = [next.node.place, best.node.place];
  return a === null || b === null ? next.x > best.x : a > b;
}

function placeOf({ place }: GraphNode): number {
  return place ?? Number.MAX_SAFE_INTEGER;
}
