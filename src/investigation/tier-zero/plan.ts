import { validate as validateLookedUp } from "../../generated/look-up-validator.js";
import { isObject } from "../../json.ts";
import type { Logger } from "../../logger.ts";
import type { Json, JsonObject } from "../../runtime/protocol.ts";
import { endsTheRun, ServiceError } from "../../service/errors/errors.ts";
import { counted, inCapitals, listed } from "../../text.ts";
import { findObject, findObjectById } from "../objects/find-object.ts";
import type { FoundObject, LookedUp, ObjectReference } from "../objects/found-object.ts";
import { isObjectId } from "../objects/name-forms.ts";
import { isFailed, isForNextRun, settleEach } from "../result/each.ts";
import type { LimitedService, RequestLimit } from "../result/request-limit.ts";
import {
  continueWork,
  foreignState,
  outlookOf,
  type Progress,
  resumeFrom,
  type Saved,
  stateOf,
} from "../result/resume.ts";
import { hasTierZeroEnds, homesOf, namelessDomains, type TierZeroEnd, tierZeroEnds } from "./tier-zero-ends.ts";

/** What is asked about some starts. It stays the same in all runs of a question. */
export interface Plan {
  /** What was found by each start, by its text in capitals. */
  starts: Map<string, LookedUp>;
  /** Object ids to try as ends, best first. */
  ends: string[];
  /** What was found by the object ids of ends, by the id in capitals. */
  found: Map<string, FoundObject>;
  /** Why there may be a path although none leads to these ends, as a sentence; null when all ends are among them. */
  gap: string | null;
  /** Object ids, in capitals, of starts of which the domain or tenant is not known, so that its ends are not among these. */
  withoutHome: string[];
}

/** What a run knows of the plan. */
export interface Planned {
  /** Without ends as long as it is not made. */
  plan: Plan;
  /** Whether this run has made it. */
  isNew: boolean;
  /** What the next run has to do to make it; null once it is made. */
  left: Unplanned | null;
}

interface Unplanned extends Pick<Progress<unknown>, "remaining" | "refusal" | "cause"> {
  /** The starts and the ends that were looked up. */
  state: Json;
}

const NOT_YET = "It has not been asked about yet.";

/** This many ends are looked up at once. */
const BATCH = 8;
/** The share of the requests that looking up the starts leaves: a short name may have thousands of hits. */
const SHARE_FOR_PATHS = 1 / 2;

/**
 * The plan of earlier runs, or else a new one, as far as this run gets.
 *
 * @param saved - the state of an earlier run, null in the first
 * @param texts - the starts as they were entered, each once
 * @throws InputError when the state was made for other starts
 * @throws ServiceError when the environments could not be listed, or not all of them, or no start could be looked up, and no other run
 *   would do better
 */
export async function planFor(
  saved: JsonObject | null,
  texts: readonly string[],
  limit: RequestLimit,
  log: Logger,
): Promise<Planned> {
  const before = saved?.["plan"];
  if (before !== undefined) return { plan: readPlan(before, texts), isNew: false, left: null };
  const service = limit.service();
  const { looked, known } = await lookUp(limit.service(limit.most * SHARE_FOR_PATHS), texts, saved, log);
  const ends = endsLookedUp(saved);
  const endsBefore = ends.size;
  const unplanned = (left: Progress<LookedUp>): Planned => {
    const state = stateOf(service.origin, left, [...ends] as unknown as Json);
    return { plan: unmade(texts, left.answers), isNew: false, left: { ...left, state } };
  };
  if (looked.remaining > 0) return unplanned(looked);
  try {
    return { plan: await makePlan(service, looked.answers, ends, limit, log), isNew: true, left: null };
  } catch (error) {
    if (!(error instanceof ServiceError) || !isForNextRun(error)) throw error;
    const isFruitless = looked.answers.size === known.answers.size && ends.size === endsBefore;
    const { goesOn, ...outlook } = outlookOf([error], { isFruitless, saved: known, service });
    if (!goesOn) throw error;
    return unplanned({ ...looked, ...outlook, remaining: texts.length, cause: error });
  }
}

