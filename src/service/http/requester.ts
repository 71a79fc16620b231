import { Deadline } from "../../deadline.ts";
import type { Logger } from "../../logger.ts";
import { DamagedPluginError } from "../../load-part.ts";
import { REDACTED, redactorOf } from "../../secrets.ts";
import { secretOf } from "../credentials.ts";
import type { Dialect } from "../dialects.ts";
import {
  type Endpoint,
  ForbiddenError,
  isEnding,
  NotFoundError,
  SchemeRejectedError,
  ServiceError,
  SlowResponseError,
  StaleConnectionError,
} from "../errors/errors.ts";
import { SilentProxy } from "../errors/connection-errors.ts";
import { stoppedError, type StoppedWhere, whileConnecting, whileWaiting } from "../errors/stopped-error.ts";
import { statusFailure } from "../errors/status-errors.ts";
import { exchange, type ExchangeOptions, type PreparedRequest, type TimedAnswer } from "./exchange.ts";
import type { Admission, Limiter } from "./limiter.ts";
import { announcedLimit } from "../errors/rate-limit-headers.ts";
import { retryDelayMs, retryPolicies, type RetryPolicy } from "./retry-policy.ts";
import { type Exchanged, shownExchange } from "./shown-exchange.ts";
import { type QueryPair, requestTarget } from "./target.ts";
import { type Answer, isAnswer, isSuccess, type OutgoingRequest } from "../transport.ts";
import { durationText } from "../../text.ts";

export interface RequesterOptions extends ExchangeOptions {
  readonly pathPrefix: string;
  readonly random: () => number;
  readonly log: Logger;
  readonly limiter: Limiter;
  readonly retryPolicy: RetryPolicy;
  /** Whether an error that ends the run ends all further requests; else it ends those before the time that the service named. */
  readonly lastingRefusals: boolean;
  /** Aborts when the client is closed. */
  readonly closed: AbortSignal;
}

/** A SHA-256 in base64, as `sign` makes it. The service accepts it for up to two hours. A longer text is something else. */
const SIGNATURE = /(?<![A-Za-z0-9+/]{3})[A-Za-z0-9+/]{43}=(?!=)/g;

/** One operation as the API documents it. */
export interface Operation {
  readonly method: OutgoingRequest["method"];
  readonly path: string;
  readonly query?: readonly QueryPair[];
  /** A document of a finding type: the dialect says how its path ends. */
  readonly isDocument?: boolean;
  /**
   * The run can do without the response. The operation is tried once, error statuses are logged as information, and none of
   * them ends the run: neither a 429 nor rejected credentials.
   */
  readonly optional?: boolean;
  /** Ends the operation, whether it waits for its turn or is on its way. */
  readonly signal?: AbortSignal | undefined;
  /** Called each time that the operation is sent. */
  readonly onSent?: (() => void) | undefined;
  /** Most bytes of the decoded body. It is smaller than that as a rule, so it also has a time limit. */
  readonly largestBody?: number;
  /**
   * The caller can ask for less. A response that is large or slow then ends early in a TooLargeError or SlowResponseError, and
   * a 504 is not retried as it is.
   */
  readonly divisible?: boolean;
}

/**
 * Sends operations in the order in which they come: rate limited, signed, retried by the policy, and bounded by timeout
 * and deadline. Resolves with successful responses; every other outcome is a ServiceError. After a 429 or a 401 to a request that is not
 * optional, nothing more is sent, for good or for as long as the service asked.
 */
export class Requester {
  readonly #options: RequesterOptions;
  /**
   * Aborts once the service has refused an optional request with a 429 or a 401. One signal for all routes, because the
   * service limits and authenticates a client whatever it asks for: requests of other routes would use up what is left of
   * the rate limit for findings. Code that pauses routes across runs counts the shared error once, for the route that got it.
   */
  readonly #optionalRefused = new AbortController();
  /** Made when the service first says something. */
  #withoutSecret: ((text: string) => string) | null = null;
  #responded = false;
  #served = 0;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  /** Whether any response has arrived, whatever its status, and even if its body cannot be used. */
  get responded(): boolean {
    return this.#responded;
  }

  /** How many responses have arrived that were no 429. */
  get served(): number {
    return this.#served;
  }

