type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Milliseconds until the service takes requests again: Retry-After (seconds or date; a gateway may add it), else
 * X-RateLimit-Reset (epoch seconds; BloodHound, cmd/api/src/api/middleware/rate_limit.go), else null.
 */
export function rateLimitWait(headers: Headers, now: number): number | null {
  const retryAfter = headers["retry-after"]?.trim();
  if (retryAfter !== undefined && /^\d+(\.\d+)?$/.test(retryAfter)) return Math.round(Number(retryAfter) * 1000);
  const moment = Date.parse(retryAfter ?? "");
  if (!Number.isNaN(moment)) return Math.max(0, moment - now);
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["x-rate-limit-reset"] ?? NaN);
  return Number.isFinite(reset) ? Math.max(0, reset * 1000 - now) : null;
}

/** Requests per second that the service announces; null when it does not. */
export function announcedLimit(headers: Headers): number | null {
  const limit = Number.parseFloat(headers["x-ratelimit-limit"] ?? headers["x-rate-limit-limit"] ?? "");
  return Number.isFinite(limit) && limit > 0 ? limit : null;
}
