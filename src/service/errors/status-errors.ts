import { rateLimitWait, retryAfterOf } from "./rate-limit-headers.ts";
import type { Answer } from "../transport.ts";
import { isClockSkew, skewFailure } from "./clock-skew.ts";
import { type ErrorBody, quoted, readErrorBody } from "./error-body.ts";
import {
  BadRequestError,
  ClockSkewError,
  type Endpoint,
  type FailureDetails,
  ForbiddenError,
  NotFoundError,
  ProtocolError,
  RateLimitedError,
  RedirectError,
  SchemeRejectedError,
  ServerError,
  type ServiceError,
  TimeoutError,
  UnauthenticatedError,
} from "./errors.ts";
import { durationText, oneLine } from "../../text.ts";

/** What decides about an error response, besides itself. */
export interface StatusContext {
  readonly endpoint: Endpoint;
  readonly credentials: "jwt" | "token";
  /** Epoch milliseconds of this machine when the response arrived. */
  readonly now: number;
  readonly redact: (text: string) => string;
}

/** The parts of an error response. */
interface ErrorResponse {
  readonly answer: Answer;
  readonly body: ErrorBody;
  /** What the service said, to be put before the full stop of a sentence. */
  readonly said: string;
  readonly details: Omit<FailureDetails, "whoActs">;
  readonly context: StatusContext;
}

/** Turns a response without success into an error (Attack Path Analysis Service API, section Errors). */
export function statusFailure(answer: Answer, context: StatusContext): ServiceError {
  const { status } = answer;
  const body = readErrorBody(answer, context.redact);
  const said = quoted(body.messages);
  const { requestId, messages, wrapped, isPlainText } = body;
  const details = { endpoint: context.endpoint, status, requestId, messages, wrapped, isPlainText };
  const response: ErrorResponse = { answer, body, said, details, context };
  if (status >= 300 && status < 400 && status !== 304 && answer.headers["location"]) return redirect(response);
  if (status === 401) return unauthenticated(response);
  if (status === 403) return forbidden(response);
  if (status === 404) return notFound(response);
  if (status === 407 || status === 511) return signInRequired(response);
  if (status === 408) return timedOut(response);
  if (status === 429) return rateLimited(response);
  if (status >= 400 && status < 500) return badRequest(response);
  if (status >= 500) return serverFault(response);
  const message = `The server responded with status ${status}, which this API does not define. The response was discarded. Check that Server is the tenant's own address, and what is between this machine and the service.`;
  return new ProtocolError(message, { ...details, whoActs: "administrator" });
}

/** Turns a successful response that reports errors in the place of data into an error. */
export function reportedFailure(
  answer: Answer,
  { endpoint, redact }: Pick<StatusContext, "endpoint" | "redact">,
): ServiceError {
  const { messages, requestId } = readErrorBody(answer, redact);
  const message = `The service reported an error in a response without data${quoted(messages)}. The response was discarded. Try again later. If it keeps happening, contact the support of the service.`;
  return new ProtocolError(message, { endpoint, status: answer.status, requestId, messages, whoActs: "service" });
}

function redirect({ answer, details, context }: ErrorResponse): ServiceError {
  const location = shownLocation(answer.headers["location"] ?? "", context.redact);
  const message = `The server redirects to ${location}. The redirect was not followed, so that the credentials stay with this server. If the service has moved, enter its new address as Server. If it is a sign-in page, let the requests of this machine bypass it.`;
  return new RedirectError(message, { ...details, whoActs: "administrator" }, location);
}

/** Host and path only, because the query of a sign-in page may hold tokens. */
function shownLocation(location: string, redact: (text: string) => string): string {
  const base = "https://same-host.invalid";
  if (!URL.canParse(location, base)) return "an invalid address";
  const url = new URL(location, base);
  return oneLine(redact(url.origin === base ? url.pathname : `${url.protocol}//${url.host}${url.pathname}`));
}

const WEB_PAGE_ADVICE =
  "The response is a web page, so it may not come from the service. Check that Server is the tenant's own address, and that no sign-in page or proxy intercepts the requests.";

const FOREIGN_ADVICE =
  "The response did not come from the service itself. Check that Server is the tenant's own address, and what is between this machine and the service.";

