import { validatePathEntry } from "../../generated/answer-validators.js";
import type { Logger } from "../../logger.ts";
import type { ActionResult } from "../../manifest/types.ts";
import type { Json } from "../../runtime/protocol.ts";
import type { ServiceError } from "../../service/errors/errors.ts";
import { exploreUrl } from "../../service/explore-page.ts";
import type { EndLabels } from "./end-words.ts";
import { fitPaths } from "../result/fit-result.ts";
import { notesOf, readNotes, sizeOf } from "./path-notes.ts";
import { isOfTheCase, type Pair, pairKey } from "./path-pairs.ts";
import { summaryOf } from "./path-summary.ts";
import { isAnswered, type PathEntry } from "./path-entry.ts";
import { PathProver, type PathService } from "./prove-path.ts";
import { everyTierZero, withTierZero } from "./tier-zero-marks.ts";
import type { Refusal } from "../result/refusal.ts";
import { cutReport } from "../cuts/cut-sentences.ts";
import { explainEdges } from "../edges/edge-kinds.ts";
import { bestOf, type Cuts, rankCuts } from "../cuts/rank-cuts.ts";
import type { PacedService } from "../result/action-rate.ts";
import { continueWork, resumeFrom, stateOf } from "../result/resume.ts";

export interface AnsweredPair {
  pair: Pair;
  entry: PathEntry;
}

/** What all runs so far have found out about some pairs. */
export interface PathsProved {
  json: ActionResult<"Does Path Exist">;
  /** The pairs with their entries in the result, without those that remain. */
  answered: AnsweredPair[];
  /** How many different pairs there are, how many of them are answered, and how many the next run checks. */
  different: number;
  checked: number;
  remaining: number;
  /** Why pairs remain, when it is the rate limit. */
  refusal: Refusal | null;
  /** Pairs of the case without an entry in the result, because both ends are the same object. */
  leftOut: Pair[];
  /** The fault that made every pair of this run fail, if there was one. */
  cause: ServiceError | null;
  state: Json;
}

/**
 * Answers the pairs that earlier runs have not answered yet, each different one once.
 *
 * @param options - `labels`: what messages call the two ends (default: the parameters of the action); `hasLearned`: this run has found
 *   out something besides paths that saves the next one requests; `tierZero`: object ids, in capitals, that are known to be in Tier Zero;
 *   `lost`: how many more pairs there would be, if the host had kept them
 * @throws InputError when the state was not made for these pairs
 */
export async function provePairs(
  service: PathService & PacedService,
  pairs: readonly Pair[],
  state: Json,
  log: Logger,
  {
    labels,
    hasLearned = false,
    tierZero: knownTierZero = new Set(),
    lost = 0,
  }: { labels?: EndLabels; hasLearned?: boolean; tierZero?: ReadonlySet<string>; lost?: number } = {},
): Promise<PathsProved> {
  const items = new Map(pairs.map((pair) => [pairKey(pair), pair]));
  const saved = resumeFrom(state, { action: "Does Path Exist", tenant: service.origin, items }, validatePathEntry);
  const notes = readNotes(state);
  const before = sizeOf(notes);
  const prover = new PathProver(service, knownEnds(items, saved.answers), labels, notes);
  const progress = await continueWork(
    {
      service,
      items,
      saved,
      answer: (pair) => prover.prove(pair),
      failed: (pair, error) => prover.failed(pair, error),
      nameOf: ({ start, end }) => `${start} to ${end}`,
      hasLearned: () => hasLearned || sizeOf(notes) > before,
    },
    log,
  );
  const { answers, remaining, refusal, cause } = progress;
  const whole = entriesOf(pairs, answers, service.origin, knownTierZero);
  // The next run gets the entries as they were shortened, so that its result leaves out the same.
  const entries = shortened(whole);
  const open = pairs.filter((pair) => !answers.has(pairKey(pair)));
  const kept = new Map(entries.map(({ pair, entry }) => [pairKey(pair), entry]));
  const shown = entries.filter((each) => !isLeftOut(each));
  return {
    json: jsonOf(shown, { remaining, lost, cuts: remaining === 0 ? cutsOf(whole) : null }),
    answered: shown,
    different: items.size,
    checked: [...answers.values()].filter(isAnswered).length,
    remaining,
    refusal,
    leftOut: entries.filter(isLeftOut).map(({ pair }) => pair),
    cause,
    state: remaining === 0 ? null : stateOf(service.origin, { ...progress, answers: kept }, notesOf(notes, open)),
  };
}

