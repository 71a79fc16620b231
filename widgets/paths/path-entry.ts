import { badge, type Child, type Look } from "../shared/dom.ts";
import { count, type Fields, fields, items, text } from "../shared/read.ts";
import { counted } from "../shared/text.ts";

/** One pair of the result, as far as it could be read. */
export interface PathEntry {
  verdict: Verdict;
  /** What the status says, in a word or two. */
  status: string;
  /** Of the finding that the pair is; null when it is none, or when the service does not say. */
  severity: Severity | null;
  start: Fields;
  end: Fields;
  /** False for a finding of which only the relationship itself exists: no attack path joins its ends. */
  givesControl: boolean;
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

/** The worst first. */
const severities = { critical: "danger", high: "danger", moderate: "warning", low: "plain" } as const;
type Severity = keyof typeof severities;

const unansweredBecause: Readonly<Record<string, string>> = {
  unknown_object: "Unknown object",
  ambiguous_name: "Ambiguous name",
  failed: "Failed",
};

export function readEntry(path: Fields): PathEntry {
  const hops = items(path["hops"]);
  const status = text(path["status"]) ?? "";
  const verdict = path["exists"] === true ? "open" : path["exists"] === false ? "closed" : "unanswered";
  const givesControl = path["givesControl"] !== false;
  const length = verdict === "open" ? (count(path["length"]) ?? hops.length) : null;
  const unanswered = Object.hasOwn(unansweredBecause, status) ? unansweredBecause[status] : undefined;
  return {
    verdict,
    status:
      verdict === "open"
        ? openStatus(length, givesControl)
        : verdict === "closed"
          ? "Closed"
          : (unanswered ?? "Not answered"),
    severity: severityOf(text(path["severity"])),
    start: fields(path["start"]),
    end: fields(path["end"]),
    givesControl,
    length,
    hops,
    alternatives: items(path["alternatives"]),
    truncated: path["truncated"] === true,
    tierZero: new Set(Array.isArray(path["tierZero"]) ? (path["tierZero"] as unknown[]) : []),
    error: verdict === "unanswered" ? (text(path["error"]) ?? "This pair could not be checked.") : null,
    url: path["url"],
  };
}

function openStatus(length: number | null, givesControl: boolean): string {
  if (length === 0) return "Same object";
  return givesControl ? "Open" : "Relationship only";
}

/** Whether somebody gains control: not from an object to itself, nor by a relationship that gives none. */
export function isAttackPath({ verdict, length, givesControl }: PathEntry): boolean {
  return verdict === "open" && length !== 0 && givesControl;
}

function severityOf(word: string | null): Severity | null {
  return word !== null && Object.hasOwn(severities, word) ? (word as Severity) : null;
}

export const lookOf: Readonly<Record<Verdict, Look>> = { open: "danger", closed: "good", unanswered: "warning" };

/** What is open, then what is not known, then what is closed. Of equal ones the worst severity, Tier Zero, the shortest path. */
export function byUrgency(a: PathEntry, b: PathEntry): number {
  const [first, second] = [urgency(a), urgency(b)];
  const differs = first.findIndex((rank, index) => rank !== second[index]);
  return differs === -1 ? 0 : (first[differs] ?? 0) - (second[differs] ?? 0);
}

function urgency(entry: PathEntry): number[] {
  const { verdict, severity, length } = entry;
  const answer = verdict === "open" ? (isAttackPath(entry) ? 0 : 1) : verdict === "unanswered" ? 2 : 3;
  const words = Object.keys(severities);
  const rank = severity === null ? words.length : words.indexOf(severity);
  return [answer, rank, endsInTierZero(entry) ? 0 : 1, length ?? 0];
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

/** What was found out, and of an open path how long and how bad it is. */
export function badges(entry: PathEntry): Child[] {
  const { verdict, status, length, severity } = entry;
  return [
    badge(length !== null && isAttackPath(entry) ? `${status}, ${counted(length, "hop")}` : status, lookOf[verdict]),
    length === null || severity === null ? null : badge(severity, severities[severity]),
    endsInTierZero(entry) ? badge("Tier Zero", "danger") : null,
  ];
}
