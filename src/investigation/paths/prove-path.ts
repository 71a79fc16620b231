import type { AttackPathService, PathQuery } from "../../service/attack-path-service.ts";
import { NotFoundError, ProtocolError, ServiceError } from "../../service/errors/errors.ts";
import { type EndLabels, type EndWords, PARAMETERS, wordsFor } from "./end-words.ts";
import { ambiguity, findObject, findObjectById } from "../objects/find-object.ts";
import type { FoundObject } from "../objects/found-object.ts";
import { isObjectId } from "../objects/name-forms.ts";
import {
  type End,
  failed,
  idOnly,
  noHops,
  noPath,
  type PathEntry,
  pathEntry,
  reference,
  type Resolved,
  unanswered,
  unknownEnd,
  type Unresolved,
} from "./path-entry.ts";
import { noNotes, type PathNotes } from "./path-notes.ts";
import { type Pair, pairKey } from "./path-pairs.ts";
import { shortestWalk } from "./path-walk.ts";
import { withTierZero } from "./tier-zero-marks.ts";
import { inCapitals, isSameText, listed, named } from "../../text.ts";

/** One end as it was asked for. */
interface ResolvedEnd extends Resolved {
  words: EndWords;
  tierZero: boolean | null;
  /** False: it has the form of an object id, but the search does not find it. */
  known: boolean;
}

/** The part of the service that answers about paths. */
export type PathService = Pick<AttackPathService, "objects" | "origin" | "paths">;

/**
 * Answers whether attack paths lead from objects to others: of entered pairs, or of findings. Each name is looked up once, and each path asked for once. Object
 * ids are looked up only when no path joins them, because a path names its objects.
 */
export class PathProver {
  readonly #service: PathService;
  readonly #labels: EndLabels;
  /** By the text in capitals. */
  readonly #found = new Map<string, Promise<FoundObject>>();
  readonly #ends = new Map<string, End>();
  /** Paths that were asked for, by both object ids; null where there is none. */
  readonly #paths = new Map<string, Promise<PathEntry | null>>();
  readonly #notes: PathNotes;

  /**
   * @param known - ends that earlier runs have looked up, by the text that was entered for them
   * @param notes - what earlier runs have found out about pairs that they could not answer; this run adds to them
   */
  constructor(
    service: PathService,
    known: ReadonlyMap<string, End> = new Map(),
    labels = PARAMETERS,
    notes: PathNotes = noNotes(),
  ) {
    this.#service = service;
    this.#labels = labels;
    this.#notes = notes;
    for (const [text, end] of known) this.#keepEnd(text, end, null);
    for (const [text, found] of notes.found) this.#keep(text, Promise.resolve(found));
  }

  /**
   * Whether an attack path leads from one object to another, each given by object id or name. Reports "no path" only for
   * two objects that the service knows.
   *
   * @throws ServiceError when the service could not answer
   */
  async prove(pair: Pair): Promise<PathEntry> {
    if (pair.end === "") return withoutTarget(pair);
    const isAsked = this.#notes.asked.has(pairKey(pair));
    return (isAsked ? null : await this.#pathBetweenIds(pair)) ?? this.#proveFound(pair);
  }

  /** The entry of a pair for which the service returned an error. */
  failed({ start, end, areIds = false }: Pair, { message }: ServiceError): PathEntry {
    const endOf = (text: string): End => this.#ends.get(text) ?? (areIds ? idOnly(text) : unknownEnd(text));
    return failed(endOf(start), endOf(end), message);
  }

  /** Null when an end has to be looked up first: it is a name, or the service knew no path or not the object. */
  async #pathBetweenIds(pair: Pair): Promise<PathEntry | null> {
    const { start, end, areIds = false } = pair;
    const idOf = (text: string): string | null =>
      this.#ends.get(text)?.objectId ?? (areIds || isObjectId(text) ? text : null);
    const [startId, endId] = [idOf(start), idOf(end)];
    if (startId === null || endId === null || isSameText(startId, endId)) return null;
    try {
      const entry = await this.#shortest(startId, endId, areIds);
      if (entry === null) {
        this.#notes.asked.add(pairKey(pair));
        return null;
      }
      const isTierZero = ({ objectId }: End): boolean => (entry.tierZero ?? []).includes(objectId ?? "");
      this.#keepEnd(start, entry.start, isTierZero(entry.start));
      this.#keepEnd(end, entry.end, isTierZero(entry.end));
      return entry;
    } catch (error) {
      if (!saysUnknown(error)) throw error;
      this.#notes.asked.add(pairKey(pair));
      return null;
    }
  }

  async #proveFound(pair: Pair): Promise<PathEntry> {
    const ends = [this.#resolve(pair, "start"), this.#resolve(pair, "end")] as const;
    // If one look-up fails, the next run needs what the other one finds.
    await Promise.allSettled(ends);
    const [start, end] = await Promise.all(ends);
    if ("error" in start || "error" in end) return unanswered(start, end);
    const isSame = start.known && start.object.objectId === end.object.objectId;
    const entry = isSame ? noHops(start.object) : await this.#shortestOfKnown(start, end, pair);
    if (entry === null && !(start.known && end.known)) return unanswered(knownOrNot(start), knownOrNot(end));
    return withTierZero(entry ?? noPath(start.object, end.object), taggedIds([start, end]));
  }

