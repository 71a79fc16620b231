import type { ActionResult } from "../../../src/manifest/types.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import type { GraphNode, GraphView } from "../contract/index.ts";

type Path = ActionResult<"Does Path Exist">["paths"][number];
type Hop = Path["hops"][number];
type Node = Hop["from"];

/** The paths in a result of Does Path Exist, each with all its shortest paths, as they are drawn. */
export function pathGraphs(json: JsonObject | null): { title: string; graph: GraphView }[] {
  const { paths } = (json ?? {}) as Partial<ActionResult<"Does Path Exist">>;
  return (paths ?? [])
    .filter(({ exists }) => exists === true)
    .map((path) => ({ title: `${nameOf(path.start)} to ${nameOf(path.end)}`, graph: graphOf(path) }));
}

function graphOf({ start, hops, alternatives, tierZero = [] }: Path): GraphView {
  const nodes = new Map<string, GraphNode>();
  const add = (node: Node, place: number | null): void => {
    if (nodes.has(node.objectId)) return;
    const { objectId: id, kind } = node;
    nodes.set(id, { id, name: nameOf(node), kind: kind ?? "", tierZero: tierZero.includes(id), place });
  };
  if (start.objectId !== null) add({ ...start, objectId: start.objectId }, 0);
  for (const [index, { to }] of hops.entries()) add(to, index + 1);
  const edges = new Map<string, GraphView["edges"][number]>();
  const connect = ({ from, relation, to }: Hop, main: boolean): void => {
    add(from, null);
    add(to, null);
    const key = JSON.stringify([from.objectId, relation, to.objectId]);
    if (!edges.has(key)) edges.set(key, { from: from.objectId, to: to.objectId, relation, main });
  };
  for (const hop of hops) connect(hop, true);
  for (const edge of alternatives) connect(edge, false);
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

function nameOf({ name, objectId }: { name: string | null; objectId: string | null }): string {
  return name ?? objectId ?? "";
}
