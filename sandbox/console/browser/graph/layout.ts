import { Graph, layout as arrange } from "@dagrejs/dagre";
import type { GraphNode, GraphView } from "../../contract/index.ts";
import { type Arrow, arrowsOf } from "./arrows.ts";
import { clip } from "./label.ts";

/** Size of every object's card, in the units of the drawing. */
export const CARD = { width: 208, height: 50 } as const;
/** Height of a line on an arrow, and how many relations an arrow names before it counts the others. */
export const LINE = 15;
const MOST_RELATIONS = 3;
const CHARACTER = 6.4;
const MARGIN = 16;
const NODE_SEPARATION = 22;

export interface Point {
  x: number;
  y: number;
}

export interface PlacedNode {
  node: GraphNode;
  /** Centre of its card. */
  x: number;
  y: number;
}

export interface PlacedArrow extends Arrow {
  /** Along the arrow, from the border of one card to that of the other. */
  points: Point[];
  /** What stands on it, line by line, and the rectangle that it takes. */
  lines: string[];
  label: Point & { width: number; height: number };
}

/** From left to right, or from top to bottom. */
export type Direction = "across" | "down";

export interface Layout {
  direction: Direction;
  width: number;
  height: number;
  nodes: PlacedNode[];
  arrows: PlacedArrow[];
}

/** A drawing that is higher than this is not seen as a whole. */
const MOST_HEIGHT = 900;

/** The layouts of a graph, each made when it is first asked for: a large one takes seconds, and a window that changes its width asks often. */
export function layoutsOf(graph: GraphView): (direction: Direction) => Layout {
  const known = new Map<Direction, Layout>();
  return (direction) => {
    const layout = known.get(direction) ?? layoutOf(graph, direction);
    known.set(direction, layout);
    return layout;
  };
}

/** The drawing of a whole graph at a size that can be read, from left to right where that fits; null when there is no room for it. */
export function fittingLayout(graph: GraphView, width: number, layouts = layoutsOf(graph)): Layout | null {
  // Cards keep these distances in either direction.
  const least = graph.nodes.length * (CARD.width + NODE_SEPARATION) * (CARD.height + NODE_SEPARATION);
  if (least > (width + NODE_SEPARATION) * (MOST_HEIGHT + NODE_SEPARATION)) return null;
  for (const direction of ["across", "down"] as const) {
    const layout = layouts(direction);
    if (layout.width <= width && layout.height <= MOST_HEIGHT) return layout;
  }
  return null;
}

/**
 * Places a graph, the shortest path the straightest. The same graph always looks the same. At its own size, the smallest text of the
 * drawing has 11 pixels.
 */
export function layoutOf(graph: GraphView, direction: Direction = "across"): Layout {
  const arrows = arrowsOf(graph).map((arrow) => ({ ...arrow, lines: linesOf(arrow.relations) }));
  const drawing = new Graph({ multigraph: false }).setDefaultEdgeLabel(() => ({}));
  const rankdir = direction === "across" ? "LR" : "TB";
  drawing.setGraph({ rankdir, nodesep: NODE_SEPARATION, edgesep: 12, ranksep: 36, marginx: MARGIN, marginy: MARGIN });
  // The service chooses the ids, and dagre has no place for one such as `__proto__`.
  const keys = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]));
  const keyOf = (id: string): string => keys.get(id) ?? id;
  for (const { id } of inReadingOrder(graph.nodes)) drawing.setNode(keyOf(id), { ...CARD });
  for (const { from, to, main, lines } of arrows) {
    drawing.setEdge(keyOf(from), keyOf(to), { ...sizeOf(lines), labelpos: "c", weight: main ? 12 : 1 });
  }
  arrange(drawing);
  const { width = 0, height = 0 } = drawing.graph() as { width?: number; height?: number };
  return {
    direction,
    width: Math.max(width, CARD.width),
    height: Math.max(height, CARD.height),
    nodes: graph.nodes.map((node) => ({ node, ...(drawing.node(keyOf(node.id)) as Point) })).map(placed),
    arrows: arrows.map((arrow) => {
      const { points, x, y } = drawing.edge(keyOf(arrow.from), keyOf(arrow.to)) as { points: Point[] } & Point;
      return { ...arrow, points, label: { x, y, ...sizeOf(arrow.lines) } };
    }),
  };
}

/** The attacker first: where a cycle is broken up, the shortest path keeps its direction. */
function inReadingOrder(nodes: readonly GraphNode[]): GraphNode[] {
  const rank = ({ place }: GraphNode) => place ?? Number.POSITIVE_INFINITY;
  return [...nodes].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

function placed({ node, x, y }: PlacedNode): PlacedNode {
  return { node, x, y };
}

function linesOf(relations: readonly string[]): string[] {
  const shown = relations.slice(0, MOST_RELATIONS).map((relation) => clip(relation, 26));
  const left = relations.length - shown.length;
  return left === 0 ? shown : [...shown, `and ${left} more`];
}

function sizeOf(lines: readonly string[]): { width: number; height: number } {
  const longest = Math.max(...lines.map((line) => line.length));
  return { width: Math.max(40, Math.round(longest * CHARACTER) + 14), height: lines.length * LINE + 3 };
}

/** The `d` of an arrow's line: each part leaves and arrives in the direction of the drawing. */
export function curve(points: readonly Point[], direction: Direction = "across"): string {
  const [start, ...rest] = points;
  if (start === undefined) return "";
  let from = start;
  const parts = rest.map((to) => {
    const [x, y] = [round((from.x + to.x) / 2), round((from.y + to.y) / 2)];
    const bends =
      direction === "across"
        ? `${x} ${round(from.y)} ${x} ${round(to.y)}`
        : `${round(from.x)} ${y} ${round(to.x)} ${y}`;
    const part = `C${bends} ${round(to.x)} ${round(to.y)}`;
    from = to;
    return part;
  });
  return `M${round(start.x)} ${round(start.y)}${parts.join("")}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
