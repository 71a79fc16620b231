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
 * The object that a key leads to: the two keys in the direction of the drawing follow its arrows, the shortest path first; the other two
 * stay in the same column or row. Home and End go to the attacker and to the target. Null when there is none.
 */
export function walk(layout: Layout, from: string, key: WalkKey): string | null {
  const here = layout.nodes.find(({ node }) => node.id === from);
  if (here === undefined) return startOf(layout);
  if (key === "Home") return startOf(layout);
  if (key === "End") return endOf(layout);
  const [forth, back] =
    layout.direction === "across" ? (["ArrowRight", "ArrowLeft"] as const) : (["ArrowDown", "ArrowUp"] as const);
  if (key === forth) return along(layout, here, "from", "to");
  if (key === back) return along(layout, here, "to", "from");
  const isForth = key === "ArrowDown" || key === "ArrowRight";
  const next = beside(layout, here, isForth ? 1 : -1);
  // The keys of a path from left to right also follow one that is drawn downwards.
  if (next !== null || layout.direction === "across") return next;
  return isForth ? along(layout, here, "from", "to") : along(layout, here, "to", "from");
}

/** Names of the axis along the arrows, and of the one across them. */
function axesOf({ direction }: Layout): ["x", "y"] | ["y", "x"] {
  return direction === "across" ? ["x", "y"] : ["y", "x"];
}

function along(layout: Layout, here: PlacedNode, near: "from" | "to", far: "from" | "to"): string | null {
  const { nodes, arrows } = layout;
  const [, across] = axesOf(layout);
  const reached = arrows
    .filter((arrow) => arrow[near] === here.node.id && arrow[far] !== here.node.id)
    .map((arrow) => ({ main: arrow.main, id: arrow[far] }));
  const distance = (id: string) => Math.abs((nodes.find(({ node }) => node.id === id)?.[across] ?? 0) - here[across]);
  const nearest = reached.sort((a, b) => Number(b.main) - Number(a.main) || distance(a.id) - distance(b.id))[0];
  return nearest?.id ?? null;
}

function beside(layout: Layout, here: PlacedNode, sign: 1 | -1): string | null {
  const [along, across] = axesOf(layout);
  const distance = (node: PlacedNode) => (node[across] - here[across]) * sign;
  const others = layout.nodes.filter((node) => Math.abs(node[along] - here[along]) < 1 && distance(node) > 0);
  return others.sort((a, b) => distance(a) - distance(b))[0]?.node.id ?? null;
}

function endOf(layout: Layout): string | null {
  const { nodes } = layout;
  const [axis] = axesOf(layout);
  const placed = nodes.filter(({ node }) => node.place !== null);
  const last = (placed.length > 0 ? placed : nodes).reduce<PlacedNode | null>(
    (best, next) => (best === null || isFurther(next, best, axis) ? next : best),
    null,
  );
  return last?.node.id ?? null;
}

function isFurther(next: PlacedNode, best: PlacedNode, axis: "x" | "y"): boolean {
  const [a, b] = [next.node.place, best.node.place];
  return a === null || b === null ? next[axis] > best[axis] : a > b;
}

function placeOf({ place }: GraphNode): number {
  return place ?? Number.MAX_SAFE_INTEGER;
}
