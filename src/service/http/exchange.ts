import type { Clock } from "../../clock.ts";
import { Deadline } from "../../deadline.ts";
import { DamagedPluginError } from "../../load-part.ts";
import type { Credentials } from "../credentials.ts";
import type { Dialect, TenantDialect } from "../dialects.ts";
import {
  connectionFailure,
  givenUpError,
  SilentProxy,
  silentProxyError,
  slowResponseError,
  type ResponsePatience,
} from "../errors/connection-errors.ts";
import { declaresHtml } from "../errors/error-body.ts";
import { type Endpoint, ServiceError } from "../errors/errors.ts";
import type { Admission } from "./limiter.ts";
import { requestHeaders } from "./request-headers.ts";
import { ResponseTimer } from "./response-timer.ts";
import type { ServiceClock } from "./service-clock.ts";
import { type Answer, type AnswerHead, isSuccess, type OutgoingRequest, type Transport } from "../transport.ts";

/** The client waits a quarter longer than the service may work, at most this much longer. */
const LONGEST_GRACE_MS = 5_000;

/** How long a body may be silent at most: as long as the client waits for a head by default. */
const LONGEST_SILENCE_MS = 35_000;

/** What a response may take that can be asked for in parts, or that is small where the service is in order. */
const LONGEST_WHOLE_MS = 120_000;
/** One that can be asked for in parts also takes no more than this share of the time that the run has left. */
const SHARE_OF_RUN = 1 / 3;

/** How long to wait for the body of an error response: its status says what matters. */
const ERROR_BODY_MS = 15_000;

/** Most bytes of a decoded body. For a moment, memory holds it three times: as bytes, as text and as values. */
const LARGEST_BODY_BYTES = 64 * 2 ** 20;
/** The same where the caller can ask for a part: several of these are in memory at a time. */
const LARGEST_PART_BYTES = 16 * 2 ** 20;

export interface ExchangeOptions {
  readonly credentials: Credentials;
  readonly dialect: TenantDialect;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly serviceClock: ServiceClock;
  /** When the run ends. */
  readonly deadline: Deadline;
  /** How long the service may work on one request; Infinity for no limit. */
  readonly timeoutSeconds: number;
}

/** What goes over the wire for an operation, and how errors name it. */
export interface PreparedRequest {
  readonly method: OutgoingRequest["method"];
  readonly target: string;
  readonly endpoint: Endpoint;
  /** The dialect that it is made in. */
  readonly dialect: Dialect;
  /** Whether the other dialect would make it differently. */
  readonly showsDialect: boolean;
  /** Most bytes of the decoded body, for a kind of response that is small; undefined: the limit of all responses. */
  readonly largestBody: number | undefined;
  /** Whether the caller can ask for less. */
  readonly divisible: boolean;
  /** Whether it needs a new connection. */
  readonly fresh?: boolean;
}

export interface TimedAnswer extends Answer {
  /** Milliseconds from the request to the end of the answer. */
  readonly tookMs: number;
}

export interface ExchangeEvents {
  /** Receives the headers of the request, secrets included. */
  readonly onSent: (headers: Readonly<Record<string, string>>) => void;
  /** The head of the answer has arrived; its body may still fail. */
  readonly onHead: () => void;
}

/**
 * Sends one request, once. Ends at the last byte of the answer, when that is silent for too long, or when `signal` aborts.
 *
 * @throws whatever the transport throws, once the run has ended or `signal` has aborted
 */
export async function exchange(
  options: ExchangeOptions,
  request: PreparedRequest,
  admission: Admission,
  signal: AbortSignal,
  { onSent, onHead }: ExchangeEvents,
): Promise<TimedAnswer | ServiceError> {
  const { clock, transport, credentials, deadline, timeoutSeconds } = options;
  const { method, target, endpoint, divisible, fresh = false } = request;
  const { givenUp } = admission;
  const patience = patienceWith(options, request);
  const started = clock.monotonic();
  const timer = new ResponseTimer(clock, patience);
  const stop = new Deadline({ clock, at: null, stops: [signal, givenUp, timer.signal] });
  const waitSeconds = Math.min(timeoutSeconds, deadline.remainingMs() / 1000);
  try {
    const headers = requestHeaders(request, credentials, clock, waitSeconds);
    onSent(headers);
    const answer = await transport.send({
      method,
      target,
      headers,
      signal: stop.signal,
      fresh,
      largestBody: request.largestBody ?? (divisible ? LARGEST_PART_BYTES : LARGEST_BODY_BYTES),
      onHead: (head) => {
        learnFrom(head, request, options);
        timer.onHead(isSuccess(head) ? patience.wholeMs : ERROR_BODY_MS);
        // An optional request may be refused without ending the others.
        admission.onHead(head.status === 429 && !endpoint.optional);
        onHead();
      },
      onBody: (bytes) => {
        timer.onBody(bytes);
        admission.onBody(bytes);
      },
    });
    return { ...answer, tookMs: clock.monotonic() - started };
  } catch (error) {
    if (error instanceof ServiceError) return error;
    if (signal.aborted || deadline.reached || error instanceof DamagedPluginError) throw error;
    if (error instanceof SilentProxy) return silentProxyError(clock.monotonic() - started, error, endpoint);
    if (givenUp.aborted) return givenUpError(clock.monotonic() - started, endpoint);
    if (timer.trickled) admission.onTrickle();
    if (timer.expired !== null) return slowResponseError(timer.expired, patience, endpoint);
    return connectionFailure(error, endpoint);
  } finally {
    timer.release();
    stop.release();
  }
}

function patienceWith(
  { deadline, timeoutSeconds }: ExchangeOptions,
  { divisible, largestBody }: PreparedRequest,
): ResponsePatience {
  const headMs = timeoutSeconds * 1000 + Math.min(timeoutSeconds * 250, LONGEST_GRACE_MS);
  const smallMs = largestBody === undefined ? Infinity : LONGEST_WHOLE_MS;
  const wholeMs = divisible ? Math.min(LONGEST_WHOLE_MS, deadline.remainingMs() * SHARE_OF_RUN) : smallMs;
  return { headMs, silenceMs: Math.min(headMs, LONGEST_SILENCE_MS), wholeMs };
}

function learnFrom(head: AnswerHead, request: PreparedRequest, { serviceClock, dialect }: ExchangeOptions): void {
  serviceClock.hear(head);
  // What sends a web page, such as a sign-in page at every address, may not have looked at the signature.
  if (isSuccess(head) && !declaresHtml(head) && request.showsDialect) dialect.accept(request.dialect);
}
