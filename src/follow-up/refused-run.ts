import type { Pace } from "../ingestion/pace.ts";
import { ServiceError, type ServiceErrorCode } from "../service/errors/errors.ts";
import type { LoadedState } from "./state/load-state.ts";
import { withRate } from "./state/memory.ts";
import type { FollowUpState } from "./state/state.ts";

/** A run that ended with its first list. */
export interface RefusedRun {
  readonly kind: "refused";
  readonly error: ServiceError;
  /** As it was, but for the rate of the next run. Null for a state that is damaged or of another tenant, which stays. */
  readonly state: FollowUpState | null;
}

const LEARNS_A_RATE: ReadonlySet<ServiceErrorCode> = new Set(["deadline", "rate_limited"]);

/**
 * A run that may not list the environments learns only how fast to ask the next time.
 *
 * @throws the error itself, if it has nothing to do with the time or the rate
 */
export function refusedRun(error: unknown, loaded: Exclude<LoadedState, { kind: "newer" }>, pace: Pace): RefusedRun {
  if (!(error instanceof ServiceError) || !LEARNS_A_RATE.has(error.code)) throw error;
  if (loaded.kind !== "loaded") return { kind: "refused", error, state: null };
  const refusal = error.code === "rate_limited" ? { part: null, isApart: false } : null;
  const rate = pace.next({ refusal, wasServed: false });
  return { kind: "refused", error, state: withRate(loaded.state, rate) };
}