type Advice = readonly (readonly [pattern: RegExp, advice: string])[];

/** Advice by fragments of the server's messages (BloodHound, cmd/api/src/api/auth.go): hints, never the whole message. */
const TOKEN_ADVICE: Advice = [
  [
    /use of API keys has been disabled/i,
    "API tokens are disabled on this tenant. Ask the administrator of the tenant to enable them.",
  ],
  [
    /resource not found/i,
    "The service does not know this Token ID. Check Token ID, and that it belongs to this Server.",
  ],
  [/digest/i, "Token Key does not match Token ID, or a proxy changes the URL on the way. Check Token Key first."],
];

function unauthenticated({ answer, body, said, details, context }: ErrorResponse): ServiceError {
  const administrator = { ...details, whoActs: "administrator" } as const;
  if (context.credentials === "jwt") {
    const advice = adviceFor(body, []) ?? "It may have expired. Get a new one.";
    const message = `The service rejected the bearer token${said}. ${advice}`;
    return new UnauthenticatedError(message, administrator);
  }
  const tokenAdvice = adviceFor(body, TOKEN_ADVICE);
  if (isClockSkew(answer, body.messages, context.now, tokenAdvice !== undefined)) {
    const { message, skewMs } = skewFailure(answer, body.messages, context.now);
    return new ClockSkewError(message, administrator, skewMs);
  }
  const advice = tokenAdvice ?? "Check Token ID and Token Key.";
  return new UnauthenticatedError(`The service rejected the credentials${said}. ${advice}`, administrator);
}

const USER_ADVICE: Advice = [
  [/user disabled/i, "The user of this Token ID is disabled. Enable the user, or use the token of another one."],
];

function forbidden({ body, said, details, context }: ErrorResponse): ServiceError {
  const other = adviceFor(body, USER_ADVICE) ?? (body.wrapped ? undefined : FOREIGN_ADVICE);
  const does = context.endpoint.method === "GET" ? "read" : "do";
  const advice =
    other ??
    `The credentials are valid, but their user may not ${does} this. Give the user a role that may ${does} it.`;
  const administrator = { ...details, whoActs: "administrator" } as const;
  return new ForbiddenError(`Permission denied${said}. ${advice}`, administrator, other === undefined);
}

/** Operations whose requests contain no name or ID that a person chose. */
const NAMELESS = /\/api\/v2\/(available-domains|datapipe\/status|saml|tasks\/current)$/;
/** With an unknown name, its list is empty. */
const SEARCH = /\/api\/v2\/search$/;
const CURRENT_TASK = /\/tasks\/current$/;

function notFound({ body, said, details, context }: ErrorResponse): ServiceError {
  if (body.wrapped) {
    const advice = missingAdvice(context.endpoint.path);
    return new NotFoundError(`Not found${said}. ${advice}`, { ...details, whoActs: "analyst" });
  }
  const message = `Not found${said}. The response did not come from the service itself. Check that Server is the tenant's address, with its path if it has one.`;
  return new NotFoundError(message, { ...details, whoActs: "administrator" });
}

function missingAdvice(path: string): string {
  if (CURRENT_TASK.test(path))
    return "The service has no current task for this token, or it is not the token of a collector.";
  return NAMELESS.test(path) || SEARCH.test(path)
    ? "The service does not know this address. Check that Server is the tenant's own address, and that it ends with the right path or none."
    : "The service does not know this name or ID. Check it.";
}

/** Statuses by which a proxy or a network asks who is there (RFC 9110, section 15.5.8; RFC 6585, section 6). */
function signInRequired({ said, details }: ErrorResponse): ServiceError {
  const message = `A proxy or the network requires a sign-in (status ${details.status})${said}. The request did not reach the service. Check the user name and password in the proxy settings of this machine, or let this machine through.`;
  return new ProtocolError(message, { ...details, whoActs: "administrator" });
}

function timedOut({ answer, said, details, context }: ErrorResponse): ServiceError {
  const message = `The service did not receive the request in time${said}. Try again later.`;
  const retryAfterMs = retryAfterOf(answer.headers, context.now);
  return new TimeoutError(message, { ...details, whoActs: "service", retryable: true, retryAfterMs });
}

