import type { Insight, ResultTable } from "../../runtime/protocol.ts";
import { sorted } from "./path-summary.ts";
import { nameOf, pairText } from "./path-sentences.ts";
import { isSameObject, isWithoutControl, type PathEntry } from "./path-entry.ts";
import { resultTable } from "../result/result-table.ts";
import { listed, named } from "../../text.ts";

/** An insight shows the hops of a path up to this length; longer ones are in the table. */
const LONGEST_SHOWN = 8;

/** The pairs with their answers, when there are several, and the hops of the open paths, worst first. */
export function pathTables(paths: readonly PathEntry[]): ResultTable[] {
  const { open, closed, unanswered } = sorted(distinct(paths));
  const pairs = [...open, ...unanswered, ...closed];
  // An object leads to itself without a hop, and a result may be too large for them.
  const hops = onceEach(open).flatMap(hopRows);
  return [
    ...(pairs.length > 1 ? [resultTable("Checked Paths", PAIR_COLUMNS, pairs.map(pairRow))] : []),
    ...(hops.length > 0 ? [resultTable("Hops", HOP_COLUMNS, hops)] : []),
  ];
}

const PAIR_COLUMNS = ["Start", "End", "Path", "Hops", "Severity", "To Tier Zero"];
const HOP_COLUMNS = ["Path", "Hop", "From", "Relation", "To", "Tier Zero"];

function pairRow(entry: PathEntry): (string | number)[] {
  const { start, end, exists, length, severity = "", error = "" } = entry;
  const found = isWithoutControl(entry) ? "relationship only" : isSameObject(entry) ? "same object" : "open";
  const answer = exists === null ? error : exists ? found : "none";
  return [nameOf(start), nameOf(end), answer, length ?? "", severity, leadsToTierZero(entry) ? "yes" : ""];
}

function hopRows({ start, end, hops, tierZero = [] }: PathEntry): (string | number)[][] {
  const path = `${nameOf(start)} to ${nameOf(end)}`;
  const isTierZero = new Set(tierZero);
  return hops.map(({ from, relation, to }, index) => [
    path,
    index + 1,
    nameOf(from),
    relation,
    nameOf(to),
    isTierZero.has(to.objectId ?? "") ? "yes" : "",
  ]);
}

/** Says that somebody outside of Tier Zero can get into it; nothing when nobody can. */
export function pathInsight(paths: readonly PathEntry[]): { insight?: Insight } {
  const leading = onceEach(sorted(distinct(paths)).open).filter(leadsToTierZero);
  const [first] = leading;
  if (first === undefined) return {};
  const text =
    leading.length === 1
      ? `An attack path leads into Tier Zero: ${drawn(first)}. Whoever controls ${nameOf(first.start)} can take over the environment.`
      : `${leading.length} attack paths lead into Tier Zero: ${listed(leading.map(pairText))}. Whoever controls one of the starts can take over the environment.`;
  return { insight: { title: "Attack path to Tier Zero", text, severity: "critical" } };
}

/** From outside: an object of Tier Zero gains nothing by a path into it. */
function leadsToTierZero(entry: PathEntry): boolean {
  const { exists, start, tierZero = [] } = entry;
  return exists === true && !isWithoutControl(entry) && tierZero.length > 0 && !tierZero.includes(start.objectId ?? "");
}

/** "A -MemberOf-> B -AdminTo-> C" */
function drawn(entry: PathEntry): string {
  const { start, hops, tierZero = [] } = entry;
  // Where only another shortest path leads through Tier Zero, these hops would not show it.
  const showsTierZero = hops.some(({ to }) => tierZero.includes(to.objectId ?? ""));
  if (!showsTierZero || hops.length > LONGEST_SHOWN) return pairText(entry);
  return hops.reduce((line, { relation, to }) => `${line} -${named(relation)}-> ${nameOf(to)}`, nameOf(start));
}

/** A pair that was given twice is shown once for each severity. */
function distinct(paths: readonly PathEntry[]): PathEntry[] {
  return [...new Map(paths.map((entry) => [`${endsOf(entry)} ${entry.severity ?? ""}`, entry])).values()];
}

/** Each path once: the first entry of several, which is that of the worst severity. */
function onceEach(sortedPaths: readonly PathEntry[]): PathEntry[] {
  const first = new Map<string, PathEntry>();
  for (const entry of sortedPaths) if (!first.has(endsOf(entry))) first.set(endsOf(entry), entry);
  return [...first.values()];
}

function endsOf({ start, end }: PathEntry): string {
  return JSON.stringify([start.objectId ?? start.name, end.objectId ?? end.name]);
}
