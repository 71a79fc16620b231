import { oneLine } from "../../text.ts";
import { isMetaTreeEdge, type MetaTreeGraph } from "../../service/resources/graph.records.ts";
import { layered, type Place, type Size } from "./layered.ts";

/** The nodes and edges of a meta tree. Of a node that edges name and that is not listed, the key is all that is known. */
export interface Drawing {
  readonly nodes: readonly { readonly key: string; readonly label: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label: string }[];
}

export function drawingOf(graph: MetaTreeGraph): Drawing {
  const nodes: { key: string; label: string }[] = [];
  const edges: { from: string; to: string; label: string }[] = [];
  for (const [key, item] of Object.entries(graph)) {
    const label = oneLine(item.label?.text ?? "");
    if (!isMetaTreeEdge(item)) nodes.push({ key, label: label === "" ? oneLine(key) : label });
    else edges.push({ from: item.id1, to: item.id2, label });
  }
  const known = new Set(nodes.map(({ key }) => key));
  for (const key of edges.flatMap(({ from, to }) => [from, to])) {
    if (known.has(key)) continue;
    known.add(key);
    nodes.push({ key, label: oneLine(key) });
  }
  return { nodes, edges };
}

/** The graph in the language of Graphviz. */
export function dotOf(graph: MetaTreeGraph): string {
  const { nodes, edges } = drawingOf(graph);
  const lines = [
    ...nodes.map(({ key, label }) => `  ${quoted(key)} [label=${quoted(label)}];`),
    ...edges.map(({ from, to, label }) => `  ${quoted(from)} -> ${quoted(to)} [label=${quoted(label)}];`),
  ];
  return `digraph "meta tree" {\n  rankdir=LR;\n  node [shape=box];\n${lines.join("\n")}\n}\n`;
}

function quoted(text: string): string {
  return `"${text
    .toWellFormed()
    .replace(/\\/g, "\\\\")
    .replace(/"/g, '\\"')
    .replace(/[\r\n]/g, " ")}"`;
}

const FONT_SIZE = 12;
const CHARACTER_WIDTH = 7.2;
const NODE_HEIGHT = 26;
const MARGIN = 20;

/** The graph as an SVG picture, laid out from left to right. */
export function svgOf(graph: MetaTreeGraph): string {
  const { nodes, edges } = drawingOf(graph);
  const sizes = nodes.map(({ key, label }): [string, Size] => [
    key,
    { width: widthOf(label) + 16, height: NODE_HEIGHT },
  ]);
  const longest = edges.reduce((most, { label }) => Math.max(most, widthOf(label)), 0);
  const { places, ...all } = layered(new Map(sizes), edges, { columns: 60 + longest, rows: 12 });
  const boxes = nodes.map(({ key, label }) => ({ label, ...(places.get(key) ?? NOWHERE) }));
  const arrows = edges.map(({ from, to, label }) => {
    return { label, from: places.get(from) ?? NOWHERE, to: places.get(to) ?? NOWHERE };
  });
  const [width, height] = [Math.ceil(all.width + 2 * MARGIN), Math.ceil(all.height + 2 * MARGIN)];
  const size = `width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="monospace" font-size="${FONT_SIZE}" text-anchor="middle">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8Z" fill="#555"/></marker></defs>',
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="#fff"/>`,
    ...arrows.map(edgeSvg),
    ...boxes.map(nodeSvg),
    "</svg>\n",
  ].join("\n");
}

const NOWHERE: Place = { x: 0, y: 0, width: 0, height: 0 };

function widthOf(label: string): number {
  return label.length * CHARACTER_WIDTH;
}

function nodeSvg({ x, y, width, height, label }: Place & { label: string }): string {
  return `<g><rect x="${rounded(x - width / 2)}" y="${rounded(y - height / 2)}" width="${rounded(width)}" height="${rounded(height)}" rx="4" fill="#eef3f8" stroke="#456"/><text x="${rounded(x)}" y="${rounded(y + FONT_SIZE / 3)}">${escaped(label)}</text></g>`;
}

/** Leaves a box at its right and arrives at the left of another one; an edge from a box to itself goes above it. */
function edgeSvg({ from, to, label }: { from: Place; to: Place; label: string }): string {
  const [start, end] = [
    { x: from.x + from.width / 2, y: from.y },
    { x: to.x - to.width / 2, y: to.y },
  ];
  const above = { x: from.x, y: from.y - from.height };
  const points = from === to ? [start, above, end] : [start, end];
  const path = points.map(({ x, y }) => `${rounded(x)},${rounded(y)}`).join(" ");
  const middle = { x: (start.x + end.x) / 2, y: from === to ? above.y : (start.y + end.y) / 2 };
  return `<polyline points="${path}" fill="none" stroke="#555" marker-end="url(#arrow)"/><text x="${rounded(middle.x)}" y="${rounded(middle.y - 3)}" fill="#555">${escaped(label)}</text>`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
