import { textAnswer, Refusal, errorAnswer, type Answer } from "./answer.ts";
import type { RateLimitOptions } from "./contract.ts";

interface Window {
  startedAt: number;
  requests: number;
}

/** A fixed window per client, of one second unless set otherwise, which starts with the client's first request (as ulule/limiter counts). */
export class RateLimiter {
  readonly #windows = new Map<string, Window>();
  #options: RateLimitOptions | null;

  constructor(options: RateLimitOptions | null) {
    this.#options = options;
  }

  set options(options: RateLimitOptions | null) {
    this.#options = options;
    this.#windows.clear();
  }

  /** The 429 for a request over the limit, or null. `monotonic` measures windows, `now` is for the texts. */
  refuse(client: string, monotonic: number, now: number): Answer | null {
    const options = this.#options;
    if (options === null) return null;
    const { windowMs = 1000 } = options;
    const known = this.#windows.get(client);
    const window =
      known !== undefined && monotonic - known.startedAt < windowMs ? known : { startedAt: monotonic, requests: 0 };
    this.#windows.set(client, window);
    window.requests += 1;
    if (window.requests <= options.perSecond) return null;
    return tooMany(options, now + windowMs - (monotonic - window.startedAt), now);
  }
}

function tooMany(options: RateLimitOptions, endsAt: number, now: number): Answer {
  const json = options.style === "json";
  const answer = json
    ? errorAnswer(new Refusal(429, "Too many requests. Please try again later."), now)
    : textAnswer("Limit exceeded", "text/plain; charset=utf-8", 429);
  const prefix = json ? "X-Rate-Limit" : "X-RateLimit";
  answer.headers[`${prefix}-Limit`] = String(options.perSecond);
  answer.headers[`${prefix}-Remaining`] = "0";
  answer.headers[`${prefix}-Reset`] = String(Math.ceil(endsAt / 1000));
  if (options.retryAfter === true) answer.headers["Retry-After"] = "1";
  return answer;
}