  async send(operation: Operation): Promise<TimedAnswer> {
    const { dialect } = this.#options;
    if (this.#signs || operation.isDocument !== true) return this.#sendIn(null, operation);
    // Without a signature, only a document shows whether the guess of the dialect is right.
    const guess = dialect.current;
    try {
      return await this.#sendIn(guess, operation);
    } catch (error) {
      const alternative = error instanceof NotFoundError ? dialect.insteadOf(guess) : null;
      if (alternative === null) throw error;
      return this.#sendIn(alternative, operation);
    }
  }

  /** Removes the secret and signatures from a text of the service, which may repeat what it was sent. */
  readonly redact = (text: string): string => {
    this.#withoutSecret ??= redactorOf([secretOf(this.#options.credentials).reveal()]);
    return this.#withoutSecret(text).replace(SIGNATURE, REDACTED);
  };

  get #signs(): boolean {
    return this.#options.credentials.kind === "token";
  }

  /** @param spoken - null for the dialect that is current when it is the operation's turn */
  async #sendIn(spoken: Dialect | null, operation: Operation): Promise<TimedAnswer> {
    const { log, deadline, random } = this.#options;
    const { method, optional = false } = operation;
    for (let retries = 0; ; retries++) {
      const outcome = await this.#delivered(spoken, operation);
      if (!(outcome instanceof ServiceError)) return outcome;
      const attempt = { method, error: outcome, retries, remainingMs: deadline.remainingMs(), random: random() };
      const delayMs = retryDelayMs(this.#policyFor(operation, outcome), attempt);
      if (delayMs === null) throw this.#logged(outcome, optional);
      log.info(`Retrying in ${durationText(delayMs)}. ${outcome.message}`, { retry: retries + 1 });
      await this.#pause(delayMs, spoken, operation);
    }
  }

