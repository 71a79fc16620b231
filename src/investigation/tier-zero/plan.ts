import { validate as validateLookedUp } from "../../generated/look-up-validator.js";
import { isObject } from "../../json.ts";
import type { Logger } from "../../logger.ts";
import type { Json, JsonObject } from "../../runtime/protocol.ts";
import { endsTheRun, ServiceError } from "../../service/errors/errors.ts";
import { counted, inCapitals, listed } from "../../text.ts";
import { findExactObject, findObject } from "../objects/find-object.ts";
import type { FoundObject, LookedUp, ObjectReference } from "../objects/found-object.ts";
import { isObjectId } from "../objects/name-forms.ts";
import { isFailed, isRefused, settleEach } from "../result/each.ts";
import { MOST_REFUSED_RUNS } from "../result/refusal.ts";
import type { LimitedService, RequestLimit } from "../result/request-limit.ts";
import { foreignState, isRunCount } from "../result/resume.ts";
import { homesOf, namelessDomains, type TierZeroEnd, tierZeroEnds } from "./tier-zero-ends.ts";

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

/** What a run knows of its plan. */
export interface Planned {
  plan: Plan;
  /** Why it is empty, when the rate limit let nothing be looked up, else null. The next run makes it then. */
  refused: ServiceError | null;
  /** How many consecutive runs, this one included, had no plan for this reason. */
  refusedRuns: number;
}

/** This many ends are looked up at once. */
const BATCH = 8;

/**
 * The plan of earlier runs, or else a new one.
 *
 * @param saved - the state of an earlier run, null in the first
 * @param texts - the starts as they were entered, each once
 * @throws InputError when the state was made for other starts
 * @throws ServiceError as `makePlan`; that of a rate limit only after three runs in a row
 */
export async function planFor(
  saved: JsonObject | null,
  texts: readonly string[],
  limit: RequestLimit,
  log: Logger,
): Promise<Planned> {
  const before = saved === null ? 0 : saved["refusedRuns"];
  if (!isRunCount(before)) {
    const plan = readPlan(saved?.["plan"], texts);
    if (plan === null) throw foreignState("Does Path Exist");
    return { plan, refused: null, refusedRuns: 0 };
  }
  const refusedRuns = before + 1;
  try {
    return { plan: await makePlan(limit.service(), texts, limit, log), refused: null, refusedRuns: 0 };
  } catch (error) {
    if (!(error instanceof ServiceError) || !isRefused(error) || refusedRuns >= MOST_REFUSED_RUNS) throw error;
    return { plan: emptyPlan(texts, error.message), refused: error, refusedRuns };
  }
}

/** @param error - why no start was looked up */
function emptyPlan(texts: readonly string[], error: string): Plan {
  const starts = new Map(texts.map((text): [string, LookedUp] => [inCapitals(text), { status: "failed", error }]));
  return { starts, ends: [], found: new Map(), gap: null, withoutHome: [] };
}

/**
 * Looks up the starts and chooses the ends: as many as the limit allows when each start is checked against each end.
 *
 * @param texts - the starts as they were entered, each once
 * @throws ServiceError when the environments could not be listed, or not all of them, or the run ended before any start was looked up,
 *   or the rate limit kept it from looking up all of them
 */
async function makePlan(
  service: LimitedService,
  texts: readonly string[],
  limit: RequestLimit,
  log: Logger,
): Promise<Plan> {
  const { environments, incomplete, unreadable } = await service.environments.list();
  // Without the environment of a start, a path into its Tier Zero would be no path.
  if (incomplete !== undefined) throw incomplete;
  const looked = await settleEach(texts, (text) => findObject(service.objects, text), log);
  const starts = new Map(
    texts.map((text, index): [string, LookedUp] => {
      const result = looked[index];
      if (result === undefined) throw new Error(`${text} was not looked up.`);
      return [inCapitals(text), isFailed(result) ? { status: "failed", error: result.error.message } : result.value];
    }),
  );
  const objects = [...starts].flatMap(([text, start]): ObjectReference[] => {
    if (start.status === "found") return [start.object];
    // The search leaves some objects out, such as local groups.
    return start.status === "not_found" && isObjectId(text) ? [{ objectId: text, name: null, type: null }] : [];
  });
  const known = new Set(objects.map(({ objectId }) => objectId)).size;
  for (const result of looked) {
    if (!isFailed(result)) continue;
    if (isRefused(result.error) || (known === 0 && endsTheRun(result.error))) throw result.error;
  }
  const ends = known === 0 ? [] : tierZeroEnds(environments, objects);
  const { untried, ...chosen } = await chooseEnds(service, ends, known, limit, log);
  const withoutHome = objects.filter((object) => homesOf(object, environments).length === 0);
  return {
    starts,
    ...chosen,
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
 */
async function chooseEnds(
  service: LimitedService,
  candidates: readonly TierZeroEnd[],
  starts: number,
  limit: RequestLimit,
  log: Logger,
): Promise<Pick<Plan, "ends" | "found"> & { untried: number }> {
  const [waiting, ends, found] = [[...candidates], [] as string[], new Map<string, FoundObject>()];
  for (;;) {
    // A look-up is one request, and so is each start's path to the end.
    const room = Math.floor((limit.left - ends.length * starts) / (starts + 1));
    const batch = waiting.splice(0, Math.max(0, Math.min(BATCH, room)));
    if (batch.length === 0) return { ends, found, untried: waiting.length };
    const looked = await settleEach(batch, ({ objectId }) => findExactObject(service.objects, objectId), log);
    for (const [index, { objectId, isAlwaysTried }] of batch.entries()) {
      const result = looked[index];
      if (result !== undefined && !isFailed(result)) found.set(inCapitals(objectId), result.value);
      if (isAlwaysTried || found.get(inCapitals(objectId))?.status !== "not_found") ends.push(objectId);
    }
  }
}

/** The plan as a state holds it. */
export function planState({ starts, found, ...rest }: Plan): Json {
  return { starts: [...starts], found: [...found], ...rest } as unknown as Json;
}

/** The plan of an earlier run; null when the state holds none for these starts. */
function readPlan(state: Json | undefined, texts: readonly string[]): Plan | null {
  if (!isObject(state) || !Array.isArray(state["ends"]) || !Array.isArray(state["withoutHome"])) return null;
  const starts = lookUpsIn(state["starts"]);
  const found = new Map(
    [...lookUpsIn(state["found"])].flatMap(([id, object]) =>
      object.status === "failed" ? [] : [[id, object] as const],
    ),
  );
  const [ends, withoutHome] = [textsIn(state["ends"]), textsIn(state["withoutHome"])];
  const isSame = texts.length === starts.size && texts.every((text) => starts.has(inCapitals(text)));
  const gap = state["gap"];
  return isSame ? { starts, ends, found, gap: typeof gap === "string" ? gap : null, withoutHome } : null;
}

function textsIn(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string");
}

function lookUpsIn(value: unknown): Map<string, LookedUp> {
  const entries = (Array.isArray(value) ? value : []).map((entry): unknown[] => (Array.isArray(entry) ? entry : []));
  return new Map(
    entries.flatMap(([text, object]): [string, LookedUp][] =>
      typeof text === "string" && validateLookedUp(object) ? [[text, object]] : [],
    ),
  );
}
