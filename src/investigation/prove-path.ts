import type { ActionResult } from "../manifest/types.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { NotFoundError, ProtocolError, ServiceError } from "../service/errors/errors.ts";
import type { PathGraph } from "../service/resources/paths.records.ts";
import { ambiguity, findObject, type FoundObject, type ObjectReference } from "./find-object.ts";
import type { Pair } from "./path-pairs.ts";
import { objectIdOf, shortestWalk, type Step, type Walk } from "./path-walk.ts";
import { clipped, listed, named } from "./sentences.ts";

export type PathEntry = ActionResult<"Does Path Exist">["paths"][number];
type End = PathEntry["start"];
type Hop = PathEntry["hops"][number];

/** One end as it was asked for. */
interface ResolvedEnd {
  label: string;
  object: ObjectReference;
  tierZero: boolean | null;
  /** False: it has the form of an object id, but the search does not find it. */
  known: boolean;
}

/** An end that was not found or is ambiguous. */
interface Unresolved {
  text: string;
  status: "unknown_object" | "ambiguous_name";
  error: string;
}

/** Security identifiers, also those with a domain in front, and UUIDs. */
const OBJECT_ID = /(^|-)S-1-\d+(-\d+)+$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOST_ALTERNATIVES = 500;

/** Answers whether attack paths lead from objects to others. Each name is looked up once, and each path asked for once. */
export class PathProver {
  readonly #service: AttackPathService;
  /** By the text in capitals. */
  readonly #found = new Map<string, Promise<FoundObject>>();
  readonly #ends = new Map<string, End>();
  /** By both object ids. */
  readonly #entries = new Map<string, Promise<PathEntry>>();

  /** @param known - ends that earlier runs have looked up, by the text that was entered for them */
  constructor(service: AttackPathService, known: ReadonlyMap<string, End> = new Map()) {
    this.#service = service;
    for (const [text, { objectId, name, kind }] of known) {
      if (objectId === null) continue;
      const object = { objectId, name, type: kind };
      this.#keep(text, Promise.resolve({ status: "found", object, tierZero: null, candidates: [] }));
    }
  }

  /**
   * Whether an attack path leads from one object to another, each given by object id or name. Reports "no path" only for
   * two objects that the service knows.
   *
   * @throws ServiceError when the service could not answer
   */
  async prove(pair: Pair): Promise<PathEntry> {
    const [start, end] = await Promise.all([
      this.#resolve("Start Node", pair.start),
      this.#resolve("End Node", pair.end),
    ]);
    if ("error" in start || "error" in end) return unanswered(start, end);
    const key = JSON.stringify([start.object.objectId, end.object.objectId]);
    const known = this.#entries.get(key);
    const entry = known ?? this.#ask(start, end);
    this.#entries.set(key, entry);
    return entry;
  }

  /** The entry of a pair for which the service returned an error. */
  failed({ start, end }: Pair, { message }: ServiceError): PathEntry {
    const endOf = (text: string): End => this.#ends.get(text) ?? unknownEnd(text);
    return { ...NOTHING, start: endOf(start), end: endOf(end), status: "failed", exists: null, error: message };
  }

  async #resolve(label: string, text: string): Promise<ResolvedEnd | Unresolved> {
    const search = this.#found.get(text.toUpperCase()) ?? findObject(this.#service.objects, text);
    this.#keep(text, search);
    const found = await search;
    if (found.status === "found") {
      this.#ends.set(text, reference(found.object));
      return { label, object: found.object, tierZero: found.tierZero, known: true };
    }
    if (found.status === "ambiguous") {
      const error = ambiguity(`${label} "${named(text)}"`, found.candidates);
      return { text, status: "ambiguous_name", error };
    }
    if (OBJECT_ID.test(text)) {
      return { label, object: { objectId: text, name: null, type: null }, tierZero: null, known: false };
    }
    const similar = listed(found.candidates.map(({ name, objectId }) => name ?? objectId));
    return unknown(label, text, similar === "" ? "" : ` Similar names: ${similar}.`);
  }

  #keep(text: string, search: Promise<FoundObject>): void {
    this.#found.set(text.toUpperCase(), search);
  }

  async #ask(start: ResolvedEnd, end: ResolvedEnd): Promise<PathEntry> {
    if (start.known && start.object.objectId === end.object.objectId) return pathEntry(start, end, SAME_OBJECT);
    const graph = await this.#askForGraph(start, end);
    if (graph === "unknown" || graph === null) {
      return start.known && end.known ? noPath(start, end) : unanswered(knownOrNot(start), knownOrNot(end));
    }
    const walk = shortestWalk(graph, start.object.objectId, end.object.objectId);
    if (walk !== null) return pathEntry(start, end, walk, graph);
    throw new ProtocolError(
      "The service sent a path that does not lead from the start to the end. It was discarded. Try again later. If it keeps happening, contact the support of the service.",
      { whoActs: "service" },
    );
  }

  /** The search leaves some objects out, such as local groups; for those the answer about the path tells whether they exist. */
  async #askForGraph(start: ResolvedEnd, end: ResolvedEnd): Promise<PathGraph | null | "unknown"> {
    try {
      return await this.#service.paths.shortest(start.object.objectId, end.object.objectId);
    } catch (error) {
      if (saysUnknown(error) && !(start.known && end.known)) return "unknown";
      throw error;
    }
  }
}

