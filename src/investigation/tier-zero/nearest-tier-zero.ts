import { isObject } from "../../json.ts";
import type { Logger } from "../../logger.ts";
import type { Json, JsonObject } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { inCapitals, isSameText, listed } from "../../text.ts";
import { EntityFacts } from "../assets/entity-facts.ts";
import type { FoundObject, LookedUp } from "../objects/found-object.ts";
import { isObjectId } from "../objects/name-forms.ts";
import { type EndLabels, PARAMETERS, wordsFor } from "../paths/end-words.ts";
import { notesOf } from "../paths/path-notes.ts";
import type { Pair, Starts } from "../paths/path-pairs.ts";
import { nameOf } from "../paths/path-sentences.ts";
import { summaryOf } from "../paths/path-summary.ts";
import { reference } from "../paths/path-entry.ts";
import { whyUnresolved } from "../paths/prove-path.ts";
import { type PathsProved, provePairs } from "../paths/prove-pairs.ts";
import { RequestLimit } from "../result/request-limit.ts";
import { foreignState, stateOf } from "../result/resume.ts";
import { clippedOrNull, otherForms } from "../result/sentences.ts";
import { anyNear, distanceText, type KnownStart, type Nearness, nearnessOf, nearnessOfAll } from "./distance.ts";
import { type Plan, planFor, planState } from "./plan.ts";

/** The most requests that a question sends in all of its runs together: enough for the most starts of one domain. */
export const MOST_REQUESTS = 120;
const MOST_STARTS = 12;

const HOME_UNKNOWN =
  "The service lists neither its domain nor its tenant, so it was not asked about the Tier Zero objects there. Enter End Node.";

export interface NearestFound extends PathsProved {
  /** Whether it is known which paths to ask for. */
  isPlanned: boolean;
  nearness: Nearness;
  facts: EntityFacts;
}

/**
 * How near some objects are to Tier Zero: the shortest paths to the well-known objects of Tier Zero, each answered with yes, no,
 * or not known. The nearest object of Tier Zero on these paths counts. Others, which were not tried, may be nearer.
 *
 * @param state - of an earlier run of the same question
 * @param labels - what messages call the two ends; default: the parameters of the action
 * @throws InputError when the state was made for other starts
 * @throws ServiceError when the environments could not be listed
 */
export async function findNearestTierZero(
  service: AttackPathService,
  starts: Starts,
  state: Json,
  log: Logger,
  labels = PARAMETERS,
): Promise<NearestFound> {
  const asked = starts.values.slice(0, MOST_STARTS);
  const saved: JsonObject | null = isObject(state) ? state : null;
  const spent = typeof saved?.["requests"] === "number" ? saved["requests"] : 0;
  const limit = new RequestLimit(service, MOST_REQUESTS, spent);
  if (saved !== null && saved["tenant"] !== service.origin) throw foreignState("Does Path Exist");
  const { plan, isNew, left } = await planFor(saved, asked, limit, log);
  const pairs = pairsOf(plan, asked, starts.selected);
  const before = pathState(service.origin, saved, plan, pairs);
  const options = { labels, hasLearned: isNew, tierZero: tierZeroIn(plan) };
  const proved = await provePairs(limit.service(), pairs, before, log, options);
  const nearness = nearnessIn(proved.answered, plan, starts, labels);
  const exists = anyNear(nearness.starts);
  const json = {
    ...{ ...proved.json, exists, summary: summaryOf(exists, proved.json.paths), nearTierZero: nearness },
    ...(left !== null && { remaining: left.remaining }),
  };
  const facts = factsOf(plan, nearness, starts.values);
  const next = left === null ? { plan: planState(plan), paths: proved.state } : { starts: left.state };
  const isDone = left === null && proved.state === null;
  return {
    ...{ ...proved, ...left, json, nearness, facts, isPlanned: left === null },
    state: isDone ? null : { tenant: service.origin, requests: limit.spent, ...next },
  };
}

/** Whether a state is that of an earlier run of such a question. */
export function isNearnessState(state: Json): boolean {
  return isObject(state) && typeof state["requests"] === "number";
}

/** What earlier runs know of the paths, else what looking up the objects has found out. */
function pathState(tenant: string, saved: JsonObject | null, { starts, found }: Plan, pairs: readonly Pair[]): Json {
  const paths = saved?.["paths"];
  if (paths !== undefined) return paths;
  const objects = new Map([...found, ...[...starts].filter(isLookedUp)]);
  const nothing = { answers: new Map(), fruitlessRuns: 0, requestsPerSecond: null };
  return stateOf(tenant, nothing, notesOf({ found: objects, asked: new Set() }, pairs));
}

/** Object ids, in capitals: the ends, which are tried because they are in Tier Zero, and the starts that the search says are. */
function tierZeroIn({ starts, ends }: Plan): ReadonlySet<string> {
  const tagged = [...starts.values()].flatMap((start) =>
    start.status === "found" && start.tierZero === true ? [start.object.objectId] : [],
  );
  return new Set([...ends, ...tagged].map(inCapitals));
}

function isLookedUp(entry: [string, LookedUp]): entry is [string, FoundObject] {
  return entry[1].status !== "failed";
}

