import { validatePathGraph } from "../../generated/validators.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { type Endpoint, ForbiddenError, NotFoundError } from "../errors/errors.ts";
import { path, type QueryPair } from "../http/target.ts";
import { type Api, LARGEST_LIST_BYTES } from "../api.ts";
import { isHidden, type PathEdge, type PathNode, type WirePathEdge } from "./paths.records.ts";
import { malformed } from "../responses/response-body.ts";

export function pathsOf(api: Api): AttackPathService["paths"] {
  return {
    async shortest(startId, endId, { onlyTraversable = false } = {}) {
      try {
        const query: QueryPair[] = [
          ["start_node", startId],
          ["end_node", endId],
        ];
        if (onlyTraversable) query.push(["only_traversable", "true"]);
        const reply = await api.get(path`/api/v2/graphs/shortest-path`, query, { largestBody: LARGEST_LIST_BYTES });
        const { nodes: given = {}, edges = [] } = api.record(validatePathGraph, reply);
        const nodes = new Map(Object.entries(given).map(([key, node]) => [key, withoutEmpty(node)]));
        if (isAboutOthers([...nodes.values()], [startId, endId]))
          throw [...nodes.values()].some(isHidden)
            ? hiddenEnd(reply.endpoint)
            : malformed("is about other objects", reply.endpoint);
        return { nodes, edges: edges.filter(hasEnds) };
      } catch (error) {
        if (error instanceof NotFoundError && saysNoPath(error)) return null;
        throw error;
      }
    },
  };
}

/** BloodHound writes an object id or a name that it does not know as an empty text (server source, FromDAWGSNode). */
function withoutEmpty({ objectId, label, ...node }: PathNode): PathNode {
  return { ...node, ...(objectId && { objectId }), ...(label && { label }) };
}

function hasEnds(edge: WirePathEdge): edge is PathEdge {
  return edge.source !== undefined && edge.target !== undefined;
}

function hiddenEnd(endpoint: Endpoint): ForbiddenError {
  return new ForbiddenError(
    "A path joins the two objects, but the service hides which ones they are: the token may not see the environment of the start, of the end, or of both. Use a token that may see both.",
    { whoActs: "administrator", endpoint },
  );
}

/** Whether every object of a graph is known, and one that was asked for is not among them. */
function isAboutOthers(nodes: readonly PathNode[], asked: readonly string[]): boolean {
  const ids = nodes.map(({ objectId }) => objectId?.toUpperCase());
  if (ids.length === 0 || ids.includes(undefined)) return false;
  return asked.some((id) => !ids.includes(id.toUpperCase()));
}

/**
 * The service answers 404 `path not found` when both objects are known and no path joins them (BloodHound,
 * cmd/api/src/api/v2/pathfinding.go; the letter case differs between versions). Any other 404 must not count as that:
 * a web server's page, a gateway without a route for this path, an object that is unknown.
 */
function saysNoPath({ wrapped, messages }: NotFoundError): boolean {
  return wrapped && messages.length > 0 && messages.every((message) => NO_PATH.test(message));
}

const NO_PATH = /^path not found\.?$/i;