  async #resolve(pair: Pair, end: "start" | "end"): Promise<ResolvedEnd | Unresolved> {
    const { [end]: text, areIds = false } = pair;
    const words = wordsFor(pair, end, this.#labels);
    const find = areIds ? findObjectById : findObject;
    const search = this.#found.get(inCapitals(text)) ?? find(this.#service.objects, text);
    this.#keep(text, search);
    const found = await search;
    this.#notes.found.set(inCapitals(text), found);
    if (found.status === "found") {
      this.#ends.set(text, reference(found.object));
      return { words, object: found.object, tierZero: found.tierZero, known: true };
    }
    if (found.status === "not_found" && (areIds || isObjectId(text))) {
      return { words, object: { objectId: text, name: null, type: null }, tierZero: null, known: false };
    }
    const status = found.status === "ambiguous" ? "ambiguous_name" : "unknown_object";
    return { text, status, error: whyUnresolved(text, found, words) };
  }

  #keep(text: string, search: Promise<FoundObject>): void {
    this.#found.set(inCapitals(text), search);
  }

  /** Remembers an object that is known by now, so that it is not searched for. */
  #keepEnd(text: string, end: End, tierZero: boolean | null): void {
    const { objectId, name, kind } = end;
    if (objectId === null || this.#ends.has(text)) return;
    this.#ends.set(text, end);
    const object = { objectId, name, type: kind };
    this.#keep(text, Promise.resolve({ status: "found", object, tierZero, candidates: [] }));
  }

  /** The search leaves some objects out, such as local groups. For those, the answer about the path says whether they exist. */
  async #shortestOfKnown(start: ResolvedEnd, end: ResolvedEnd, { areIds = false }: Pair): Promise<PathEntry | null> {
    try {
      return await this.#shortest(start.object.objectId, end.object.objectId, areIds);
    } catch (error) {
      if (saysUnknown(error) && !(start.known && end.known)) return null;
      throw error;
    }
  }

  /** @param isFinding - they are the ends of a finding */
  #shortest(startId: string, endId: string, isFinding: boolean): Promise<PathEntry | null> {
    const key = JSON.stringify([startId, endId, isFinding]);
    const ask = isFinding ? askForFinding : askForPath;
    const path = this.#paths.get(key) ?? ask(this.#service, startId, endId);
    this.#paths.set(key, path);
    return path;
  }
}

/** The entry of a finding whose target is not known: its path may exist. */
function withoutTarget({ start }: Pair): PathEntry {
  const object = { objectId: start, name: null, type: null };
  const error = `The finding from ${named(start)} names no target, so its path was not checked.`;
  return unanswered({ object }, { text: "", status: "unknown_object", error });
}

/**
 * A finding counts as open as long as any relationship joins its objects, whether or not it gives control, because the service does not
 * say which relationship the finding is about.
 */
async function askForFinding(service: PathService, startId: string, endId: string): Promise<PathEntry | null> {
  const path = await askForPath(service, startId, endId);
  if (path !== null) return path;
  const relationship = await askForPath(service, startId, endId, { onlyTraversable: false });
  return relationship?.length === 1 ? { ...relationship, givesControl: false } : null;
}

/** @throws ServiceError when the service could not answer, or does not know one of the objects */
async function askForPath(
  service: PathService,
  startId: string,
  endId: string,
  query: PathQuery = { onlyTraversable: true },
): Promise<PathEntry | null> {
  const graph = await service.paths.shortest(startId, endId, query);
  if (graph === null) return null;
  const walk = shortestWalk(graph, startId, endId);
  if (walk !== null) return pathEntry(graph, walk, startId, endId);
  throw new ProtocolError(
    "The service sent a path that does not lead from the start to the end. It was discarded. Try again later. If it keeps happening, contact the support of the service.",
    { whoActs: "service" },
  );
}

/** Object ids of those ends that the search says are in Tier Zero. */
function taggedIds(ends: readonly ResolvedEnd[]): ReadonlySet<string> {
  return new Set(ends.filter(({ tierZero }) => tierZero === true).map(({ object }) => object.objectId));
}

function knownOrNot({ words, object, known, ...end }: ResolvedEnd): ResolvedEnd | Unresolved {
  if (known) return { words, object, known, ...end };
  return { text: object.objectId, status: "unknown_object", error: whyUnresolved(object.objectId, NOT_FOUND, words) };
}

const NOT_FOUND: FoundObject = { status: "not_found", candidates: [] };

/** Why the search for an end gave no object, and what to do. */
export function whyUnresolved(text: string, { status, candidates }: FoundObject, words: EndWords): string {
  if (status === "ambiguous") return ambiguity(words.subject, candidates, words.whenAmbiguous);
  const similar = isObjectId(text) ? "" : listed(candidates.map(({ name, objectId }) => name ?? objectId));
  return `${words.subject} was not found. ${words.whenUnknown}${similar === "" ? "" : ` Similar names: ${similar}.`}`;
}

/** An unknown object is a 404 or a 500 of the service itself with this message (BloodHound, cmd/api/src/api/v2/pathfinding.go). */
export function saysUnknown(error: unknown): boolean {
  if (!(error instanceof ServiceError) || !error.wrapped) return false;
  return error instanceof NotFoundError || (error.code === "server" && error.messages.includes("not found"));
}
