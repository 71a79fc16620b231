import type { Graph, GraphNode } from "./graph.ts";
import { isTraversable } from "./kinds.ts";
import { within } from "./walk.ts";

/** Groups whose members control an environment; what of these an environment has, comes first. */
const CONTROLLING = ["DOMAIN ADMINS@", "ENTERPRISE ADMINS@", "ADMINISTRATORS@"];

/**
 * A user of an environment and a Tier Zero object of it that is so many hops away or more, over a shortest path; null when there is none.
 * Ends are object ids.
 */
export function farthestInto(
  graph: Graph,
  environmentId: string,
  leastHops: number,
): { start: string; end: string } | null {
  const members = [...graph.nodes].filter((node) => node.environmentId === environmentId);
  const rank = ({ name }: GraphNode) => {
    const found = CONTROLLING.findIndex((prefix) => name.startsWith(prefix));
    return found === -1 ? CONTROLLING.length : found;
  };
  for (const { objectId: end } of members.filter(({ tierZero }) => tierZero).sort((a, b) => rank(a) - rank(b))) {
    const start = farthestUser(graph, members, end, leastHops);
    if (start !== null) return { start, end };
  }
  return null;
}

function farthestUser(graph: Graph, members: readonly GraphNode[], end: string, leastHops: number): string | null {
  const reaching = (hops: number) => within(graph, end, "incoming", hops, ({ kind }) => isTraversable(kind));
  const users = members.filter(({ kind, tierZero }) => !tierZero && /User$/.test(kind)).map(({ objectId }) => objectId);
  let best: string | null = null;
  let near = reaching(leastHops - 1);
  for (let hops = leastHops; ; hops += 1) {
    const all = reaching(hops);
    best = users.find((id) => all.has(id) && !near.has(id)) ?? best;
    if (all.size === near.size) return best;
    near = all;
  }
}
