import type { Clock } from "../../clock.ts";
import { Deadline } from "../../deadline.ts";
import type { Logger } from "../../logger.ts";
import { type Credentials, secretOf } from "../credentials.ts";
import type { Dialect, TenantDialect } from "../dialects.ts";
import { connectionFailure, givenUpError } from "../errors/connection-errors.ts";
import { declaresHtml } from "../errors/error-body.ts";
import {
  endsTheRun,
  AbortedError,
  DeadlineError,
  type Endpoint,
  NotFoundError,
  SchemeRejectedError,
  ServiceError,
  TimeoutError,
} from "../errors/errors.ts";
import { statusFailure } from "../errors/status-errors.ts";
import type { Admission, Limiter } from "./limiter.ts";
import { announcedLimit } from "./rate-limit-headers.ts";
import { retryDelayMs, type RetryPolicy } from "./retry-policy.ts";
import type { ServiceClock } from "./service-clock.ts";
import { sign } from "./signing.ts";
import { type QueryPair, requestTarget } from "./target.ts";
import type { Answer, AnswerHead, OutgoingRequest, Transport } from "./transport.ts";

/** The client waits a quarter longer than the service may work, at most this much longer. */
const LONGEST_GRACE_MS = 5_000;

export interface RequesterOptions {
  readonly pathPrefix: string;
  readonly credentials: Credentials;
  readonly dialect: TenantDialect;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly limiter: Limiter;
  readonly transport: Transport;
  readonly serviceClock: ServiceClock;
  readonly retryPolicy: RetryPolicy;
  /** Ends every request. */
  readonly deadline: Deadline;
  /** How long the service may work on one request; Infinity for no limit. */
  readonly timeoutSeconds: number;
}

/** One operation as the API documents it. */
export interface Operation {
  readonly method: OutgoingRequest["method"];
  readonly path: string;
  readonly query?: readonly QueryPair[];
  /** A document of a finding type: the dialect says how its path ends. */
  readonly isDocument?: boolean;
  /** Error statuses are normal answers to this operation: they are logged as information, not as warnings. */
  readonly optional?: boolean;
}

/** What goes over the wire for an operation, and how errors name it. */
interface PreparedRequest {
  readonly method: OutgoingRequest["method"];
  readonly target: string;
  readonly endpoint: Endpoint;
  /** The dialect that it is made in. */
  readonly dialect: Dialect;
  /** Whether the other dialect would make it differently. */
  readonly showsDialect: boolean;
}

/**
 * Sends operations in the order in which they come: rate limited, signed, retried by the policy, and bounded by timeout
 * and deadline. Resolves with successful responses; every other outcome is a ServiceError. After a 429 nothing more is
 * sent.
 */
export class Requester {
  readonly #options: RequesterOptions;
  #responded = false;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  /** Whether any response has arrived to its end, whatever its status. */
  get responded(): boolean {
    return this.#responded;
  }

  async send(operation: Operation): Promise<Answer> {
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

  get #signs(): boolean {
    return this.#options.credentials.kind === "token";
  }

