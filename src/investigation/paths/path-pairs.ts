import { commaHint } from "../../runtime/lists.ts";
import type { Severity } from "../../runtime/protocol.ts";
import { inCapitals, isSameText, listed, sentences } from "../../text.ts";
import { type CaseContext, type ChosenValues, valuesOrEntities } from "../case-context.ts";
import { InputError } from "../../runtime/errors.ts";

/** Both ends of a path as they were entered, or as the case has them: object ids or names. */
export interface Pair {
  start: string;
  /** Empty for a finding without a target. */
  end: string;
  /** They are the ends of a finding: both are known to be object ids, whatever their form. */
  areIds?: boolean;
  /** The end that a selected entity stands in for. */
  selected?: "start" | "end";
  /** Nobody entered the end: it is tried because it is in Tier Zero. */
  isTried?: true;
  /** Severity of the finding that the pair comes from; absent for other pairs. */
  severity?: Severity;
}

export interface ChosenPairs {
  /** In the order of the input, repetitions included. */
  pairs: Pair[];
  /** What stood in for an empty parameter, as a sentence; empty when nothing did. */
  note: string;
}

/** Starts without ends: the question is how near they are to Tier Zero. */
export interface Starts {
  /** Object ids or names, each once. */
  values: readonly string[];
  /** Whether the selected entities stand in for Start Node. */
  selected: boolean;
}

const MOST_DIFFERENT = 500;
/** Each pair has an entry in the result, repetitions too. */
const MOST_PAIRS = 20_000;

/** The same for pairs that differ in letter case only. */
export function pairKey({ start, end }: Pair): string {
  return JSON.stringify([inCapitals(start), inCapitals(end)]);
}

/**
 * The starts of a question without ends; null when there is an End Node, or something in the case that could be one. Selected
 * entities count as starts if Start Node is empty and the alert has no findings, such as an alert of another product.
 */
export function chooseStarts(
  starts: readonly string[] | null,
  ends: readonly string[] | null,
  { entities, findings }: CaseContext,
): (Starts & { note: string }) | null {
  if (ends !== null) return null;
  const selected = entities.map(({ identifier }) => identifier);
  if (starts === null) {
    if (findings.length > 0 || selected.length === 0) return null;
    return { values: selected, selected: true, note: `Used the selected entities as Start Node: ${listed(selected)}.` };
  }
  const isStart = (text: string): boolean => starts.some((start) => isSameText(start, text));
  if (!selected.every(isStart)) return null;
  const values = new Map(starts.map((start) => [inCapitals(start), start]));
  return { values: [...values.values()], selected: false, note: "" };
}

/**
 * The pairs to check: the values of Start Node and End Node one by one, or one value against many. The selected entities stand in
 * for one empty parameter, the findings of the alert for both.
 *
 * @throws InputError when that makes no pairs, or too many
 */
export function choosePairs(
  starts: readonly string[] | null,
  ends: readonly string[] | null,
  context: CaseContext,
): ChosenPairs {
  if (starts === null && ends === null) return pairsOfFindings(context.findings);
  const start = valuesOrEntities("Start Node", starts, context);
  const end = valuesOrEntities("End Node", ends, context);
  const selected = start.selected ? "start" : end.selected ? "end" : null;
  const pairs = pairUp(start, end).map((pair): Pair => (selected === null ? pair : { ...pair, selected }));
  return withoutSame(limited(pairs, "Start Node and End Node make"), `${start.note}${end.note}`);
}

/** Leaves out the pairs of the case that are the same text twice. */
function withoutSame(pairs: readonly Pair[], note: string): ChosenPairs {
  const isLeftOut = (pair: Pair): boolean => isOfTheCase(pair) && isSameText(pair.start, pair.end);
  const kept = pairs.filter((pair) => !isLeftOut(pair));
  const [first] = pairs;
  if (kept.length === 0 && first !== undefined) throw nothingLeft(first);
  return { pairs: kept, note: sentences([note, ...leftOutNote(pairs.filter(isLeftOut))]) };
}

/**
 * Whether an end comes from the case. Nobody asks for the path from such an object to itself, which would count as an open path
 * of no hops.
 */
export function isOfTheCase({ areIds, selected }: Pair): boolean {
  return areIds === true || selected !== undefined;
}

/** What to say about pairs that were left out because both ends are the same object. */
export function leftOutNote(pairs: readonly Pair[]): string[] {
  if (pairs.length === 0) return [];
  const names = new Set(pairs.map((pair) => (pair.selected === "end" ? pair.end : pair.start)));
  return [`Left out ${listed([...names])}: start and end are the same object.`];
}

/** What to do when all pairs are left out for that reason. */
export function nothingLeft({ selected }: Pair): InputError {
  if (selected === undefined) {
    return new InputError(
      "Start Node and End Node are empty, and no finding of the alert has a source and a target that differ. Enter both, or one of them and select entities of the case.",
    );
  }
  const [empty, given] = selected === "start" ? ["Start Node", "End Node"] : ["End Node", "Start Node"];
  return new InputError(
    `${empty} is empty, and no entity besides ${given} itself is selected. Enter ${empty}, or select other entities of the case.`,
  );
}

function pairsOfFindings(findings: CaseContext["findings"]): ChosenPairs {
  if (findings.length === 0) {
    throw new InputError(
      "Start Node and End Node are empty, and the alert has no finding with a source and a target. Enter both, or one of them and select entities of the case.",
    );
  }
  const pairs = findings.map(({ source, target, ...finding }): Pair => ({
    start: source,
    end: target,
    areIds: true,
    ...finding,
  }));
  return withoutSame(limited(pairs, "The findings of the alert make"), "Checked the findings of the alert.");
}

function pairUp(start: ChosenValues, end: ChosenValues): Pair[] {
  const [starts, ends] = [start.values, end.values];
  const length = Math.max(starts.length, ends.length);
  if ([starts, ends].every((values) => values.length === length || values.length === 1)) {
    const at = (values: readonly string[], index: number): string => values[values.length === 1 ? 0 : index] ?? "";
    return Array.from({ length }, (_, index) => ({ start: at(starts, index), end: at(ends, index) }));
  }
  const counted = (label: string, { values, selected }: ChosenValues): string =>
    `${label} has ${values.length} values${selected ? " (the selected entities)" : ""}`;
  throw new InputError(
    `${counted("Start Node", start)} and ${counted("End Node", end)}. Give both the same number of values, or one of them a single value. ${commaHint()}`,
  );
}

/** @param subject - the beginning of the message that says how many there are */
function limited(pairs: Pair[], subject: string): Pair[] {
  const different = new Set(pairs.map(pairKey)).size;
  if (different > MOST_DIFFERENT) {
    throw new InputError(
      `${subject} ${different} different pairs, and at most ${MOST_DIFFERENT} can be checked. Enter fewer values in Start Node and End Node.`,
    );
  }
  if (pairs.length <= MOST_PAIRS) return pairs;
  throw new InputError(
    `${subject} ${pairs.length} pairs, and at most ${MOST_PAIRS} can be listed. Remove repetitions from Start Node and End Node.`,
  );
}
