import { badge, type Child, type Look } from "../shared/dom.ts";
import { count, type Fields, fields, items, text } from "../shared/read.ts";
import { counted } from "../shared/text.ts";

/** One pair of the result, as far as it could be read. */
export interface PathEntry {
  verdict: Verdict;
  /** What the status says, in a word or two. */
  status: string;
  start: Fields;
  end: Fields;
  /** Hops, 0 when start and end are one object; null without a path. */
  length: number | null;
  hops: Fields[];
  alternatives: Fields[];
  /** Whether the result leaves out alternatives or hops. */
  truncated: boolean;
  tierZero: ReadonlySet<unknown>;
  error: string | null;
  url: unknown;
}

export type Verdict = "open" | "closed" | "unanswered";

const unansweredBecause: Readonly<Record<string, string>> = {
  unknown_object: "Unknown object",
  ambiguous_name: "Ambiguous name",
  failed: "Failed",
};

export function readEntry(path: Fields): PathEntry {
  const hops = items(path["hops"]);
  const status = text(path["status"]) ?? "";
  const verdict = path["exists"] === true ? "open" : path["exists"] === false ? "closed" : "unanswered";
  const unanswered = Object.hasOwn(unansweredBecause, status) ? unansweredBecause[status] : undefined;
  return {
    verdict,
    status: verdict === "open" ? "Open" : verdict === "closed" ? "No path" : (unanswered ?? "Not answered"),
    start: fields(path["start"]),
    end: fields(path["end"]),
    length: verdict === "open" ? (count(path["length"]) ?? hops.length) : null,
    hops,
    alternatives: items(path["alternatives"]),
    truncated: path["truncated"] === true,
    tierZero: new Set(Array.isArray(path["tierZero"]) ? (path["tierZero"] as unknown[]) : []),
    error: verdict === "unanswered" ? (text(path["error"]) ?? "This pair could not be checked.") : null,
    url: path["url"],
  };
}

export const lookOf: Readonly<Record<Verdict, Look>> = { open: "danger", closed: "good", unanswered: "warning" };

/** The worst first: open paths into Tier Zero, other open ones, what is not known, what is closed; short paths before long ones. */
export function byUrgency(a: PathEntry, b: PathEntry): number {
  return rank(a) - rank(b) || (a.length ?? 0) - (b.length ?? 0);
}

function rank(entry: PathEntry): number {
  // From an object to itself there is nothing to take.
  if (entry.verdict === "open") return entry.length === 0 ? 2 : endsInTierZero(entry) ? 0 : 1;
  return entry.verdict === "unanswered" ? 3 : 4;
}

export function endsInTierZero({ end, tierZero }: PathEntry): boolean {
  return tierZero.has(end["objectId"]);
}

export function nameOf(object: Fields): string {
  return text(object["name"]) ?? text(object["objectId"]) ?? "unnamed object";
}

export function relationOf(edge: Fields): string {
  return text(edge["relation"]) ?? "unnamed relation";
}

export function hopsText(length: number): string {
  return length === 0 ? "start and end are one object" : counted(length, "hop");
}

/** How long an open path is, and whether it ends in Tier Zero. */
export function pathBadges(entry: PathEntry): Child[] {
  if (entry.length === null) return [];
  return [badge(counted(entry.length, "hop"), "plain"), endsInTierZero(entry) ? badge("Tier Zero", "danger") : null];
}