/**
 * Looks up the starts that earlier runs have not.
 *
 * @throws ServiceError when the run ended before any start was looked up, and no other would do better
 */
async function lookUp(
  service: LimitedService,
  texts: readonly string[],
  saved: JsonObject | null,
  log: Logger,
): Promise<{ looked: Progress<LookedUp>; known: Saved<LookedUp> }> {
  const items = new Map(texts.map((text) => [inCapitals(text), text]));
  const starts = saved === null ? null : (saved["starts"] ?? {});
  const known = resumeFrom(starts, { action: "Does Path Exist", tenant: service.origin, items }, validateLookedUp);
  const answer = (text: string): Promise<LookedUp> => findObject(service.objects, text);
  const failed = (_: string, { message }: ServiceError): LookedUp => ({ status: "failed", error: message });
  const looked = await continueWork({ service, items, saved: known, answer, failed }, log);
  const { answers, cause, remaining } = looked;
  const isUnknown = remaining === 0 && [...answers.values()].every(({ status }) => status === "failed");
  if (isUnknown && cause !== null && endsTheRun(cause)) throw cause;
  return { looked, known };
}

/** The ends that earlier runs have looked up, by the object id in capitals. */
function endsLookedUp(saved: JsonObject | null): Map<string, FoundObject> {
  const starts = saved?.["starts"];
  return foundIn(isObject(starts) ? starts["notes"] : null);
}

/** A plan of which only some starts are known. */
function unmade(texts: readonly string[], answers: ReadonlyMap<string, LookedUp>): Plan {
  const unknown: LookedUp = { status: "failed", error: NOT_YET };
  const starts = new Map(texts.map((text) => [inCapitals(text), answers.get(inCapitals(text)) ?? unknown]));
  return withoutEnds(starts, NOT_YET);
}

function withoutEnds(starts: ReadonlyMap<string, LookedUp>, gap: string | null): Plan {
  return { starts: new Map(starts), ends: [], found: new Map(), gap, withoutHome: [] };
}

/**
 * Chooses the ends: as many as the limit allows when each start is checked against each end.
 *
 * @param starts - what was found by each, by its text in capitals
 * @param found - the ends that were looked up, by the object id in capitals; gets those that this run looks up
 * @throws ServiceError when the environments could not be listed, or not all of them, or when the next run has to look up ends
 */
async function makePlan(
  service: LimitedService,
  starts: ReadonlyMap<string, LookedUp>,
  found: Map<string, FoundObject>,
  limit: RequestLimit,
  log: Logger,
): Promise<Plan> {
  const objects = [...starts].flatMap(([text, start]): ObjectReference[] => {
    if (start.status === "found") return [start.object];
    // The search leaves some objects out, such as local groups.
    return start.status === "not_found" && isObjectId(text) ? [{ objectId: text, name: null, type: null }] : [];
  });
  if (objects.length === 0) return withoutEnds(starts, null);
  const { environments: all, incomplete, unreadable } = await service.environments.list();
  // Without the environment of a start, a path into its Tier Zero would be no path.
  if (incomplete !== undefined) throw incomplete;
  const environments = all.filter(hasTierZeroEnds);
  const known = new Set(objects.map(({ objectId }) => objectId)).size;
  const candidates = tierZeroEnds(environments, objects);
  const { ends, untried } = await chooseEnds(service, candidates, { starts: known, found }, limit, log);
  const withoutHome = objects.filter((object) => homesOf(object, environments).length === 0);
  return {
    starts: new Map(starts),
    ends,
    found,
    gap: gapOf(untried, limit) ?? withoutId(unreadable) ?? withoutName(namelessDomains(environments, objects)),
    withoutHome: withoutHome.map(({ objectId }) => inCapitals(objectId)),
  };
}

function gapOf(untried: number, { most }: RequestLimit): string | null {
  if (untried === 0) return null;
  return `One question sends at most ${most} requests, so it was not asked about ${counted(untried, "more object")} of Tier Zero. Ask about fewer objects at once, or enter End Node.`;
}

