import { isAnswered, isSameObject, isWithoutControl, type PathEntry, titleOf } from "./path-entry.ts";
import { reasons } from "../result/sentences.ts";
import { HIDDEN_ID, isHidden } from "../../service/resources/paths.records.ts";
import { counted, listed, named } from "../../text.ts";

/** The action does not know which relationship a finding is about. */
const IF_ANOTHER = "A finding about another relationship is fixed.";

/** What was found out about some pairs, beginning with those that could not be answered. */
export function pathSentences(paths: readonly PathEntry[]): string[] {
  const [only] = paths;
  return [
    ...(paths.length === 1 && only ? [aboutOne(only)] : aboutSeveral(paths)),
    ...(paths.some(({ truncated }) => truncated)
      ? ["The JSON result does not have every hop of every shortest path, because there are too many."]
      : []),
    ...(leadThrough(paths, ({ objectId }) => objectId === null)
      ? ["The service did not say which objects some hops lead through. Their object ids are null in the JSON result."]
      : []),
    ...(leadThrough(paths, isHidden)
      ? [
          `Some hops lead through objects that the token may not see. The service gives all of them the id ${HIDDEN_ID}.`,
        ]
      : []),
  ];
}

function leadThrough(paths: readonly PathEntry[], isOne: (object: PathEntry["start"]) => boolean): boolean {
  return paths.some(({ hops, alternatives }) =>
    [...hops, ...alternatives].some(({ from, to }) => isOne(from) || isOne(to)),
  );
}

function aboutOne(entry: PathEntry): string {
  const { status, start, end, length, error = "" } = entry;
  const [from, to] = [nameOf(start), nameOf(end)];
  if (status === "no_path") return `No attack path leads from ${from} to ${to}.`;
  if (status !== "path") return error;
  if (isWithoutControl(entry))
    return `Only a relationship that gives no control by itself joins the objects of the finding: ${pairText(entry)}. ${IF_ANOTHER}`;
  if (isSameObject(entry)) return `${from} and ${to} are the same object: the path has no hops.`;
  return `An attack path leads from ${from} to ${to} in ${hops(length)}.`;
}

function aboutSeveral(paths: readonly PathEntry[]): string[] {
  const unanswered = paths.filter((entry) => !isAnswered(entry));
  const same = paths.filter(isSameObject);
  const open = paths.filter((entry) => entry.exists === true && !isWithoutControl(entry) && !isSameObject(entry));
  const withoutControl = paths.filter(isWithoutControl);
  const closed = paths.filter(({ exists }) => exists === false);
  return [
    ...(unanswered.length > 0
      ? [`Could not check ${of(unanswered, paths)}.`, ...reasons(unanswered.map(({ error = "" }) => error))]
      : []),
    ...(open.length > 0 ? [`An attack path exists for ${of(open, paths)}: ${distinctly(open)}.`] : []),
    ...(withoutControl.length > 0
      ? [
          `For ${of(withoutControl, paths)}, only a relationship that gives no control by itself joins the objects of the finding: ${distinctly(withoutControl)}. ${IF_ANOTHER}`,
        ]
      : []),
    ...(same.length > 0 ? [`For ${of(same, paths)}, start and end are the same object: ${distinctly(same)}.`] : []),
    ...(closed.length > 0 ? [`No attack path exists for ${of(closed, paths)}: ${distinctly(closed)}.`] : []),
  ];
}

function of(some: readonly PathEntry[], { length }: readonly PathEntry[]): string {
  return `${some.length} of ${length} pairs`;
}

function distinctly(entries: readonly PathEntry[]): string {
  return listed([...new Set(entries.map(pairText))]);
}

/** "A to B (3 hops)", "A to B (GetChanges, no attack path)" or "A to itself" */
export function pairText(entry: PathEntry): string {
  const { start, end, length } = entry;
  if (isSameObject(entry)) return `${nameOf(start)} to itself`;
  const ends = `${nameOf(start)} to ${nameOf(end)}`;
  if (isWithoutControl(entry)) return `${ends} (${listed([...relationsOf(entry), "no attack path"])})`;
  return length === null ? ends : `${ends} (${hops(length)})`;
}

/** The kinds of the relationships that join both ends in one hop. */
function relationsOf({ hops: direct, alternatives }: PathEntry): string[] {
  return [...new Set([...direct, ...alternatives].map(({ relation }) => relation))];
}

function hops(length: number | null): string {
  return counted(length ?? 0, "hop");
}

/** An end as a sentence shows it. */
export function nameOf(end: PathEntry["start"]): string {
  return named(titleOf(end));
}
