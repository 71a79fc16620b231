import type { AttackPathService } from "../../service/attack-path-service.ts";

/** The part of a service that says how fast it is asked. */
export type PacedService = Pick<AttackPathService, "requestsPerSecond" | "requestsServed">;

/** The client sends this many requests at once. With more items in progress, a short run would finish none. */
export const MOST_AT_ONCE = 8;
/** How many times as much is tried after a run that was not refused. */
const GROWTH = 2;

/**
 * How many items to work on at a time. An item takes several requests: where few are allowed in a second, many items would all be
 * unfinished when the service refuses the next request.
 */
export function mostAtOnce({ requestsPerSecond }: PacedService): number {
  return Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(requestsPerSecond)));
}

/**
 * How many requests a second the next run sends at most. After a refusal, these are half as many as before, or half as many as the
 * service answered, if that is less: a limit of a few requests refuses a run in its first second, whatever its rate.
 */
export function nextRate({ requestsPerSecond, requestsServed }: PacedService, wasRefused: boolean): number {
  if (!wasRefused) return requestsPerSecond * GROWTH;
  // A service that answers nothing does not show how much it would answer.
  const served = requestsServed === 0 ? requestsPerSecond : Math.min(requestsPerSecond, requestsServed);
  return Math.max(1, Math.floor(served / 2));
}