function withoutId(unreadable: number): string | null {
  if (unreadable === 0) return null;
  return `The service lists ${counted(unreadable, "environment")} without a usable id, whose Tier Zero could not be asked about.`;
}

function withoutName(domains: readonly string[]): string | null {
  if (domains.length === 0) return null;
  return `The name of ${listed(domains)} is not known, so it was not asked about the group Administrators of that domain.`;
}

/**
 * Looks up ends, best first, as long as the limit leaves a request for each start and end. Ends that the service says that it does
 * not have are left out. Its tags do not matter: the id of an end says that it is in Tier Zero, and some services keep tags elsewhere.
 *
 * @throws ServiceError when the next run has to look up the rest. The plan is never made again, so an end that was not looked up
 *   only for that would stay unchecked in all later runs.
 */
async function chooseEnds(
  service: LimitedService,
  candidates: readonly TierZeroEnd[],
  { starts, found }: { starts: number; found: Map<string, FoundObject> },
  limit: RequestLimit,
  log: Logger,
): Promise<{ ends: string[]; untried: number }> {
  const [waiting, ends] = [[...candidates], [] as string[]];
  const lookedUp = ({ objectId }: TierZeroEnd): FoundObject | undefined => found.get(inCapitals(objectId));
  for (;;) {
    // A look-up is one request, and so is each start's path to the end.
    const room = Math.floor((limit.left - ends.length * starts) / (starts + 1));
    const batch = waiting.splice(0, Math.max(0, Math.min(BATCH, room)));
    if (batch.length === 0) return { ends, untried: waiting.length };
    const unknown = batch.filter((end) => lookedUp(end) === undefined);
    const looked = await settleEach(unknown, ({ objectId }) => findObjectById(service.objects, objectId), log);
    for (const [index, { objectId }] of unknown.entries()) {
      const result = looked[index];
      if (result !== undefined && !isFailed(result)) found.set(inCapitals(objectId), result.value);
    }
    const late = looked.filter(isFailed).find(({ error }) => isForNextRun(error));
    if (late !== undefined) throw late.error;
    const tried = batch.filter((end) => end.isAlwaysTried || lookedUp(end)?.status !== "not_found");
    ends.push(...tried.map(({ objectId }) => objectId));
  }
}

/** The plan as a state holds it. */
export function planState({ starts, found, ...rest }: Plan): Json {
  return { starts: [...starts], found: [...found], ...rest } as unknown as Json;
}

/** @throws InputError when it is not the plan of an earlier run for these starts */
function readPlan(state: Json, texts: readonly string[]): Plan {
  if (!isObject(state) || !Array.isArray(state["ends"]) || !Array.isArray(state["withoutHome"]))
    throw foreignState("Does Path Exist");
  const starts = lookUpsIn(state["starts"]);
  const found = foundIn(state["found"]);
  const [ends, withoutHome] = [textsIn(state["ends"]), textsIn(state["withoutHome"])];
  const isSame = texts.length === starts.size && texts.every((text) => starts.has(inCapitals(text)));
  const gap = state["gap"];
  if (!isSame) throw foreignState("Does Path Exist");
  return { starts, ends, found, gap: typeof gap === "string" ? gap : null, withoutHome };
}

function textsIn(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string");
}

function foundIn(value: unknown): Map<string, FoundObject> {
  return new Map(
    [...lookUpsIn(value)].flatMap(([id, object]) => (object.status === "failed" ? [] : [[id, object] as const])),
  );
}

function lookUpsIn(value: unknown): Map<string, LookedUp> {
  const entries = (Array.isArray(value) ? value : []).map((entry): unknown[] => (Array.isArray(entry) ? entry : []));
  return new Map(
    entries.flatMap(([text, object]): [string, LookedUp][] =>
      typeof text === "string" && validateLookedUp(object) ? [[text, object]] : [],
    ),
  );
}
