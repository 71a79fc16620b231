import type { ActionResult } from "../../manifest/types.ts";
import { counted } from "../../text.ts";
import { isAnswered, type PathEntry } from "../paths/path-entry.ts";
import { nameOf } from "../paths/path-sentences.ts";

export type Nearness = NonNullable<ActionResult<"Does Path Exist">["nearTierZero"]>;
export type StartNearness = Nearness["starts"][number];
type Priority = Nearness["priority"];
type Found = NonNullable<StartNearness["object"]>;

/** Up to this many hops, an attacker who controls the start is almost in Tier Zero. */
const CRITICAL_UP_TO = 2;
const HIGH_UP_TO = 4;
/** The most urgent first. */
const PRIORITIES: readonly Priority[] = ["critical", "high", "moderate", "unknown", "none"];

const NO_END = "No Tier Zero object is known to ask about.";
const LEFT = "It was not asked about all of the Tier Zero objects yet.";

/** What is known of a start before any path is asked for. */
export interface KnownStart {
  start: PathEntry["start"];
  /** Whether the search says that it is in Tier Zero, or it is one of the ends that are tried. */
  isTierZero: boolean;
  /** Why nothing could be asked about it; absent when something was. */
  error?: string;
}

/**
 * How near one start is to Tier Zero, by the answers for the ends that were tried. Any object of Tier Zero on a shortest path
 * counts, because the way to it is part of that path. `exists` is false only when every end was tried, and answered with no
 * path.
 *
 * @param ends - how many ends are to be tried, answered or not
 * @param gap - why others could not be tried
 */
export function nearnessOf(
  { start, isTierZero, error }: KnownStart,
  entries: readonly PathEntry[],
  { ends, gap }: { ends: number; gap: string | null },
): StartNearness {
  const marked = entries.some(({ tierZero = [] }) => tierZero.includes(start.objectId ?? ""));
  const [nearest] = isTierZero || marked ? [{ hops: 0, object: start }] : entries.flatMap(tierZeroOn).sort(byDistance);
  const isAsked = entries.length === ends && error === undefined && gap === null;
  const exists = nearest !== undefined ? true : isAsked ? noneOf(entries) : null;
  const hops = nearest?.hops ?? null;
  const found = { start, exists, hops, object: nearest?.object ?? null, priority: priorityOf(exists, hops) };
  return {
    ...found,
    text: textOf(found),
    ...(exists === null && { error: error ?? reasonIn(entries) ?? gap ?? noAnswer(ends) }),
  };
}

function noAnswer(ends: number): string {
  return ends === 0 ? NO_END : LEFT;
}

/** Why the first entry without an answer has none. */
function reasonIn(entries: readonly PathEntry[]): string | undefined {
  return entries.find((entry) => !isAnswered(entry))?.error;
}

/** False when there are answers, and each says that there is no path; else null. */
function noneOf(entries: readonly PathEntry[]): false | null {
  return entries.length > 0 && entries.every(({ exists }) => exists === false) ? false : null;
}

/** Sums up all starts: the nearest one decides. */
export function nearnessOfAll(starts: readonly StartNearness[], tried: Nearness["tried"]): Nearness {
  const [worst] = starts.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.hops ?? 0) - (b.hops ?? 0));
  return {
    priority: worst?.priority ?? "unknown",
    hops: worst?.hops ?? null,
    text: worst?.text ?? "",
    report: starts.map(({ text, error }) => `- ${text}${error === undefined ? "" : ` ${error}`}`).join("\n"),
    tried,
    starts: [...starts],
  };
}

/** Whether any start has a path into Tier Zero; null when that is not known. */
export function anyNear(starts: readonly StartNearness[]): boolean | null {
  if (starts.some(({ exists }) => exists === true)) return true;
  return starts.length > 0 && starts.every(({ exists }) => exists === false) ? false : null;
}

function rankOf({ priority }: StartNearness): number {
  return PRIORITIES.indexOf(priority);
}

interface Place {
  hops: number;
  object: Found;
}

/** Each object of Tier Zero on the shortest paths, and the end: it was tried because it is one. */
function tierZeroOn({ exists, end, length, hops, alternatives, tierZero = [] }: PathEntry): Place[] {
  if (exists !== true || length === null) return [];
  const marked = new Set(tierZero);
  const steps = [
    ...hops.map(({ to }, index) => ({ hops: index + 1, object: to })),
    ...alternatives.map(({ hop, to }) => ({ hops: hop, object: to })),
  ];
  return [{ hops: length, object: end }, ...steps.filter(({ object }) => marked.has(object.objectId ?? ""))];
}

function byDistance(a: Place, b: Place): number {
  const key = ({ object }: Place): string => object.name ?? object.objectId ?? "";
  return a.hops - b.hops || (key(a) < key(b) ? -1 : 1);
}

function priorityOf(exists: boolean | null, hops: number | null): Priority {
  if (hops === null) return exists === false ? "none" : "unknown";
  return hops <= CRITICAL_UP_TO ? "critical" : hops <= HIGH_UP_TO ? "high" : "moderate";
}

function textOf({ start, exists, hops, object }: Omit<StartNearness, "text">): string {
  const name = nameOf(start);
  if (hops === 0) return `${name} is in Tier Zero.`;
  if (hops !== null && object !== null) return `${name} is ${distanceText(hops)}: ${nameOf(object)}.`;
  return exists === false
    ? `No attack path leads from ${name} to the Tier Zero objects that were tried.`
    : `It is not known how near ${name} is to Tier Zero.`;
}

/** `2 hops from Tier Zero` */
export function distanceText(hops: number): string {
  return hops === 0 ? "in Tier Zero" : `${counted(hops, "hop")} from Tier Zero`;
}
