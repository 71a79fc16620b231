import type { ActionResult } from "../manifest/types.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { NotFoundError, ProtocolError, ServiceError } from "../service/errors/errors.ts";
import type { PathGraph } from "../service/resources/paths.records.ts";
import { findObject, type ObjectReference } from "./find-object.ts";
import { objectIdOf, shortestWalk, type Step } from "./path-walk.ts";
import { listed } from "./sentences.ts";

export type PathProof = ActionResult<"Does Path Exist">;
type Node = PathProof["start"];

/** An end of the path that was not found or is ambiguous. The message says which, and what to do. */
export class UnknownEndError extends Error {
  override readonly name = "UnknownEndError";
  readonly readable = true;
}

/** One end as it was asked for. */
interface End {
  label: string;
  object: ObjectReference;
  /** False: it has the form of an object id, but the search does not find it. */
  known: boolean;
}

/** Security identifiers, also those with a domain in front, and UUIDs. */
const OBJECT_ID = /(^|-)S-1-\d+(-\d+)+$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Whether an attack path leads from one object to another, each given by object id or name. Reports "no path" only for two
 * objects that the service knows.
 *
 * @throws UnknownEndError when an end is not known or its name is ambiguous
 * @throws ServiceError when the service could not answer
 */
export async function provePath(service: AttackPathService, startText: string, endText: string): Promise<PathProof> {
  const [start, end] = await Promise.all([
    resolveEnd(service, "Start Node", startText),
    resolveEnd(service, "End Node", endText),
  ]);
  if (start.known && start.object.objectId === end.object.objectId) return proof(start, end, []);
  const graph = await askForPath(service, start, end);
  if (graph === null) {
    requireKnown(start, end);
    return proof(start, end, null);
  }
  const walk = shortestWalk(graph, start.object.objectId, end.object.objectId);
  if (walk === null) {
    throw new ProtocolError(
      "The service sent a path that does not lead from the start to the end. It was discarded. Try again later. If it keeps happening, contact the support of the service.",
      {
        whoActs: "service",
      },
    );
  }
  return proof(start, end, walk, graph);
}

async function resolveEnd({ objects }: AttackPathService, label: string, text: string): Promise<End> {
  const found = await findObject(objects, text);
  if (found.status === "found") return { label, object: found.object, known: true };
  if (found.status === "ambiguous") {
    const ids = listed(
      found.candidates.map(({ objectId, type }) => (type === null ? objectId : `${objectId} (${type})`)),
    );
    throw new UnknownEndError(
      `${label} "${text}" is the name of several objects. Enter one of their object ids: ${ids}.`,
    );
  }
  if (OBJECT_ID.test(text)) return { label, object: { objectId: text, name: null, type: null }, known: false };
  const similar = listed(found.candidates.map(({ name, objectId }) => name ?? objectId));
  throw new UnknownEndError(`${unknown(label, text)}${similar === "" ? "" : ` Similar names: ${similar}.`}`);
}

/** The search leaves some objects out, such as local groups; for those the answer about the path tells whether they exist. */
async function askForPath({ paths }: AttackPathService, start: End, end: End): Promise<PathGraph | null> {
  try {
    return await paths.shortest(start.object.objectId, end.object.objectId);
  } catch (error) {
    if (saysUnknown(error)) requireKnown(start, end);
    throw error;
  }
}

/** An unknown object is a 404 or a 500 with this message (BloodHound, cmd/api/src/api/v2/pathfinding.go). */
function saysUnknown(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  if (error instanceof NotFoundError) return error.wrapped;
  return error.code === "server" && error.messages.includes("not found");
}

function requireKnown(...ends: readonly End[]): void {
  const missing = ends.find((end) => !end.known);
  if (missing) throw new UnknownEndError(unknown(missing.label, missing.object.objectId));
}

function unknown(label: string, text: string): string {
  return `${label} "${text}" was not found. Enter an object id or the full name, such as ALICE@EXAMPLE.LOCAL.`;
}

const EMPTY: PathGraph = { nodes: new Map(), edges: [] };

/** @param walk - null without a path */
function proof(start: End, end: End, walk: readonly Step[] | null, graph = EMPTY): PathProof {
  const [first, last] = [walk?.at(0), walk?.at(-1)];
  return {
    exists: walk !== null,
    start: first ? node(graph, first.from) : reference(start.object),
    end: last ? node(graph, last.to) : reference(end.object),
    length: walk?.length ?? null,
    hops: (walk ?? []).map(({ from, relation, to }) => ({ from: node(graph, from), relation, to: node(graph, to) })),
    graph: {
      nodes: [...graph.nodes].map(([key, { isTierZero }]) => ({ ...node(graph, key), tierZero: isTierZero ?? null })),
      edges: graph.edges.map(({ source = "", target = "", kind, label }) => ({
        from: objectIdOf(graph, source),
        to: objectIdOf(graph, target),
        relation: kind ?? label ?? "",
      })),
    },
  };
}

function node(graph: PathGraph, key: string): Node {
  const { label, kind } = graph.nodes.get(key) ?? {};
  return { objectId: objectIdOf(graph, key), name: label ?? null, kind: kind ?? null };
}

function reference({ objectId, name, type }: ObjectReference): Node {
  return { objectId, name, kind: type };
}