/** Each start that can be asked about against each end; starts that are one object are asked about once. */
function pairsOf(plan: Plan, asked: readonly string[], selected: boolean): Pair[] {
  const byId = new Map(
    asked.flatMap((text): [string, string][] => {
      const objectId = idOf(text, plan);
      return objectId === null ? [] : [[objectId, text]];
    }),
  );
  return [...byId].flatMap(([id, start]) =>
    endsFor(id, plan).map((end): Pair => ({ start, end, isTried: true, ...(selected && { selected: "start" }) })),
  );
}

/** What is tried for a start, by its object id in capitals: everything but itself. */
function endsFor(id: string, { ends }: Plan): string[] {
  return ends.filter((end) => inCapitals(end) !== id);
}

/** The object id in capitals; null for a start that was not found or is ambiguous. */
function idOf(text: string, { starts }: Plan): string | null {
  const start = starts.get(inCapitals(text));
  if (start?.status === "found") return inCapitals(start.object.objectId);
  return start?.status === "not_found" && isObjectId(text) ? inCapitals(text) : null;
}

function nearnessIn(
  answered: PathsProved["answered"],
  plan: Plan,
  { values, selected }: Starts,
  labels: EndLabels,
): Nearness {
  const starts = values.map((text) => {
    const id = idOf(text, plan);
    const own = answered.filter(({ pair }) => id !== null && idOf(pair.start, plan) === id);
    const entries = own.map(({ entry }) => entry);
    const ends = id === null ? 0 : endsFor(id, plan).length;
    const gap = plan.gap ?? (id !== null && plan.withoutHome.includes(id) ? HOME_UNKNOWN : null);
    return nearnessOf(knownStart(text, plan, selected, labels), entries, { ends, gap });
  });
  const asked = new Set(
    answered.flatMap(({ pair, entry }) => (entry.status === "failed" ? [] : [inCapitals(pair.end)])),
  );
  const ends = plan.ends.filter((objectId) => asked.has(inCapitals(objectId)));
  const tried = ends.map((objectId) => {
    const end = plan.found.get(inCapitals(objectId));
    return end?.status === "found" ? reference(end.object) : { objectId, name: null, kind: null };
  });
  const all = nearnessOfAll(starts, tried);
  return { ...all, report: [all.report, ...formsOf(values, starts)].join("\n") };
}

function formsOf(values: readonly string[], starts: Nearness["starts"]): string[] {
  return otherForms(starts.map(({ start }, index) => ({ text: values[index] ?? "", ...start })));
}

/** A start that is itself one of the ends that are tried is in Tier Zero, too. */
function knownStart(text: string, { starts, ends }: Plan, selected: boolean, labels: EndLabels): KnownStart {
  const found = starts.get(inCapitals(text));
  const nothing = { start: { objectId: null, name: clippedOrNull(text), kind: null }, isTierZero: false };
  if (found === undefined)
    return { ...nothing, error: `It was not asked about: one question takes at most ${MOST_STARTS} starts.` };
  if (found.status === "failed") return { ...nothing, error: found.error };
  const isTried = (objectId: string): boolean => ends.some((end) => isSameText(end, objectId));
  if (found.status === "found") {
    const isTierZero = found.tierZero === true || isTried(found.object.objectId);
    return { start: reference(found.object), isTierZero };
  }
  if (found.status === "not_found" && isObjectId(text))
    return { start: { objectId: text, name: null, kind: null }, isTierZero: isTried(text) };
  const pair: Pair = { start: text, end: "", ...(selected && { selected: "start" }) };
  return { ...nothing, error: whyUnresolved(text, found, wordsFor(pair, "start", labels)) };
}

function factsOf(plan: Plan, { starts }: Nearness, texts: readonly string[]): EntityFacts {
  const facts = new EntityFacts();
  for (const [index, { start, exists, hops }] of starts.entries()) {
    const text = texts[index] ?? "";
    if (start.objectId === null) {
      facts.addUnclear(text);
      continue;
    }
    const found = plan.starts.get(inCapitals(text));
    facts.add([text, start.objectId, start.name], {
      objectId: start.objectId,
      kind: start.kind,
      tierZero: hops === 0 ? true : found?.status === "found" ? found.tierZero : null,
      // An earlier distance must not stay when nothing leads there any more.
      tierZeroHops: exists === false ? "none" : hops,
      tierZeroDistance: exists === false ? "no path to Tier Zero found" : hops === null ? null : distanceText(hops),
    });
  }
  return facts;
}

/** What was found out, the nearest start first, and what it leaves open. */
export function nearnessSentences({ starts, tried }: Nearness, values: readonly string[]): string[] {
  const nearest = starts.toSorted((a, b) => (a.hops ?? Infinity) - (b.hops ?? Infinity));
  const ends = tried.map(nameOf);
  const said = nearest.flatMap(({ text, error }) => [text, ...(error === undefined ? [] : [error])]);
  const isThere = starts.every(({ hops }) => hops === 0);
  const mayBeNearer = isThere ? "" : " An object of Tier Zero that was not tried may be nearer.";
  return [
    // Several starts may have the same reason.
    ...new Set(said),
    ...(ends.length === 0 ? [] : [`Tried: ${listed(ends)}.${mayBeNearer}`]),
    ...formsOf(values, starts),
  ];
}
