import type { ServiceError } from "../errors/errors.ts";

/** When a request that failed is sent again. */
export interface RetryPolicy {
  /** How often one request is retried at most. */
  readonly retries: number;
  /** The longest delay before the first retry, in milliseconds. It doubles with each further one. */
  readonly firstDelayMs: number;
  /** The longest Retry-After that is waited for, in milliseconds. After a longer one there is no retry. */
  readonly longestRetryAfterMs: number;
}

export const retryPolicies = {
  standard: { retries: 2, firstDelayMs: 250, longestRetryAfterMs: 30_000 },
  none: { retries: 0, firstDelayMs: 0, longestRetryAfterMs: 0 },
} as const satisfies Record<string, RetryPolicy>;

/** A failed attempt, and what decides whether it is retried. */
export interface FailedAttempt {
  readonly method: string;
  readonly error: ServiceError;
  /** Retries made so far. */
  readonly retries: number;
  /** Milliseconds that the run has left; Infinity without a deadline. */
  readonly remainingMs: number;
  /** 0 to below 1. */
  readonly random: number;
}

/**
 * Milliseconds to wait before a request is sent again; null when it is not. Only a GET is retried: a deletion may have
 * been carried out although its response was lost. The delay is spread over the whole of its range ("full jitter"), so
 * that clients that failed together do not come back together.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: FailedAttempt): number | null {
  const { method, error, retries, remainingMs, random } = attempt;
  if (method !== "GET" || !error.retryable || retries >= policy.retries) return null;
  const retryAfterMs = error.retryAfterMs ?? 0;
  if (retryAfterMs > policy.longestRetryAfterMs) return null;
  const delayMs = retryAfterMs + random * policy.firstDelayMs * 2 ** retries;
  return delayMs < remainingMs ? delayMs : null;
}
