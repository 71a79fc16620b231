import { commaHint } from "../../runtime/lists.ts";
import type { Severity } from "../../runtime/protocol.ts";
import { counted, inCapitals, isSameText, listed, sentences } from "../../text.ts";
import { type CaseContext, valuesOrEntities } from "../case-context.ts";
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
  /** How many findings of the alert are not among them, because the host has not kept their ends. */
  lost: number;
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

/** Types of entities that say in which domain the alert is. */
const DOMAIN = /domain/i;

/** What makes too many pairs, and what to do about it, as messages say it. */
interface Origin {
  /** The beginning of a sentence. */
  subject: string;
  advice: string;
  /** What to do about too many that are the same. */
  repeated?: string;
}

const ENTERED: Origin = {
  subject: "Start Node and End Node make",
  advice: "Enter fewer values in Start Node and End Node.",
  repeated: "Remove repetitions from Start Node and End Node.",
};

/** The same for pairs that differ in letter case only. */
export function pairKey({ start, end }: Pair): string {
  return JSON.stringify([inCapitals(start), inCapitals(end)]);
}

/**
 * The starts of a question without ends; null when there is an End Node, or something in the case that could be one. Selected
 * entities, except domains, count as starts if Start Node is empty and the alert has no findings, such as an alert of another product.
 */
export function chooseStarts(
  starts: readonly string[] | null,
  ends: readonly string[] | null,
  { entities, findings, findingsLost }: CaseContext,
): (Starts & { note: string }) | null {
  if (ends !== null) return null;
  const selected = entities.map(({ identifier }) => identifier);
  if (starts === null) {
    const values = entities.filter(({ type }) => !DOMAIN.test(type)).map(({ identifier }) => identifier);
    if (findings.length + findingsLost > 0 || values.length === 0) return null;
    const domains = selected.length === values.length ? "" : " Domains were left out.";
    return { values, selected: true, note: `Used the selected entities as Start Node: ${listed(values)}.${domains}` };
  }
  const isStart = (text: string): boolean => starts.some((start) => isSameText(start, text));
  return selected.every(isStart) ? enteredStarts(starts) : null;
}

/** The values of Start Node as the starts of a question without ends. */
export function enteredStarts(starts: readonly string[]): Starts & { note: string } {
  const values = new Map(starts.map((start) => [inCapitals(start), start]));
  return { values: [...values.values()], selected: false, note: "" };
}

/**
 * The pairs to check: the values of Start Node and End Node one by one, or one value against many. The selected entities stand in
 * for one empty parameter, each against every value of the other one, because nobody chose their order. The findings of the alert
 * stand in for both.
 *
 * @throws InputError when that makes no pairs, or too many
 */
export function choosePairs(
  starts: readonly string[] | null,
  ends: readonly string[] | null,
  context: CaseContext,
): ChosenPairs {
  if (starts === null && ends === null) return pairsOfFindings(context);
  const start = valuesOrEntities("Start Node", starts, context);
  const end = valuesOrEntities("End Node", ends, context);
  if (!start.selected && !end.selected)
    return withoutSame(limited(pairUp(start.values, end.values), ENTERED), "", context);
  const selected = start.selected ? "start" : "end";
  const origin = withEntities(selected);
  const pairs = everyPair(start.values, end.values, origin).map((pair): Pair => ({ ...pair, selected }));
  return withoutSame(limited(pairs, origin), `${start.note}${end.note}`, context);
}

/** Leaves out the pairs of the case that are the same text twice. */
function withoutSame(pairs: readonly Pair[], note: string, context: CaseContext, lost = 0): ChosenPairs {
  const isLeftOut = (pair: Pair): boolean => isOfTheCase(pair) && isSameText(pair.start, pair.end);
  const kept = pairs.filter((pair) => !isLeftOut(pair));
  const [first] = pairs;
  if (kept.length === 0 && first !== undefined) throw nothingLeft(first, context, lost);
  const notes = [note, ...sameObjectNote(pairs.filter(isLeftOut)), lostNote(lost)];
  return { pairs: kept, note: sentences(notes), lost };
}

/**
 * Whether an end comes from the case. Nobody asks for the path from such an object to itself, which would count as an open path
 * of no hops.
 */