  /** @param spoken - null for the dialect that is current when it is the operation's turn */
  async #sendIn(spoken: Dialect | null, operation: Operation): Promise<Answer> {
    const { log, retryPolicy, deadline, random } = this.#options;
    const { method, optional = false } = operation;
    for (let retries = 0; ; retries++) {
      const outcome = await this.#inTurn(spoken, operation);
      if (!(outcome instanceof ServiceError)) return outcome;
      const attempt = { method, error: outcome, retries, remainingMs: deadline.remainingMs(), random: random() };
      const delayMs = retryDelayMs(retryPolicy, attempt);
      if (delayMs === null) throw this.#logged(outcome, optional);
      log.info(`Retrying in ${Math.round(delayMs)} ms. ${outcome.message}`, { retry: retries + 1 });
      await this.#pause(delayMs, spoken, operation);
    }
  }

  async #pause(ms: number, spoken: Dialect | null, operation: Operation): Promise<void> {
    const { clock, deadline } = this.#options;
    try {
      await clock.sleep(ms, deadline.signal);
    } catch {
      throw this.#stopped(this.#prepare(spoken, operation).endpoint);
    }
  }

  /** The answer, or the error that the attempt ended in. Rejects when there was no attempt. */
  async #inTurn(spoken: Dialect | null, operation: Operation): Promise<Answer | ServiceError> {
    const { clock, limiter, deadline } = this.#options;
    const queuedAt = clock.now();
    try {
      // Prepared when it is its turn, because the dialect may have changed while it waited.
      const attempt = (admission: Admission) => this.#attempt(this.#prepare(spoken, operation), admission, queuedAt);
      return (await limiter.run(deadline.signal, attempt)) ?? (await this.#inTurn(spoken, operation));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (deadline.reached) throw this.#stopped(this.#prepare(spoken, operation).endpoint);
      throw error;
    }
  }

  #prepare(spoken: Dialect | null, { method, path, query = [], isDocument = false }: Operation): PreparedRequest {
    const { pathPrefix } = this.#options;
    const dialect = spoken ?? this.#options.dialect.current;
    const ownPath = isDocument ? path + dialect.documentSuffix : path;
    const target = requestTarget(pathPrefix, ownPath, query);
    return {
      method,
      target,
      endpoint: { method, path: pathPrefix + ownPath },
      dialect,
      showsDialect: this.#signs || isDocument,
    };
  }

  /** The answer or the error; null when the request is to be sent again because the dialect has changed. */
  async #attempt(
    request: PreparedRequest,
    admission: Admission,
    queuedAt: number,
  ): Promise<Answer | ServiceError | null> {
    const { clock, deadline, dialect, limiter, log } = this.#options;
    const { endpoint } = request;
    if (deadline.reached) throw this.#stopped(endpoint);
    const sentAt = clock.now();
    const answer = await this.#exchange(request, admission);
    this.#trace(request, answer, { queuedAt, sentAt, endedAt: clock.now() });
    if (answer instanceof ServiceError) return answer;
    this.#responded = true;
    const limit = announcedLimit(answer.headers);
    if (limit !== null) limiter.slowTo(limit);
    if (isSuccess(answer)) return answer;
    const error = this.#statusFailure(answer, endpoint);
    if (error instanceof SchemeRejectedError && dialect.reject(request.dialect)) {
      log.info("The service expects another signature scheme. The request is sent again with that one.");
      return null;
    }
    // Further requests would fail as well.
    if (endsTheRun(error)) limiter.refuse(() => error);
    return error;
  }

  /** Ends at the last byte of the answer, or at timeout or deadline, whichever comes first. */
  async #exchange(request: PreparedRequest, { onHead, onBody, givenUp }: Admission): Promise<Answer | ServiceError> {
    const { clock, deadline, dialect, transport, serviceClock, timeoutSeconds } = this.#options;
    const { method, target, endpoint } = request;
    const graceMs = Math.min(timeoutSeconds * 250, LONGEST_GRACE_MS);
    const started = clock.monotonic();
    const at = timeoutSeconds === Infinity ? null : clock.now() + timeoutSeconds * 1000 + graceMs;
    const timeout = new Deadline({ clock, at, stops: [deadline.signal, givenUp] });
    try {
      return await transport.send({
        method,
        target,
        headers: this.#headers(request),
        signal: timeout.signal,
        onHead: (head) => {
          serviceClock.hear(head);
          // What sends a web page, such as a sign-in page at every address, may not have looked at the signature.
          if (isSuccess(head) && !declaresHtml(head) && request.showsDialect) dialect.accept(request.dialect);
          onHead();
        },
        onBody,
      });
    } catch (error) {
      if (error instanceof ServiceError) return error;
      if (deadline.reached) return this.#stopped(endpoint);
      if (givenUp.aborted) return givenUpError(clock.monotonic() - started, endpoint);
      if (timeout.expired) return this.#timeout(endpoint);
      return connectionFailure(error, endpoint);
    } finally {
      timeout.release();
    }
  }

  #headers(request: PreparedRequest): Record<string, string> {
    return {
      Accept: "application/json, text/plain;q=0.9, */*;q=0.1",
      "User-Agent": "attack-path-analysis",
      Prefer: `wait=${this.#serverWaitSeconds()}`,
      ...this.#authentication(request),
    };
  }

  /** What the service may take: the timeout, or what the run has left when that is less; -1 for no limit. */
  #serverWaitSeconds(): number {
    const { deadline, timeoutSeconds } = this.#options;
    const seconds = Math.min(timeoutSeconds, deadline.remainingMs() / 1000);
    return seconds === Infinity ? -1 : Math.max(1, Math.ceil(seconds));
  }

  /** Made for each attempt, because a signature is bound to its hour. */
  #authentication({ method, target, dialect }: PreparedRequest): Record<string, string> {
    const { credentials, clock } = this.#options;
    if (credentials.kind === "jwt") return { Authorization: `Bearer ${credentials.token.reveal()}` };
    const requestDate = new Date(clock.now()).toISOString();
    return {
      Authorization: `${dialect.signatureScheme} ${credentials.id}`,
      RequestDate: requestDate,
      Signature: sign(credentials.key.reveal(), method, target, requestDate),
    };
  }

  /** Says what a request did, for hosts that show it. Source of the fields: docs/host-contract.md. */
  #trace(
    { method, target, endpoint }: PreparedRequest,
    answer: Answer | ServiceError,
    times: { queuedAt: number; sentAt: number; endedAt: number },
  ): void {
    const [path, query = ""] = target.split("?", 2);
    const outcome =
      answer instanceof ServiceError
        ? { error: answer.message }
        : { status: answer.status, bytes: Buffer.byteLength(answer.body) };
    const request = { method, path, query: decodeURIComponent(query), ...times, ...outcome };
    this.#options.log.debug(`${method} ${endpoint.path}`, { request });
  }

  #stopped(endpoint: Endpoint): ServiceError {
    if (this.#options.deadline.expired) {
      const message =
        "The run reached its deadline before the service responded. Allow runs more time if this keeps happening.";
      return new DeadlineError(message, { whoActs: "service", endpoint });
    }
    const message = "The run was stopped before the service responded. Start it again.";
    return new AbortedError(message, { whoActs: "analyst", endpoint });
  }

  #timeout(endpoint: Endpoint): ServiceError {
    const message = `The service did not send a complete response within ${this.#options.timeoutSeconds} s. Try again later.`;
    return new TimeoutError(message, { whoActs: "service", endpoint });
  }

  #statusFailure(answer: Answer, endpoint: Endpoint): ServiceError {
    const { clock, credentials } = this.#options;
    const secret = secretOf(credentials).reveal();
    const redact = (text: string) => text.replaceAll(secret, "[redacted]");
    return statusFailure(answer, { endpoint, credentials: credentials.kind, now: clock.now(), redact });
  }

  /** Logs an error response. Errors without one are left to the caller, who knows what they mean for the run. */
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

function isSuccess({ status }: AnswerHead): boolean {
  return status >= 200 && status < 300;
}
