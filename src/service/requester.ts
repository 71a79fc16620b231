import type { Clock } from "./clock.ts";
import { connectionFailure } from "./connection-faults.ts";
import { type Credentials, secretOf } from "./credentials.ts";
import type { Dialect } from "./dialects.ts";
import { type Exchange, NotFoundError, RateLimitedError, ServiceError, TimeoutError } from "./errors.ts";
import type { Limiter } from "./limiter.ts";
import { announcedLimit } from "./rate-limit-headers.ts";
import type { RunEnd } from "./run-end.ts";
import { sign } from "./signing.ts";
import { statusFailure } from "./status-errors.ts";
import { type QueryPair, requestTarget } from "./target.ts";
import type { Answer, OutgoingRequest, Transport } from "./transport.ts";

const MOST_RETRIES = 2;
const FIRST_PAUSE_MS = 250;
/** The client waits a quarter longer than the service may work, at most this much. */
const LONGEST_GRACE_MS = 5_000;
const TIMED_OUT = Symbol("timed out");

/** Where the client reports what it does; any logger with these methods fits. */
export interface ServiceLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
}

export interface RequesterOptions {
  readonly pathPrefix: string;
  readonly credentials: Credentials;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: ServiceLog;
  readonly limiter: Limiter;
  readonly transport: Transport;
  readonly end: RunEnd;
  /** How long the service may work on one request. */
  readonly timeoutSeconds: number;
}

/** One operation as the API documents it. */
export interface Operation {
  readonly method: OutgoingRequest["method"];
  readonly path: string;
  readonly query?: readonly QueryPair[];
}

/**
 * Sends operations: in turn, signed, ended by timeout, deadline or abort, with lost connections of GETs tried again. Gives
 * successful answers; every other outcome is a ServiceError. Nothing is sent after the service has answered 429.
 */
export class Requester {
  readonly #options: RequesterOptions;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  async send(operation: Operation): Promise<Answer> {
    const { pathPrefix, log } = this.#options;
    const target = requestTarget(pathPrefix, operation.path, operation.query ?? []);
    const exchange: Exchange = { method: operation.method, path: pathPrefix + operation.path };
    for (let retries = 0; ; retries++) {
      try {
        return await this.#inTurn(operation.method, target, exchange);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const pauseMs = this.#pauseBeforeRetry(operation.method, retries, error);
        if (pauseMs === null) throw error;
        log.info("The connection was lost; asking again", { path: exchange.path, pauseMs: Math.round(pauseMs) });
        await this.#pause(pauseMs, exchange);
      }
    }
  }

  /** Milliseconds to wait before the request is sent again; null when it is not. */
  #pauseBeforeRetry(method: string, retries: number, error: ServiceError): number | null {
    const { end, random } = this.#options;
    if (method !== "GET" || !error.retryable || retries >= MOST_RETRIES) return null;
    const pauseMs = FIRST_PAUSE_MS * 2 ** retries * (0.5 + random());
    return pauseMs < end.remainingMs ? pauseMs : null;
  }

  async #pause(ms: number, exchange: Exchange): Promise<void> {
    const { clock, end } = this.#options;
    try {
      await clock.sleep(ms, end.signal);
    } catch {
      throw end.error(exchange);
    }
  }

  async #inTurn(method: OutgoingRequest["method"], target: string, exchange: Exchange): Promise<Answer> {
    const { limiter, end } = this.#options;
    try {
      return await limiter.run(end.signal, (onHead) => this.#attempt(method, target, exchange, onHead));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (end.reached) throw end.error(exchange);
      throw error;
    }
  }

  async #attempt(
    method: OutgoingRequest["method"],
    target: string,
    exchange: Exchange,
    onHead: () => void,
  ): Promise<Answer> {
    const { clock, end, limiter, log } = this.#options;
    if (end.reached) throw end.error(exchange);
    const started = clock.now();
    const answer = await this.#exchange(method, target, exchange, onHead);
    const fields = { status: answer.status, ms: clock.now() - started, characters: answer.body.length };
    log.debug(`${exchange.method} ${exchange.path}`, fields);
    const limit = announcedLimit(answer.headers);
    if (limit !== null) limiter.slowTo(limit);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw this.#refusal(answer, exchange);
  }

  /** Ends at the answer's last byte, or at timeout, deadline or abort, whichever comes first. */
  async #exchange(
    method: OutgoingRequest["method"],
    target: string,
    exchange: Exchange,
    onHead: () => void,
  ): Promise<Answer> {
    const { end, transport, timeoutSeconds } = this.#options;
    const controller = new AbortController();
    const abort = () => {
      controller.abort();
    };
    const graceMs = Math.min(timeoutSeconds * 250, LONGEST_GRACE_MS);
    const timer = setTimeout(
      () => {
        controller.abort(TIMED_OUT);
      },
      timeoutSeconds * 1000 + graceMs,
    );
    end.signal.addEventListener("abort", abort, { once: true });
    try {
      return await transport.send({
        method,
        target,
        headers: this.#headers(method, target),
        signal: controller.signal,
        onHead,
      });
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (end.reached) throw end.error(exchange);
      if (controller.signal.reason === TIMED_OUT) throw this.#timeout(exchange);
      throw connectionFailure(error, exchange);
    } finally {
      clearTimeout(timer);
      end.signal.removeEventListener("abort", abort);
    }
  }

  #headers(method: string, target: string): Record<string, string> {
    return {
      Accept: "application/json, text/plain;q=0.9, */*;q=0.1",
      "User-Agent": "attack-path-analysis",
      Prefer: `wait=${this.#serverWaitSeconds()}`,
      ...this.#authentication(method, target),
    };
  }

  /** What the service may take: the timeout, or what the run has left when that is less. */
  #serverWaitSeconds(): number {
    const { end, timeoutSeconds } = this.#options;
    return Math.max(1, Math.ceil(Math.min(timeoutSeconds, end.remainingMs / 1000)));
  }

  /** Made anew for each attempt: a signature is bound to its hour. */
  #authentication(method: string, target: string): Record<string, string> {
    const { credentials, dialect, clock } = this.#options;
    if (credentials.kind === "jwt") return { Authorization: `Bearer ${credentials.token.reveal()}` };
    const requestDate = new Date(clock.now()).toISOString();
    return {
      Authorization: `${dialect.signatureScheme} ${credentials.id}`,
      RequestDate: requestDate,
      Signature: sign(credentials.key.reveal(), method, target, requestDate),
    };
  }

  #timeout(exchange: Exchange): ServiceError {
    const message = `The service did not finish its answer within ${this.#options.timeoutSeconds} s. Try again later.`;
    return new TimeoutError(message, { whoActs: "service", exchange });
  }

  #refusal(answer: Answer, exchange: Exchange): ServiceError {
    const { clock, credentials, limiter, log } = this.#options;
    const secret = secretOf(credentials).reveal();
    const redact = (text: string) => text.replaceAll(secret, "[redacted]");
    const error = statusFailure(answer, { exchange, credentials: credentials.kind, now: clock.now(), redact });
    if (error instanceof RateLimitedError) limiter.refuse(() => error);
    const fields = { code: error.code, status: error.status, requestId: error.requestId };
    // What is not there is often only asked about: a missing document, no path.
    if (error instanceof NotFoundError) log.info(error.message, fields);
    else log.warn(error.message, fields);
    return error;
  }
}
