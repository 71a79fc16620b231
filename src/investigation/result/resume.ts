import { isObject } from "../../json.ts";
import type { Logger } from "../../logger.ts";
import type { ActionName } from "../../manifest/types.ts";
import type { Json } from "../../runtime/protocol.ts";
import type { ServiceError } from "../../service/errors/errors.ts";
import { isFailed, isForNextRun, isRefused, settleEach, sharedCause } from "./each.ts";
import { InputError } from "../../runtime/errors.ts";
import { mostAtOnce, nextRate, type PacedService } from "./action-rate.ts";
import { MOST_FRUITLESS_RUNS, type Refusal, refusalOf } from "./refusal.ts";

/** What earlier runs of the same request pass on. */
export interface Saved<A> {
  /** What they have answered, by the keys of the items. */
  answers: Map<string, A>;
  /** Whether this is the first run. */
  isFirst: boolean;
  /** How many consecutive runs, up to the last one, found out nothing. */
  fruitlessRuns: number;
  /** How many requests a second this run may send at most; null in the first one. */
  requestsPerSecond: number | null;
}

/** The work of an action that one run may leave to the next. */
export interface ResumableWork<T, A> {
  /** Asked by `answer`. */
  service: PacedService;
  /** What is asked for, by a key that equal questions share. */
  items: ReadonlyMap<string, T>;
  saved: Saved<A>;
  answer: (item: T) => Promise<A>;
  /** The answer for an item at which the service failed. */
  failed: (item: T, error: ServiceError) => A;
  nameOf?: (item: T) => string;
  /** Whether this run has found out anything besides answers that saves the next run requests. Default: no. */
  hasLearned?: () => boolean;
}

/** How far the work has come. */
export interface Progress<A> {
  /** Includes the answers of earlier runs. */
  answers: ReadonlyMap<string, A>;
  /** Items that this run could not get to, while it got to others. */
  remaining: number;
  /** Why items remain, when it is the rate limit of the service, else null. */
  refusal: Refusal | null;
  /** As in `Saved`, this run included. */
  fruitlessRuns: number;
  requestsPerSecond: number | null;
  /** The common error when every item of this run failed for the same reason, else null. */
  cause: ServiceError | null;
}

/** Answers the items that earlier runs have not answered, several at a time. A failed item does not affect the others. */
export async function continueWork<T, A>(
  { service, items, saved, answer, failed, nameOf, hasLearned }: ResumableWork<T, A>,
  log: Logger,
): Promise<Progress<A>> {
  const done = saved.answers;
  const open = [...items].filter(([key]) => !done.has(key));
  if (saved.requestsPerSecond !== null) service.requestsPerSecond = saved.requestsPerSecond;
  const settled = await settleEach(
    open.map(([, item]) => item),
    answer,
    log,
    { atOnce: mostAtOnce(service), nameOf },
  );
  const answers = new Map(done);
  const late: { key: string; answer: A; error: ServiceError }[] = [];
  for (const [index, [key, item]] of open.entries()) {
    const result = settled[index];
    if (result === undefined) continue;
    if (!isFailed(result)) answers.set(key, result.value);
    else if (isForNextRun(result.error)) late.push({ key, answer: failed(item, result.error), error: result.error });
    else answers.set(key, failed(item, result.error));
  }
  const errors = late.map(({ error }) => error);
  const isFruitless = answers.size === done.size && hasLearned?.() !== true;
  const { goesOn, ...outlook } = outlookOf(errors, { isFruitless, saved, service });
  if (!goesOn) for (const { key, answer } of late.splice(0)) answers.set(key, answer);
  return { answers, remaining: late.length, ...outlook, cause: sharedCause(settled) };
}

/** What becomes of work that a run could not do. */
export interface Outlook extends Pick<Progress<unknown>, "refusal" | "fruitlessRuns" | "requestsPerSecond"> {
  /** Whether the next run is to go on with it. Otherwise it has failed. */
  goesOn: boolean;
}

/**
 * Without progress in the first run, the next one would make none either. Later, the service may have been slow for a moment. A rate limit
 * is expected to pass, too, unless several runs in a row make no progress.
 *
 * @param errors - why the work was not done; empty when all of it was
 * @param saved - what earlier runs passed on
 */
export function outlookOf(
  errors: readonly ServiceError[],
  {
    isFruitless,
    saved,
    service,
  }: { isFruitless: boolean; saved: Pick<Saved<unknown>, "fruitlessRuns" | "isFirst">; service: PacedService },
): Outlook {
  const wasRefused = errors.some(isRefused);
  const requestsPerSecond = nextRate(service, wasRefused);
  if (errors.length === 0) return { goesOn: false, refusal: null, fruitlessRuns: 0, requestsPerSecond };
  const fruitlessRuns = isFruitless ? saved.fruitlessRuns + 1 : 0;
  const goesOn = !isFruitless || ((wasRefused || !saved.isFirst) && fruitlessRuns < MOST_FRUITLESS_RUNS);
  return { goesOn, refusal: goesOn ? refusalOf(errors, isFruitless) : null, fruitlessRuns, requestsPerSecond };
}

const STATE_VERSION = 2;

/**
 * The state that an in_progress result passes to the next run.
 *
 * @param tenant - origin of the tenant that was asked
 * @param notes - what is known of the rest
 */
export function stateOf(
  tenant: string,
  {
    answers,
    fruitlessRuns,
    requestsPerSecond,
  }: Pick<Progress<unknown>, "answers" | "fruitlessRuns" | "requestsPerSecond">,
  notes?: Json,
): Json {
  return {
    version: STATE_VERSION,
    tenant,
    answers: [...answers] as Json,
    ...(fruitlessRuns > 0 && { fruitlessRuns }),
    ...(requestsPerSecond !== null && { requestsPerSecond }),
    ...(notes !== undefined && { notes }),
  };
}

/**
 * What earlier runs of the same request pass on.
 *
 * @param items - what this request asks for
 * @param tenant - origin of the tenant that is asked
 * @throws InputError when the state was not made by `stateOf` for this request
 */
export function resumeFrom<A>(
  state: Json,
  { action, tenant, items }: { action: ActionName; tenant: string; items: ReadonlyMap<string, unknown> },
  isAnswer: (value: unknown) => value is A,
): Saved<A> {
  if (state === null) return { answers: new Map(), isFirst: true, fruitlessRuns: 0, requestsPerSecond: null };
  const saved = isObject(state) ? state : {};
  const { version, tenant: origin, answers: entries, fruitlessRuns = 0, requestsPerSecond = null } = saved;
  if (version !== STATE_VERSION || origin !== tenant || !Array.isArray(entries)) throw foreignState(action);
  if (!isRunCount(fruitlessRuns) || !isRate(requestsPerSecond)) throw foreignState(action);
  const answers = entries.map((entry): [string, A] => {
    const [key, answer] = (Array.isArray(entry) ? entry : []) as unknown[];
    if (typeof key === "string" && items.has(key) && isAnswer(answer)) return [key, answer];
    throw foreignState(action);
  });
  return { answers: new Map(answers), isFirst: false, fruitlessRuns, requestsPerSecond };
}

/** The state was not made by a run with the same parameters, for the same tenant. */
export function foreignState(action: ActionName): InputError {
  return new InputError(
    `The saved state does not belong to these parameters of ${action}, or to this Server. Run the action again without a state.`,
  );
}

/** A run that reaches the maximum leaves no state. */
function isRunCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < MOST_FRUITLESS_RUNS;
}

function isRate(value: unknown): value is number | null {
  return value === null || (typeof value === "number" && value >= 1);
}