export function isOfTheCase({ areIds, selected }: Pair): boolean {
  return areIds === true || selected !== undefined;
}

/** What to say about pairs that were left out because both ends are the same object. */
export function sameObjectNote(pairs: readonly Pair[]): string[] {
  if (pairs.length === 0) return [];
  const names = new Set(pairs.map((pair) => (pair.selected === "end" ? pair.end : pair.start)));
  return [`Left out ${listed([...names])}: start and end are the same object.`];
}

/** What to do when all pairs are left out for that reason, and that makes no question without ends. */
export function nothingLeft({ selected }: Pair, context: CaseContext, lost = 0): InputError {
  if (selected === undefined) {
    return new InputError(
      sentences([
        `Start Node and End Node are empty, and no finding of the alert has a source and a target that differ. ${enterNodes(context)}`,
        lostNote(lost),
      ]),
    );
  }
  const [empty, given] = selected === "start" ? ["Start Node", "End Node"] : ["End Node", "Start Node"];
  return new InputError(
    `${empty} is empty, and no entity besides ${given} itself is selected. Enter ${empty}, or select other entities of the case.`,
  );
}

function enterNodes({ withoutSelection }: CaseContext): string {
  return withoutSelection
    ? "Enter Start Node, or both."
    : "Enter both, or one of them and select entities of the case.";
}

function pairsOfFindings(context: CaseContext): ChosenPairs {
  const { findings, findingsLost: lost } = context;
  if (findings.length === 0) {
    const why =
      lost > 0
        ? "the platform has not kept what the findings of the alert join"
        : "the alert has no finding with a source and a target";
    throw new InputError(`Start Node and End Node are empty, and ${why}. ${enterNodes(context)}`);
  }
  const pairs = findings.map(({ source, target, ...finding }): Pair => ({
    start: source,
    end: target,
    areIds: true,
    ...finding,
  }));
  const origin = {
    subject: "The findings of the alert make",
    advice: "Enter Start Node and End Node, with the object ids of up to 500 findings.",
  };
  return withoutSame(limited(pairs, origin), "Checked the findings of the alert.", context, lost);
}

/** Empty when none is lost. */
function lostNote(lost: number): string {
  if (lost === 0) return "";
  return `Could not check ${counted(lost, "more finding")} of it: the platform has not kept what they join. Look the alert up in the service.`;
}

/** @param selected - the end that the selected entities stand in for */
function withEntities(selected: "start" | "end"): Origin {
  const entered = selected === "start" ? "End Node" : "Start Node";
  return {
    subject: `${entered} and the selected entities make`,
    advice: `Enter fewer values in ${entered}, or select fewer entities.`,
  };
}

/** @throws InputError before there are more pairs than the memory holds */
function everyPair(starts: readonly string[], ends: readonly string[], { subject, advice }: Origin): Pair[] {
  refuseUnlistable(starts.length * ends.length, subject, advice);
  return starts.flatMap((start) => ends.map((end) => ({ start, end })));
}

function pairUp(starts: readonly string[], ends: readonly string[]): Pair[] {
  const length = Math.max(starts.length, ends.length);
  if ([starts, ends].every((values) => values.length === length || values.length === 1)) {
    const at = (values: readonly string[], index: number): string => values[values.length === 1 ? 0 : index] ?? "";
    return Array.from({ length }, (_, index) => ({ start: at(starts, index), end: at(ends, index) }));
  }
  throw new InputError(
    `Start Node has ${starts.length} values and End Node has ${ends.length} values. Give both the same number of values, or one of them a single value. ${commaHint()}`,
  );
}

function limited(pairs: Pair[], { subject, advice, repeated = advice }: Origin): Pair[] {
  const different = new Set(pairs.map(pairKey)).size;
  if (different > MOST_DIFFERENT) {
    throw new InputError(
      `${subject} ${different} different pairs, and at most ${MOST_DIFFERENT} can be checked. ${advice}`,
    );
  }
  refuseUnlistable(pairs.length, subject, repeated);
  return pairs;
}

function refuseUnlistable(count: number, subject: string, advice: string): void {
  if (count > MOST_PAIRS) {
    throw new InputError(`${subject} ${count} pairs, and at most ${MOST_PAIRS} can be listed. ${advice}`);
  }
}