const NOTHING = { length: null, hops: [], alternatives: [], truncated: false };
const SAME_OBJECT: Walk = { steps: [], others: [] };
const EMPTY: PathGraph = { nodes: new Map(), edges: [] };

function pathEntry(start: ResolvedEnd, end: ResolvedEnd, { steps, others }: Walk, graph = EMPTY): PathEntry {
  const [first, last] = [steps.at(0), steps.at(-1)];
  const tierZero = tierZeroOf(start, steps, graph);
  return {
    start: first ? node(graph, first.from) : reference(start.object),
    end: last ? node(graph, last.to) : reference(end.object),
    status: "path",
    exists: true,
    length: steps.length,
    hops: steps.map((step) => hopOf(graph, step)),
    alternatives: others.slice(0, MOST_ALTERNATIVES).map(({ hop, ...step }) => ({ hop, ...hopOf(graph, step) })),
    truncated: others.length > MOST_ALTERNATIVES,
    ...(tierZero.length > 0 && { tierZero }),
  };
}

function noPath(start: ResolvedEnd, end: ResolvedEnd): PathEntry {
  const ends = { start: reference(start.object), end: reference(end.object) };
  return { ...NOTHING, ...ends, status: "no_path", exists: false };
}

function unanswered(start: ResolvedEnd | Unresolved, end: ResolvedEnd | Unresolved): PathEntry {
  const problems = [start, end].filter((each) => "error" in each);
  const isUnknown = problems.some(({ status }) => status === "unknown_object");
  return {
    ...NOTHING,
    start: "error" in start ? unknownEnd(start.text) : reference(start.object),
    end: "error" in end ? unknownEnd(end.text) : reference(end.object),
    status: isUnknown ? "unknown_object" : "ambiguous_name",
    exists: null,
    error: problems.map(({ error }) => error).join(" "),
  };
}

function knownOrNot(end: ResolvedEnd): ResolvedEnd | Unresolved {
  return end.known ? end : unknown(end.label, end.object.objectId);
}

function unknown(label: string, text: string, hint = ""): Unresolved {
  const error = `${label} "${named(text)}" was not found. Enter an object id or the full name, such as ALICE@EXAMPLE.LOCAL.${hint}`;
  return { text, status: "unknown_object", error };
}

/** An unknown object is a 404 or a 500 with this message (BloodHound, cmd/api/src/api/v2/pathfinding.go). */
function saysUnknown(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  if (error instanceof NotFoundError) return error.wrapped;
  return error.code === "server" && error.messages.includes("not found");
}

function tierZeroOf(start: ResolvedEnd, steps: readonly Step[], graph: PathGraph): string[] {
  if (steps.length === 0) return start.tierZero === true ? [start.object.objectId] : [];
  const keys = [...steps.slice(0, 1).map(({ from }) => from), ...steps.map(({ to }) => to)];
  return keys.filter((key) => graph.nodes.get(key)?.isTierZero === true).map((key) => objectIdOf(graph, key));
}

function hopOf(graph: PathGraph, { from, relation, to }: Step): Hop {
  return { from: node(graph, from), relation: clipped(relation), to: node(graph, to) };
}

function node(graph: PathGraph, key: string): Hop["from"] {
  const { label, kind } = graph.nodes.get(key) ?? {};
  return { objectId: clipped(objectIdOf(graph, key)), name: clippedOrNull(label), kind: clippedOrNull(kind) };
}

function reference({ objectId, name, type }: ObjectReference): End {
  return { objectId, name: clippedOrNull(name), kind: clippedOrNull(type) };
}

function unknownEnd(text: string): End {
  return { objectId: null, name: clipped(text), kind: null };
}

function clippedOrNull(text: string | null | undefined): string | null {
  return text == null ? null : clipped(text);
}
