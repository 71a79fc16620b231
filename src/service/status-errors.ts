import { type ErrorBody, quoted, readErrorBody } from "./error-body.ts";
import {
  BadRequestError,
  ClockSkewError,
  type Exchange,
  type FailureDetails,
  ForbiddenError,
  NotFoundError,
  ProtocolError,
  RateLimitedError,
  RedirectError,
  ServerError,
  type ServiceError,
  UnauthenticatedError,
} from "./errors.ts";
import { isClockSkew, skewFailure } from "./clock-skew.ts";
import { rateLimitWait } from "./rate-limit-headers.ts";
import type { Answer } from "./transport.ts";

/** What an error response is judged by, besides itself. */
export interface StatusContext {
  readonly exchange: Exchange;
  readonly credentials: "jwt" | "token";
  /** Epoch milliseconds of this machine when the answer came. */
  readonly now: number;
  readonly redact: (text: string) => string;
}

interface Failure {
  readonly answer: Answer;
  readonly body: ErrorBody;
  readonly said: string;
  readonly details: Omit<FailureDetails, "whoActs">;
  readonly context: StatusContext;
}

/** The error of a response that is no success (Attack Path Analysis Service API, section Errors). */
export function statusFailure(answer: Answer, context: StatusContext): ServiceError {
  const { status } = answer;
  const body = readErrorBody(answer, context.redact);
  const said = quoted(body.messages);
  const details = { exchange: context.exchange, status, requestId: body.requestId, messages: body.messages };
  const failure: Failure = { answer, body, said, details, context };
  if (status >= 300 && status < 400) return redirect(failure);
  if (status === 401) return unauthenticated(failure);
  if (status === 403) return forbidden(failure);
  if (status === 404) return notFound(failure);
  if (status === 429) return rateLimited(failure);
  if (status >= 400 && status < 500) return badRequest(failure);
  if (status >= 500) return serverFault(failure);
  return new ProtocolError(
    "The service answered with a status that this API does not have. Check that Server is the tenant's own address.",
    {
      ...details,
      whoActs: "service",
    },
  );
}

function redirect({ answer, details, context }: Failure): ServiceError {
  const location = whereTo(answer.headers["location"], context.redact);
  const message = `The server pointed to ${location} instead of answering; credentials are not sent there. Enter the address that answers itself as Server.`;
  return new RedirectError(message, { ...details, whoActs: "administrator" }, location);
}

/** Host and path only: the query of a sign-in page may hold tokens. */
function whereTo(location: string | undefined, redact: (text: string) => string): string {
  if (!location) return "an unnamed place";
  const base = "https://same-host.invalid";
  if (!URL.canParse(location, base)) return "an unreadable address";
  const url = new URL(location, base);
  return redact(url.origin === base ? url.pathname : `${url.protocol}//${url.host}${url.pathname}`);
}

/** Advice by fragments of the server's messages (BloodHound, cmd/api/src/api/auth.go): hints, never the whole message. */
const TOKEN_ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /use of API keys has been disabled/i,
    "This tenant does not allow API tokens: ask its administrator to switch them on.",
  ],
  [
    /resource not found/i,
    "The service does not know this Token ID: check Token ID, and that it belongs to this Server.",
  ],
  [
    /digest/i,
    "Token Key does not belong to Token ID, or a proxy rewrites the address on the way: check Token Key first.",
  ],
];

function unauthenticated(failure: Failure): ServiceError {
  const { body, said, details, context, answer } = failure;
  const administrator = { ...details, whoActs: "administrator" } as const;
  if (context.credentials === "jwt") {
    const advice = "The token may have expired: get a new one.";
    return new UnauthenticatedError(`The service did not accept the bearer token${said}. ${advice}`, administrator);
  }
  if (isClockSkew(answer, body.messages, context.now)) {
    const { message, skewMs } = skewFailure(answer, body.messages, context.now);
    return new ClockSkewError(message, administrator, skewMs);
  }
  const advice = adviceFor(body, TOKEN_ADVICE) ?? "Check Token ID and Token Key.";
  return new UnauthenticatedError(`The service did not accept the credentials${said}. ${advice}`, administrator);
}

function forbidden({ body, said, details }: Failure): ServiceError {
  const advice = body.messages.some((message) => /user disabled/i.test(message))
    ? "The user of this Token ID is disabled: enable it, or use the token of another user."
    : "Give the user of this Token ID a role that may read this, or leave it out.";
  return new ForbiddenError(`The credentials are good but may not read this${said}. ${advice}`, {
    ...details,
    whoActs: "administrator",
  });
}

function notFound({ body, said, details }: Failure): ServiceError {
  if (body.wrapped) {
    const message = `The service has nothing under this name or id${said}.`;
    return new NotFoundError(message, { ...details, whoActs: "analyst" }, true);
  }
  const message = `Nothing answers at this address${said}. Check that Server is the tenant's address, with its path if it has one.`;
  return new NotFoundError(message, { ...details, whoActs: "administrator" }, false);
}

function rateLimited({ answer, said, details, context }: Failure): ServiceError {
  const retryAfterMs = rateLimitWait(answer.headers, context.now);
  const wait = retryAfterMs === null ? "" : `, at the earliest in ${Math.ceil(retryAfterMs / 1000)} s`;
  const message = `The service takes no more requests for now${said}. What is left waits for a later run${wait}.`;
  return new RateLimitedError(message, { ...details, whoActs: "service" }, retryAfterMs);
}

/** What the server says about the parts of a signed request. */
const REQUEST_ADVICE: readonly (readonly [RegExp, string])[] = [
  [/Token ID is malformed/i, "Token ID must be the UUID of an API token: check Token ID."],
  [
    /Expected only two components|Unexpected authorization scheme/i,
    "The service expects another kind of credentials: this package may be built for another dialect.",
  ],
  [
    /no request date|malformed request date|no signature|malformed signature/i,
    "A proxy may take the headers of the signature away: check what stands between here and the service.",
  ],
];

function badRequest({ body, said, details }: Failure): ServiceError {
  const advice = adviceFor(body, REQUEST_ADVICE);
  const whoActs = advice ? "administrator" : "analyst";
  const message = `The service did not take the request${said}. ${advice ?? "Check the names and ids that were entered."}`;
  return new BadRequestError(message, { ...details, whoActs });
}

function serverFault({ said, details }: Failure): ServiceError {
  const reference = details.requestId === undefined ? "tell its support" : "give its support the request id";
  const message = `The service failed${said}. Try again later; ${reference} if it stays.`;
  return new ServerError(message, { ...details, whoActs: "service" });
}

function adviceFor(body: ErrorBody, table: readonly (readonly [RegExp, string])[]): string | undefined {
  return table.find(([fragment]) => body.messages.some((message) => fragment.test(message)))?.[1];
}
