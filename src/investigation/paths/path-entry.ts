import type { ActionResult } from "../../manifest/types.ts";
import { isHidden, type PathGraph, type PathNode } from "../../service/resources/paths.records.ts";
import type { ObjectReference } from "../objects/found-object.ts";
import { clipped, clippedOrNull } from "../result/sentences.ts";
import type { Walk, WalkStep } from "./path-walk.ts";

/** What is known about one pair, as a result shows it. */
export type PathEntry = ActionResult<"Does Path Exist">["paths"][number];
export type End = PathEntry["start"];
type Hop = PathEntry["hops"][number];

/** An end of which the object is known. */
export interface Resolved {
  object: ObjectReference;
}

/** An end that was not found or is ambiguous. */
export interface Unresolved {
  text: string;
  status: "unknown_object" | "ambiguous_name";
  error: string;
}

const MOST_ALTERNATIVES = 500;
/** Nobody reads a longer path hop by hop, and many of them would fill the memory. Its length says enough. */
const MOST_HOPS = 1_000;

const NOTHING = { length: null, hops: [], alternatives: [], truncated: false };

/** Whether the service said that there is a path or none; the other entries are not answered. */
export function isAnswered({ exists }: PathEntry): boolean {
  return exists !== null;
}

/** Whether a finding counts as open only because a relationship joins its ends that gives no control. No attack path does. */
export function isWithoutControl({ exists, givesControl }: PathEntry): boolean {
  return exists === true && givesControl === false;
}

/** Whether both ends are one object, which leads to itself without a hop. */
export function isSameObject({ exists, length }: PathEntry): boolean {
  return exists === true && length === 0;
}

/** The entry of a pair that a path joins. */
export function pathEntry(graph: PathGraph, { steps, others }: Walk, startId: string, endId: string): PathEntry {
  const [first, last] = [steps.at(0), steps.at(-1)];
  // Only the two ends have a known id. Node keys are internal to the response and must not be shown as object ids.
  const ends = new Map([...(first ? [[first.from, startId]] : []), ...(last ? [[last.to, endId]] : [])] as [
    string,
    string,
  ][]);
  const idOf = (key: string): string | null => graph.nodes.get(key)?.objectId ?? ends.get(key) ?? null;
  const node = (key: string): End => {
    const { label, kind } = graph.nodes.get(key) ?? {};
    return { objectId: clippedOrNull(idOf(key)), name: clippedOrNull(label), kind: clippedOrNull(kind || null) };
  };
  const hopOf = ({ from, relation, to }: WalkStep): Hop => ({
    from: node(from),
    relation: clipped(relation),
    to: node(to),
  });
  const isShown = steps.length <= MOST_HOPS;
  const alternatives = isShown ? others.slice(0, MOST_ALTERNATIVES) : [];
  const onPath = [...(first ? [first.from] : []), ...steps.map(({ to }) => to)];
  // If the hops are left out, the result shows only the ends.
  const keys = isShown
    ? [...onPath, ...alternatives.flatMap(({ from, to }) => [from, to])]
    : [...ends.keys(), ...onPath].slice(0, MOST_HOPS);
  // A hidden object shares its id with all others.
  const isTierZero = ({ isTierZero: is, ...node }: PathNode): boolean => is === true && !isHidden(node);
  const tierZero = keys.filter((key) => isTierZero(graph.nodes.get(key) ?? {})).flatMap((key) => idOf(key) ?? []);
  return {
    start: first ? node(first.from) : idOnly(startId),
    end: last ? node(last.to) : idOnly(endId),
    status: "path",
    exists: true,
    length: steps.length,
    hops: isShown ? steps.map(hopOf) : [],
    alternatives: alternatives.map(({ hop, ...step }) => ({ hop, ...hopOf(step) })),
    truncated: !isShown || others.length > MOST_ALTERNATIVES,
    ...tierZeroOf(tierZero.map(clipped)),
  };
}

/** The entry of an object and itself. */
export function noHops(object: ObjectReference): PathEntry {
  const ends = { start: reference(object), end: reference(object) };
  return { ...NOTHING, ...ends, status: "path", exists: true, length: 0 };
}

/** The entry of two known objects that no path joins. */
export function noPath(start: ObjectReference, end: ObjectReference): PathEntry {
  return { ...NOTHING, start: reference(start), end: reference(end), status: "no_path", exists: false };
}

/** The entry of a pair of which at least one end was not found or is ambiguous. */
export function unanswered(start: Resolved | Unresolved, end: Resolved | Unresolved): PathEntry {
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

/** The entry of a pair for which the service returned an error. */
export function failed(start: End, end: End, error: string): PathEntry {
  return { ...NOTHING, start, end, status: "failed", exists: null, error };
}

/** The field of an entry, each object id once; absent when there are none. */
export function tierZeroOf(ids: readonly string[]): Pick<PathEntry, "tierZero"> {
  return ids.length === 0 ? {} : { tierZero: [...new Set(ids)] };
}

/** What an object is called where only a text fits. */
export function titleOf({ name, objectId }: Pick<End, "name" | "objectId">): string {
  return name ?? objectId ?? "unnamed object";
}

/** An object that a search found, as a result names it. */
export function reference({ objectId, name, type }: ObjectReference): End {
  return { objectId, name: clippedOrNull(name), kind: clippedOrNull(type) };
}

/** An object of which only the id is known. */
export function idOnly(objectId: string): End {
  return { objectId, name: null, kind: null };
}

/** An end that is not known, by what was entered for it. */
export function unknownEnd(text: string): End {
  return { objectId: null, name: clipped(text), kind: null };
}