  /** Optional requests are not retried. Neither is a page that got a 504: the caller asks for a smaller one. */
  #policyFor({ optional, divisible }: Operation, { status }: ServiceError): RetryPolicy {
    return optional === true || (divisible === true && status === 504) ? retryPolicies.none : this.#options.retryPolicy;
  }

  async #pause(ms: number, spoken: Dialect | null, operation: Operation): Promise<void> {
    const stop = this.#stopOf(operation);
    try {
      await this.#options.clock.sleep(ms, stop.signal);
    } catch {
      throw this.#stopped(this.#prepare(spoken, operation).endpoint);
    } finally {
      stop.release();
    }
  }

  /** Ends with the run, with the operation, and with others. The caller releases it. */
  #stopOf({ signal }: Operation, ...others: readonly AbortSignal[]): Deadline {
    const { clock, deadline, closed } = this.#options;
    const cancelled = signal === undefined ? [] : [signal];
    return new Deadline({ clock, at: null, stops: [deadline.signal, closed, ...cancelled, ...others] });
  }

  /** A GET that met a connection which the server had closed is sent again at once, on a new one. That is no retry. */
  async #delivered(spoken: Dialect | null, operation: Operation): Promise<TimedAnswer | ServiceError> {
    const outcome = await this.#inTurn(spoken, operation);
    const isLost = outcome instanceof StaleConnectionError && operation.method === "GET";
    return isLost ? this.#inTurn(spoken, operation, true) : outcome;
  }

  /** The answer, or the error that the attempt ended in. Rejects when there was no attempt. */
  async #inTurn(spoken: Dialect | null, operation: Operation, fresh = false): Promise<TimedAnswer | ServiceError> {
    const { clock, limiter, deadline } = this.#options;
    const queuedAt = clock.now();
    const refused = operation.optional === true ? [this.#optionalRefused.signal] : [];
    const stop = this.#stopOf(operation, ...refused);
    // Prepared when it is its turn, because the dialect may have changed while it waited.
    const attempt = (admission: Admission) => {
      operation.onSent?.();
      return this.#attempt({ ...this.#prepare(spoken, operation), fresh }, admission, queuedAt, stop.signal);
    };
    try {
      return (await limiter.run(stop.signal, attempt)) ?? (await this.#inTurn(spoken, operation, fresh));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (deadline.reached || stop.signal.aborted)
        throw this.#stopped(this.#prepare(spoken, operation).endpoint, whileWaiting(this.#options.limiter));
      throw error;
    } finally {
      stop.release();
    }
  }

  #prepare(spoken: Dialect | null, operation: Operation): PreparedRequest {
    const { method, path, query = [], isDocument = false, optional = false, divisible = false } = operation;
    const { pathPrefix } = this.#options;
    const dialect = spoken ?? this.#options.dialect.current;
    const ownPath = isDocument ? path + dialect.documentSuffix : path;
    const target = requestTarget(pathPrefix, ownPath, query);
    return {
      method,
      target,
      endpoint: { method, path: pathPrefix + ownPath, optional },
      dialect,
      showsDialect: this.#signs || isDocument,
      largestBody: operation.largestBody,
      divisible,
    };
  }

  /** The answer or the error; null when the request is to be sent again because the dialect has changed. */
  async #attempt(
    request: PreparedRequest,
    admission: Admission,
    queuedAt: number,
    stop: AbortSignal,
  ): Promise<TimedAnswer | ServiceError | null> {
    const { clock, deadline, dialect, limiter, log } = this.#options;
    const { endpoint } = request;
    if (deadline.reached) throw this.#stopped(endpoint, whileWaiting(this.#options.limiter));
    const sentAt = clock.now();
    let sent: Readonly<Record<string, string>> = {};
    const answer = await this.#exchange(request, admission, stop, (headers) => (sent = headers));
    const exchanged = { request, sent, answer, queuedAt, sentAt, endedAt: clock.now() };
    this.#show(exchanged);
    if (answer instanceof ServiceError) return answer;
    const limit = announcedLimit(answer.headers);
    // A header that allows less than one request a second means something else by its number.
    if (limit !== null) limiter.slowTo(Math.max(1, limit));
    if (isSuccess(answer)) return answer;
    const error = this.#statusFailure(answer, endpoint);
    if (error instanceof SchemeRejectedError && dialect.reject(request.dialect)) {
      log.info("The service expects another signature scheme. The request is sent again with that one.");
      return null;
    }
    // The service checks the scheme word first. A 404 of its own, or a 403 to an authenticated request, shows that it accepted it.
    const accepted =
      error instanceof NotFoundError ? error.wrapped : error instanceof ForbiddenError && error.authenticated;
    if (accepted && this.#signs) dialect.remember(request.dialect.name);
    // An error that ends the run stops all further requests; that of an optional request, only the other optional ones.
    if (isEnding(error)) {
      const until = this.#options.lastingRefusals ? Infinity : clock.monotonic() + (error.retryAfterMs ?? 0);
      if (error.optional) this.#optionalRefused.abort(error);
      else limiter.refuse(error, until);
    }
    return error;
  }

  /**
   * Says what a request did; nothing about one that was not sent, whose error has no path, and nothing once the client is closed, when
   * nobody listens.
   */
  #show(exchanged: Exchanged): void {
    const { answer, request } = exchanged;
    if (this.#options.closed.aborted) return;
    if (!isAnswer(answer) && answer.path === undefined) return;
    const { method, path } = request.endpoint;
    this.#options.log.debug(`${method} ${path}`, { request: shownExchange(exchanged, this.redact) });
  }

  async #exchange(
    request: PreparedRequest,
    admission: Admission,
    stop: AbortSignal,
    onSent: (headers: Readonly<Record<string, string>>) => void,
  ): Promise<TimedAnswer | ServiceError> {
    try {
      const arrival = { hasHead: false };
      const onHead = (): void => {
        arrival.hasHead = true;
      };
      const answer = await exchange(this.#options, request, admission, stop, { onSent, onHead });
      // A body that is broken or too large is an answer. One that never comes is none.
      this.#responded ||= arrival.hasHead && !(answer instanceof SlowResponseError);
      if (isAnswer(answer) && answer.status !== 429) this.#served += 1;
      return answer;
    } catch (error) {
      if (error instanceof DamagedPluginError) throw error;
      if (!(error instanceof SilentProxy)) return this.#stopped(request.endpoint);
      return this.#stopped(request.endpoint, whileConnecting(error));
    }
  }

  /** Why an operation was not carried out: the run has ended, the service refuses its kind, or nobody wants it any more. */
  #stopped(endpoint: Endpoint, where?: StoppedWhere): ServiceError {
    return stoppedError(endpoint, this.#options.deadline, this.#optionalRefused.signal.reason, where);
  }

  #statusFailure(answer: Answer, endpoint: Endpoint): ServiceError {
    const { clock, credentials } = this.#options;
    return statusFailure(answer, { endpoint, credentials: credentials.kind, now: clock.now(), redact: this.redact });
  }

  /** Logs an error response. Errors without one stand in the result, in which the caller says what they mean for the run. */
  #logged(error: ServiceError, optional: boolean): ServiceError {
    const { log } = this.#options;
    if (error.status === undefined) return error;
    const fields = { code: error.code, status: error.status, requestId: error.requestId };
    // A missing document or path is a normal answer, too.
    if (optional || error instanceof NotFoundError) log.info(error.message, fields);
    else log.warn(error.message, fields);
    return error;
  }
}