function rateLimited({ answer, said, details, context }: ErrorResponse): ServiceError {
  const retryAfterMs = rateLimitWait(answer.headers, context.now);
  // 0 is no time to wait for, and nobody could be sooner than that.
  const when = retryAfterMs
    ? `no sooner than ${durationText(Math.ceil(retryAfterMs / 1000) * 1000)} from now`
    : "later";
  const consequence =
    context.endpoint.optional === true
      ? "The run continues without this response"
      : "No more requests are sent in this run";
  const message = `Rate limit reached${said}. ${consequence}. Try again ${when}.`;
  return new RateLimitedError(message, { ...details, whoActs: "service", retryAfterMs });
}

/** Advice for messages about the parts of a signed request, and about its user (BloodHound, cmd/api/src/api/v2/search.go). */
const REQUEST_ADVICE: Advice = [
  [/Token ID is malformed/i, "Token ID must be the UUID of an API token. Check Token ID."],
  [
    /Expected only two components|no request date|malformed request date|no signature|malformed signature/i,
    "A proxy may change or remove the headers of the signature. Check what is between this machine and the service.",
  ],
  [
    /no associated user/i,
    "The credentials do not belong to a user. Create an API token for a user, and enter its Token ID and Token Key.",
  ],
];

/** What the service says of the parameters that only the plugin chooses. */
const OWN_PARAMETERS = /\b(?:limit|skip|sort(?:able|ing|_by)?)\b/i;

function badRequest({ answer, body, said, details, context }: ErrorResponse): ServiceError {
  if (answer.status === 400 && context.credentials === "token" && rejectsScheme(body)) {
    const message = `The service does not accept the signature scheme of this plugin${said}. Check that Server is the tenant's own address. If it is, install the newest version of the plugin.`;
    return new SchemeRejectedError(message, { ...details, whoActs: "administrator" });
  }
  const advice = adviceFor(body, REQUEST_ADVICE) ?? (body.wrapped ? undefined : FOREIGN_ADVICE);
  const rejected = `The service rejected the request${said}.`;
  if (advice !== undefined) {
    return new BadRequestError(`${rejected} ${advice}`, { ...details, whoActs: "administrator" });
  }
  if (body.messages.some((message) => OWN_PARAMETERS.test(message))) {
    const message = `${rejected} It does not accept the pages that this plugin asks for. Install the newest version of the plugin.`;
    return new BadRequestError(message, { ...details, whoActs: "service" });
  }
  if (NAMELESS.test(context.endpoint.path)) {
    const message = `${rejected} Install the newest version of the plugin. If it keeps happening, contact the support of the service.`;
    return new BadRequestError(message, { ...details, whoActs: "service" });
  }
  // The connector and the job take most of their IDs from the lists of the service.
  return new BadRequestError(`${rejected} If you entered names or IDs, check them.`, {
    ...details,
    whoActs: "analyst",
  });
}

/** The service looks at the scheme word before anything else of a signed request (BloodHound, cmd/api/src/api/auth.go). */
function rejectsScheme({ messages }: ErrorBody): boolean {
  return messages.some((message) => /Unexpected authorization scheme/i.test(message));
}

/** Statuses by which a gateway reports a temporary outage (RFC 9110, sections 15.6.3 to 15.6.5). */
const TEMPORARY: ReadonlySet<number> = new Set([502, 503, 504]);

function serverFault({ answer, said, details, context }: ErrorResponse): ServiceError {
  const retryable = TEMPORARY.has(answer.status);
  const what = retryable ? "The service is temporarily unavailable" : "The service reported an internal error";
  const reference = details.requestId === undefined ? "" : " and name the request id";
  const message = `${what}${said}. Try again later. If it keeps happening, contact the support of the service${reference}.`;
  const retryAfterMs = retryAfterOf(answer.headers, context.now);
  return new ServerError(message, { ...details, whoActs: "service", retryable, retryAfterMs });
}

function adviceFor(body: ErrorBody, table: Advice): string | undefined {
  if (body.isWebPage) return WEB_PAGE_ADVICE;
  return table.find(([pattern]) => body.messages.some((message) => pattern.test(message)))?.[1];
}
