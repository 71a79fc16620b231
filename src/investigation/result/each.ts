import type { Logger } from "../../logger.ts";
import { endsTheRun, ServiceError } from "../../service/errors/errors.ts";
import { MOST_AT_ONCE } from "./action-rate.ts";

export type Settled<R> = { value: R } | { error: ServiceError };

export function isFailed<R>(settled: Settled<R>): settled is { error: ServiceError } {
  return "error" in settled;
}

/**
 * Does the work for every item, several at a time. An error of the service affects only its own item, unless it ends the
 * run: then the remaining items get the same error without a request. Results are in the order of the items. Any other
 * error is thrown.
 *
 * @param options - `atOnce`: how many items are worked on at a time; `nameOf`: what the log calls an item
 */
export async function settleEach<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  log: Logger,
  { atOnce = MOST_AT_ONCE, nameOf = String }: { atOnce?: number; nameOf?: ((item: T) => string) | undefined } = {},
): Promise<Settled<R>[]> {
  const results: Settled<R>[] = [];
  let ending: ServiceError | undefined;
  const queue = items.entries();

  async function settle(item: T): Promise<Settled<R>> {
    if (ending) return { error: ending };
    try {
      return { value: await work(item) };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (endsTheRun(error)) ending = error;
      log.warn(`${nameOf(item)}: ${error.message}`);
      return { error };
    }
  }
  async function workThrough(): Promise<void> {
    for (const [index, item] of queue) results[index] = await settle(item);
  }

  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, workThrough));
  return results;
}

/** The common error when everything failed for the same reason, else null. */
export function sharedCause(results: readonly Settled<unknown>[]): ServiceError | null {
  const [first] = results;
  if (first === undefined || !isFailed(first)) return null;
  const same = results.every((result) => isFailed(result) && result.error.code === first.error.code);
  return same ? first.error : null;
}

/** Whether the run was out of time or over the rate limit, so that the next run may succeed. */
export function isForNextRun(error: ServiceError): boolean {
  return error.code === "deadline" || error.code === "aborted" || isRefused(error);
}

/** Whether the service's rate limit refused the request. */
export function isRefused({ code }: ServiceError): boolean {
  return code === "rate_limited";
}
