import { isObject } from "../json.ts";
import type { Logger } from "../logger.ts";
import type { ActionName } from "../manifest/types.ts";
import type { Json } from "../runtime/protocol.ts";
import type { ServiceError } from "../service/errors/errors.ts";
import { isFailed, isForNextRun, isRefused, settleEach, sharedCause } from "./each.ts";
import { InputError } from "./input-error.ts";

/** The work of an action that one run may leave to the next. */
export interface ResumableWork<T, A> {
  /** What is asked for, by a key that tells equal questions from different ones. */
  items: ReadonlyMap<string, T>;
  /** What earlier runs have answered, by the same keys. */
  done: ReadonlyMap<string, A>;
  answer: (item: T) => Promise<A>;
  /** The answer for an item at which the service failed. */
  failed: (item: T, error: ServiceError) => A;
  nameOf?: (item: T) => string;
  /** Whether this run has found out anything that spares the next one requests, besides answers. Default: no. */
  hasLearned?: () => boolean;
}

/** How far the work has come. */
export interface Progress<A> {
  /** Those of earlier runs included. */
  answers: ReadonlyMap<string, A>;
  /** Items that this run could not get to, while it got to others. */
  remaining: number;
  /** The common error when every item of this run failed for the same reason, else null. */
  cause: ServiceError | null;
}

/** Answers what earlier runs have not answered yet, several items at a time; and a failed item does not affect the others. */
export async function continueWork<T, A>(
  { items, done, answer, failed, nameOf, hasLearned }: ResumableWork<T, A>,
  log: Logger,
): Promise<Progress<A>> {
  const open = [...items].filter(([key]) => !done.has(key));
  const settled = await settleEach(
    open.map(([, item]) => item),
    answer,
    log,
    nameOf,
  );
  const answers = new Map(done);
  const late: { key: string; answer: A; refused: boolean }[] = [];
  for (const [index, [key, item]] of open.entries()) {
    const result = settled[index];
    if (result === undefined) continue;
    if (!isFailed(result)) answers.set(key, result.value);
    else if (isForNextRun(result.error))
      late.push({ key, answer: failed(item, result.error), refused: isRefused(result.error) });
    else answers.set(key, failed(item, result.error));
  }
  // Without progress in this run, the next one would make none either: report the failures instead. A rate limit that
  // refuses what an earlier run could begin passes.
  const passes = done.size > 0 && late.every(({ refused }) => refused);
  if (answers.size === done.size && !passes && hasLearned?.() !== true)
    for (const { key, answer } of late.splice(0)) answers.set(key, answer);
  return { answers, remaining: late.length, cause: sharedCause(settled) };
}

const STATE_VERSION = 2;

/**
 * The state that an in_progress result passes to the next run.
 *
 * @param notes - what is known of the rest
 */
export function stateOf(answers: ReadonlyMap<string, unknown>, notes?: Json): Json {
  return { version: STATE_VERSION, answers: [...answers] as Json, ...(notes !== undefined && { notes }) };
}

/**
 * The answers of earlier runs of the same request.
 *
 * @param items - what this request asks for
 * @throws InputError when the state was not made by `stateOf` for this request
 */
export function readState<A>(
  action: ActionName,
  state: Json,
  items: ReadonlyMap<string, unknown>,
  isAnswer: (value: unknown) => value is A,
): Map<string, A> {
  if (state === null) return new Map();
  const { version, answers } = isObject(state) ? state : {};
  const entries: unknown[] = version === STATE_VERSION && Array.isArray(answers) ? answers : [null];
  return new Map(
    entries.map((entry) => {
      const [key, answer] = (Array.isArray(entry) ? entry : []) as unknown[];
      if (typeof key === "string" && items.has(key) && isAnswer(answer)) return [key, answer];
      throw new InputError(
        `The saved state does not belong to these parameters of ${action}. Run the action again without a state.`,
      );
    }),
  );
}
