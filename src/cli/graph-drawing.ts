import dagre from "@dagrejs/dagre";
import { oneLine } from "../service/errors/one-line.ts";
import { isMetaTreeEdge, type MetaTreeGraph } from "../service/resources/graph.records.ts";

/** The part of dagre that is used here; its own declarations name types that cannot be resolved. */
interface Dagre {
  readonly graphlib: { readonly Graph: new (options: { multigraph: boolean }) => Layout };
  readonly layout: (graph: Layout) => void;
}

interface Layout {
  setGraph(options: object): void;
  setNode(key: string, node: { label: string; width: number; height: number }): void;
  setEdge(from: string, to: string, edge: { label: string; width: number; height: number }, name: string): void;
  graph(): { width?: number; height?: number };
  node(key: string): PlacedNode;
  edge(from: string, to: string, name: string): PlacedEdge;
}

interface Drawing {
  readonly nodes: readonly { readonly key: string; readonly label: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label: string }[];
}

function drawingOf(graph: MetaTreeGraph): Drawing {
  const nodes: { key: string; label: string }[] = [];
  const edges: { from: string; to: string; label: string }[] = [];
  for (const [key, item] of Object.entries(graph)) {
    const label = oneLine(item.label?.text ?? "");
    if (!isMetaTreeEdge(item)) nodes.push({ key, label: label === "" ? oneLine(key) : label });
    else if (item.id1 !== undefined && item.id2 !== undefined) edges.push({ from: item.id1, to: item.id2, label });
  }
  const known = new Set(nodes.map(({ key }) => key));
  return { nodes, edges: edges.filter(({ from, to }) => known.has(from) && known.has(to)) };
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
  const { graphlib, layout: place } = dagre as unknown as Dagre;
  const layout = new graphlib.Graph({ multigraph: true });
  layout.setGraph({ rankdir: "LR", marginx: MARGIN, marginy: MARGIN, nodesep: 12, ranksep: 120 });
  for (const { key, label } of nodes) {
    layout.setNode(key, { label, width: label.length * CHARACTER_WIDTH + 16, height: NODE_HEIGHT });
  }
  for (const [index, { from, to, label }] of edges.entries()) {
    const size = { width: label.length * CHARACTER_WIDTH, height: FONT_SIZE, labelpos: "c" };
    layout.setEdge(from, to, { label, ...size }, String(index));
  }
  place(layout);
  const { width = 0, height = 0 } = layout.graph();
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="monospace" font-size="${FONT_SIZE}" text-anchor="middle">`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8Z" fill="#555"/></marker></defs>',
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...edges.map(({ from, to }, index) => edgeSvg(layout.edge(from, to, String(index)))),
    ...nodes.map(({ key }) => nodeSvg(layout.node(key))),
    "</svg>\n",
  ].join("\n");
}

interface PlacedNode {
  x: number;
  y: number;
  width: number;
  height: number;
  label: string;
}

interface PlacedEdge {
  points: { x: number; y: number }[];
  x: number;
  y: number;
  label: string;
}

function nodeSvg({ x, y, width, height, label }: PlacedNode): string {
  return `<g><rect x="${rounded(x - width / 2)}" y="${rounded(y - height / 2)}" width="${rounded(width)}" height="${rounded(height)}" rx="4" fill="#eef3f8" stroke="#456"/><text x="${rounded(x)}" y="${rounded(y + FONT_SIZE / 3)}">${escaped(label)}</text></g>`;
}

function edgeSvg({ points, x, y, label }: PlacedEdge): string {
  const path = points.map((point) => `${rounded(point.x)},${rounded(point.y)}`).join(" ");
  return `<polyline points="${path}" fill="none" stroke="#555" marker-end="url(#arrow)"/><text x="${rounded(x)}" y="${rounded(y - 3)}" fill="#555">${escaped(label)}</text>`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
