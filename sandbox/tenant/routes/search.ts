import { dataAnswer, Refusal } from "../answer.ts";
import type { Handler, Route } from "../exchange.ts";
import type { GraphNode } from "../graph/graph.ts";
import { parseCount } from "../query.ts";
import { AZURE_KINDS } from "./azure-kinds.ts";
import { DIRECTORY_KINDS } from "./directory.ts";

const DEFAULT_LIMIT = 10;
/** Kinds of the service's schema: it knows them also when no object is of that kind. */
const SCHEMA_KINDS = [...Object.values(DIRECTORY_KINDS), ...Object.values(AZURE_KINDS)].map(({ kind }) => kind);

/**
 * Exact matches of name or object id first, then names that contain the text, each by name (BloodHound API,
 * cmd/api/src/api/v2/search.go). No match is a null list.
 */
const search: Handler = ({ query, data }) => {
  const text = (query.get("q") ?? "").toUpperCase();
  if (text === "") throw new Refusal(400, "Invalid search parameter");
  const skip = parseCount(query, "skip", 0);
  const limit = parseCount(query, "limit", DEFAULT_LIMIT);
  const searched = [...data.graph.nodes].filter(typeFilter([...data.graph.nodes], query.getAll("type")));
  const exact = searched.filter((node) => isExact(node, text));
  const partial = searched.filter((node) => !isExact(node, text) && node.name.includes(text));
  const found = [...exact.sort(byName), ...partial.sort(byName)].slice(skip, skip + limit);
  return dataAnswer(found.length === 0 ? null : found.map(searchResult));
};

function typeFilter(nodes: readonly GraphNode[], types: readonly string[]): (node: GraphNode) => boolean {
  if (types.length === 0) return () => true;
  const known = new Set([...SCHEMA_KINDS, ...nodes.flatMap((node) => node.kinds)]);
  const wanted = types.filter((type) => known.has(type));
  if (wanted.length === 0) throw new Refusal(400, "Invalid type parameter");
  return (node) => wanted.some((type) => node.kinds.includes(type));
}

const isExact = (node: GraphNode, text: string): boolean => node.name === text || node.objectId.toUpperCase() === text;
const byName = (a: GraphNode, b: GraphNode): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : a.objectId < b.objectId ? -1 : 1;

function searchResult(node: GraphNode) {
  return {
    objectid: node.objectId,
    type: node.kind,
    name: node.name,
    distinguishedname: node.props.distinguishedname ?? "",
    system_tags: node.props.system_tags ?? "",
  };
}

export const searchRoutes: Route[] = [{ method: "GET", path: "/api/v2/search", handle: search }];
