import type { ActionResult } from "../../manifest/types.ts";
import { pairText } from "./path-sentences.ts";
import type { PathEntry } from "./path-entry.ts";
import { listText } from "../../runtime/lists.ts";
import type { Severity } from "../../runtime/protocol.ts";
import { rankOf, worstOf } from "../../runtime/severity.ts";

type Summary = ActionResult<"Does Path Exist">["summary"];

/** A comment of a case is read by people; the tables and the JSON result have the other pairs. */
const MOST_LINES = 25;

/** One run of Fetch Assets reads this many objects in a few seconds. */
const MOST_ENDS = 50;

/**
 * All pairs in a few words; repeated pairs count as often as they were given.
 *
 * @param lost - how many findings of the alert have no entry, because the host has not kept them; default: none
 * @param cuts - where to cut, as lines of the report; default: none
 */
export function summaryOf(
  exists: boolean | null,
  paths: readonly PathEntry[],
  { lost = 0, cuts = "" }: { lost?: number; cuts?: string } = {},
): Summary {
  const { open, closed, unanswered } = sorted(paths);
  return {
    verdict: exists === null ? "unknown" : exists ? "open" : "closed",
    open: open.length,
    closed: closed.length,
    unanswered: unanswered.length + lost,
    worst: worstSeverity([...open, ...unanswered], lost),
    ends: listText(endsOf(open)),
    report: [
      ...section("Open", open, pairText),
      ...section("Closed", closed, pairText),
      ...section("Could not be checked", unanswered, ({ error = "" }) => error),
      ...(lost === 0 ? [] : [`Not kept by the platform, and not checked: ${lost}`]),
      ...(cuts === "" ? [] : [cuts]),
    ].join("\n"),
  };
}

/**
 * The worst severity among the findings that are not known to be closed. A playbook gives it to the alert, so a finding that could
 * not be checked counts, and findings of which nothing is kept may be worse than any that is not critical.
 */
function worstSeverity(entries: readonly PathEntry[], lost: number): Severity {
  const worst = worstOf(entries.map(({ severity }) => severity));
  return lost > 0 && worst !== "critical" ? "unknown" : worst;
}

/** The entries by what was found out; the open ones worst first, and of equal ones the shortest first. */
export function sorted(paths: readonly PathEntry[]): Record<"open" | "closed" | "unanswered", PathEntry[]> {
  const of = (exists: boolean | null): PathEntry[] => paths.filter((entry) => entry.exists === exists);
  const byUrgency = (a: PathEntry, b: PathEntry): number =>
    rankOf(a.severity) - rankOf(b.severity) || (a.length ?? 0) - (b.length ?? 0);
  return { open: of(true).sort(byUrgency), closed: of(false), unanswered: of(null) };
}

function section(heading: string, entries: readonly PathEntry[], lineOf: (entry: PathEntry) => string): string[] {
  if (entries.length === 0) return [];
  const lines = [...new Set(entries.map((entry) => `- ${lineOf(entry)}${severityOf(entry)}`))];
  const more = lines.length - MOST_LINES;
  return [
    `${heading}: ${entries.length}`,
    ...lines.slice(0, MOST_LINES),
    ...(more > 0 ? [`- and ${more} more, which are in the result of Does Path Exist`] : []),
  ];
}

function severityOf({ severity, exists }: PathEntry): string {
  return severity === undefined || exists !== true ? "" : `, ${severity}`;
}

function endsOf(open: readonly PathEntry[]): string[] {
  const ids = open.flatMap(({ start, end }) => [start.objectId, end.objectId]);
  return [...new Set(ids.filter((id) => id !== null))].slice(0, MOST_ENDS);
}
