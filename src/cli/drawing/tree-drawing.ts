import type { MetaTreeGraph } from "../../service/resources/graph.records.ts";
import { type Drawing, drawingOf } from "./graph-drawing.ts";
import { shortened } from "../../text.ts";
import type { Output } from "../output/output.ts";

/** A line of the drawing: a node, and the edges from it to the node that it stands below. */
interface Branch {
  readonly key: string;
  readonly edges: readonly string[];
  /** What stands before it: the lines of the nodes above. */
  readonly indent: string;
  /** What stands before the nodes below it. */
  readonly below: string;
}

/** Written together, so that a large graph costs few writes. */
const LINES_AT_ONCE = 500;

/**
 * Draws a graph for people: below each node stand the nodes that lead to it, with the edges by which they do. A node that leads to several
 * others is drawn with all that is below it once. Takes time in proportion to nodes and edges, because the service decides
 * how large the graph is.
 */
export async function drawTree(output: Output, graph: MetaTreeGraph): Promise<void> {
  let lines: string[] = [];
  for (const line of treeLines(drawingOf(graph), output)) {
    lines.push(`${line}\n`);
    if (lines.length < LINES_AT_ONCE) continue;
    await output.write(lines.join(""));
    lines = [];
  }
  await output.write(lines.join(""));
}

function* treeLines(drawing: Drawing, output: Output): Generator<string> {
  const width = output.width ?? Infinity;
  const deepest = Math.floor(Math.min(width, 120) / 2);
  const labels = new Map(drawing.nodes.map(({ key, label }) => [key, label]));
  const sources = sourcesOf(drawing);
  const drawn = new Set<string>();
  for (const root of rootsFirst(drawing)) {
    if (drawn.has(root)) continue;
    const waiting: Branch[] = [{ key: root, edges: [], indent: "", below: "" }];
    for (let branch = waiting.pop(); branch !== undefined; branch = waiting.pop()) {
      const { key, edges, indent, below } = branch;
      const isRepeated = drawn.has(key);
      const from = isRepeated ? [] : [...(sources.get(key) ?? [])];
      const note = isRepeated && sources.has(key) ? " (see above)" : "";
      const label = cut(labels.get(key) ?? key, width - indent.length);
      const by = edges.length === 0 ? "" : `  ${edges.join(", ")}`;
      const rest = cut(`${by}${note}`, width - indent.length - label.length);
      yield `${indent}${edges.length === 0 ? output.style("bold", label) : label}${rest === "" ? "" : output.style("dim", rest)}`;
      drawn.add(key);
      const isDeep = below.length + 3 > deepest;
      const next = from.map(([source, by], index): Branch => {
        const isLast = index === from.length - 1;
        return {
          key: source,
          edges: by,
          indent: `${below}${isLast ? "└─ " : "├─ "}`,
          // Deeper than this, names would have no room: lines go on at the same depth.
          below: isDeep ? below : `${below}${isLast ? "   " : "│  "}`,
        };
      });
      waiting.push(...next.reverse());
    }
  }
}

/** The edges by which nodes lead to each node, by its key; those from a node to itself say nothing. */
function sourcesOf({ edges }: Drawing): ReadonlyMap<string, ReadonlyMap<string, string[]>> {
  const found = new Map<string, Map<string, string[]>>();
  for (const { from, to, label } of edges) {
    if (from === to) continue;
    const sources = found.get(to) ?? new Map<string, string[]>();
    found.set(to, sources);
    const labels = sources.get(from);
    if (labels === undefined) sources.set(from, [label]);
    else if (!labels.includes(label)) labels.push(label);
  }
  return found;
}

/** Nodes that lead nowhere come first. What is left then is in a cycle. */
function rootsFirst({ nodes, edges }: Drawing): string[] {
  const leading = new Set(edges.filter(({ from, to }) => from !== to).map(({ from }) => from));
  const keys = nodes.map(({ key }) => key);
  return [...keys.filter((key) => !leading.has(key)), ...keys.filter((key) => leading.has(key))];
}

function cut(text: string, room: number): string {
  if (text.length <= room) return text;
  return room < 2 ? "" : shortened(text, room - 1);
}
