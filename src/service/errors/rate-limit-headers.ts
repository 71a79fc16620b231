import { DAY_MS } from "../../clock.ts";
import { parseHttpDate } from "../instants.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/** A reset that is further away is not in epoch seconds: gateways also send milliseconds, or seconds from now on. */
const LONGEST_WINDOW_MS = DAY_MS;

/** Nobody means a longer wait, such as until the last day of the year 9999. */
const LONGEST_WAIT_MS = 365 * DAY_MS;

/**
 * Milliseconds until the service takes requests again: Retry-After (seconds or date; a gateway may add it), else
 * X-RateLimit-Reset (epoch seconds; BloodHound, cmd/api/src/api/middleware/rate_limit.go), else null.
 */
export function rateLimitWait(headers: Headers, now: number): number | null {
  const retryAfterMs = retryAfterOf(headers, now);
  if (retryAfterMs !== null) return retryAfterMs;
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["x-rate-limit-reset"] ?? NaN);
  const waitMs = reset * 1000 - sentAt(headers, now);
  return Math.abs(waitMs) <= LONGEST_WINDOW_MS ? Math.max(0, waitMs) : null;
}

/** Milliseconds of Retry-After, which is seconds or a date (RFC 9110, section 10.2.3); null without a usable one. */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers["retry-after"]?.trim();
  const moment = parseHttpDate(text);
  const isSeconds = text !== undefined && /^\d{1,9}(\.\d+)?$/.test(text);
  const waitMs = isSeconds ? Math.round(Number(text) * 1000) : moment === null ? null : moment - sentAt(headers, now);
  return waitMs === null || waitMs > LONGEST_WAIT_MS ? null : Math.max(0, waitMs);
}

/** The service's own time where it says it: this machine's clock may be wrong by more than what there is to wait. */
function sentAt(headers: Headers, now: number): number {
  return parseHttpDate(headers["date"]) ?? now;
}

/** Requests per second that the service announces; null when it does not. */
export function announcedLimit(headers: Headers): number | null {
  const limit = Number.parseFloat(headers["x-ratelimit-limit"] ?? headers["x-rate-limit-limit"] ?? "");
  return Number.isFinite(limit) && limit > 0 ? limit : null;
}
