import type { ActionResult } from "../../../src/manifest/types.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import type { GraphNode, GraphView } from "../contract/index.ts";

type Path = ActionResult<"Does Path Exist">["paths"][number];
type Hop = Path["hops"][number];

/** The paths in a result of Does Path Exist, each with all its shortest paths, as they are drawn. */
export function pathGraphs(json: JsonObject | null): { title: string; graph: GraphView }[] {
  const { paths } = (json ?? {}) as Partial<ActionResult<"Does Path Exist">>;
  return (paths ?? [])
    .filter(({ exists }) => exists === true)
    .map((path) => ({ title: `${nameOf(path.start)} to ${nameOf(path.end)}`, graph: graphOf(path) }));
}

function graphOf({ start, hops, alternatives, tierZero = [] }: Path): GraphView {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphView["edges"][number]>();
  const add = (node: Path["start"], hop: number, place: number | null): string => {
    // Only the hop distinguishes objects that the service did not identify.
    const id = node.objectId ?? `hop ${hop}`;
    const { kind } = node;
    if (!nodes.has(id))
      nodes.set(id, { id, name: nameOf(node), kind: kind ?? "", tierZero: tierZero.includes(id), place });
    return id;
  };
  const connect = ({ from, relation, to }: Hop, hop: number, main: boolean): void => {
    const [source, target] = [add(from, hop - 1, null), add(to, hop, null)];
    const key = JSON.stringify([source, relation, target]);
    if (!edges.has(key)) edges.set(key, { from: source, to: target, relation, main });
  };
  if (start.objectId !== null) add(start, 0, 0);
  for (const [index, { to }] of hops.entries()) add(to, index + 1, index + 1);
  for (const [index, hop] of hops.entries()) connect(hop, index + 1, true);
  for (const edge of alternatives) connect(edge, edge.hop, false);
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

function nameOf({ name, objectId }: { name: string | null; objectId: string | null }): string {
  return name ?? objectId ?? "unnamed object";
}