/** The pairs that are answered, each with its whole entry. */
function entriesOf(
  pairs: readonly Pair[],
  answers: ReadonlyMap<string, PathEntry>,
  origin: string,
  knownTierZero: ReadonlySet<string>,
): AnsweredPair[] {
  // If one entry marks an object as Tier Zero, all do, so that they do not contradict each other.
  const tierZero = everyTierZero(answers.values(), knownTierZero);
  return pairs.flatMap((pair) => {
    const entry = answers.get(pairKey(pair));
    return entry === undefined ? [] : [{ pair, entry: withUrl(origin, withTierZero(entry, tierZero)) }];
  });
}

/** With fewer hops and alternatives where all together would be too large for a result. */
function shortened(answered: readonly AnsweredPair[]): AnsweredPair[] {
  const fitted = fitPaths(answered.map(({ entry }) => entry));
  return answered.map(({ pair, entry }, index) => ({ pair, entry: fitted[index] ?? entry }));
}

function jsonOf(
  shown: readonly AnsweredPair[],
  { remaining, lost, cuts }: { remaining: number; lost: number; cuts: Cuts | null },
): PathsProved["json"] {
  const paths = shown.map(({ pair, entry }) => withSeverity(entry, pair));
  const exists = verdict(paths, remaining + lost);
  return {
    exists,
    summary: summaryOf(exists, paths, { lost, cuts: cuts === null ? "" : cutReport(cuts) }),
    ...(cuts !== null && { cuts: bestOf(cuts) }),
    ...(remaining === 0 && relationsOf(paths)),
    paths,
    ...(remaining > 0 && { remaining }),
  };
}

/** What the relationships on the paths mean; nothing without any. */
function relationsOf(paths: readonly PathEntry[]): Pick<PathsProved["json"], "relations"> {
  const edges = paths.flatMap(({ hops, alternatives }) => [...hops, ...alternatives]);
  const relations = explainEdges(new Set(edges.map(({ relation }) => relation)));
  return relations.length === 0 ? {} : { relations };
}

/** Where to cut the paths of findings; null for other pairs. Needs the whole entries: hops are left out to make a result fit. */
function cutsOf(whole: readonly AnsweredPair[]): Cuts | null {
  if (whole.length === 0 || !whole.every(({ pair }) => pair.areIds === true)) return null;
  // The finding types of an alert are not known here.
  return rankCuts(whole.filter((each) => !isLeftOut(each)).map(({ entry }) => ({ entry, findingType: null })));
}

/** Whether an object of the case turned out to be the other end, by its name or its object id. */
function isLeftOut({ pair, entry }: AnsweredPair): boolean {
  return isOfTheCase(pair) && entry.status === "path" && entry.length === 0;
}

function withUrl(origin: string, entry: PathEntry): PathEntry {
  const [start, end] = [entry.start.objectId, entry.end.objectId];
  return start === null || end === null ? entry : { ...entry, url: exploreUrl(origin, start, end) };
}

/** @param unchecked - how many pairs have no entry */
function verdict(paths: readonly PathEntry[], unchecked: number): boolean | null {
  if (paths.some(({ exists }) => exists === true)) return true;
  return unchecked === 0 && paths.every(isAnswered) ? false : null;
}

/** Several findings may be about the same pair, so the severity is not part of the answer. */
function withSeverity(entry: PathEntry, { severity }: Partial<Pair> = {}): PathEntry {
  return severity === undefined ? entry : { ...entry, severity };
}

/** The objects that earlier runs have found, by what was entered for them. */
function knownEnds(
  items: ReadonlyMap<string, Pair>,
  done: ReadonlyMap<string, PathEntry>,
): Map<string, PathEntry["start"]> {
  const answered = [...done].filter(([, entry]) => isAnswered(entry));
  return new Map(
    answered.flatMap(([key, entry]): [string, PathEntry["start"]][] => {
      const pair = items.get(key);
      if (pair === undefined) return [];
      return [
        [pair.start, entry.start],
        [pair.end, entry.end],
      ];
    }),
  );
}
