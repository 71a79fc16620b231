/** Who can put the fault right: whoever typed the input, whoever set the plugin up, or the service itself. */
export type WhoActs = "analyst" | "administrator" | "service";

export type ServiceErrorCode =
  | "aborted"
  | "bad_request"
  | "clock_skew"
  | "configuration"
  | "deadline"
  | "forbidden"
  | "network"
  | "not_found"
  | "protocol"
  | "rate_limited"
  | "redirect"
  | "server"
  | "timeout"
  | "tls"
  | "unauthenticated";

/** Errors that every further request of a run would meet as well: asking on would be useless or unwelcome. */
const ENDING: ReadonlySet<ServiceErrorCode> = new Set([
  "aborted",
  "clock_skew",
  "deadline",
  "rate_limited",
  "unauthenticated",
]);

export function endsTheRun(error: unknown): boolean {
  return error instanceof ServiceError && ENDING.has(error.code);
}

/** The request that failed: its path without the query, so that nothing that was searched for gets into a log. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
}

export interface FailureDetails {
  readonly whoActs: WhoActs;
  /** Absent when no request was made. */
  readonly exchange?: Exchange;
  readonly status?: number;
  readonly requestId?: string | undefined;
  /** What the service said, one text per error that it named. */
  readonly messages?: readonly string[];
  /** Code of the underlying fault, such as ECONNRESET. */
  readonly causeCode?: string | undefined;
  /** The same GET may succeed at once: the connection was lost, the service did not answer. */
  readonly retryable?: boolean;
}

/**
 * A fault of the service, of the way to it, or of the configuration. Its message is meant for people, says what to do,
 * and holds no secret; so does everything else in it.
 */
export abstract class ServiceError extends Error {
  abstract readonly code: ServiceErrorCode;
  readonly readable = true;
  readonly whoActs: WhoActs;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly messages: readonly string[];
  readonly retryable: boolean;

  constructor(message: string, details: FailureDetails) {
    super(`${message}${reference(details)}`, details.causeCode ? { cause: { code: details.causeCode } } : undefined);
    this.name = new.target.name;
    this.whoActs = details.whoActs;
    this.method = details.exchange?.method;
    this.path = details.exchange?.path;
    this.status = details.status;
    this.requestId = details.requestId;
    this.messages = details.messages ?? [];
    this.retryable = details.retryable ?? false;
  }

  toJSON(): Record<string, unknown> {
    const { name, code, message, whoActs, method, path, status, requestId, messages } = this;
    return { name, code, message, whoActs, method, path, status, requestId, messages };
  }
}

/** What a support case needs, in brackets behind the sentence. */
function reference({ exchange, status, requestId }: FailureDetails): string {
  if (!exchange) return "";
  const parts = [`${exchange.method} ${exchange.path}`];
  if (status !== undefined) parts.push(`status ${status}`);
  if (requestId !== undefined) parts.push(`request id ${requestId}`);
  return ` (${parts.join(", ")})`;
}

/** A parameter that cannot work; no request was sent. */
export class ConfigurationError extends ServiceError {
  readonly code = "configuration";

  constructor(message: string) {
    super(message, { whoActs: "administrator" });
  }
}

/** A value of Server that is no address of a tenant. */
export class ServerAddressError extends ConfigurationError {}

/** 400 and the other refusals of a request as such. */
export class BadRequestError extends ServiceError {
  readonly code = "bad_request";
}

/** 401: the credentials were not accepted. */
export class UnauthenticatedError extends ServiceError {
  readonly code = "unauthenticated";
}

/** 401 because the clocks here and at the service are too far apart for a signature. */
export class ClockSkewError extends ServiceError {
  readonly code = "clock_skew";
  /** How far this machine's clock is ahead of the service's, in milliseconds; null when the service did not say. */
  readonly skewMs: number | null;

  constructor(message: string, details: FailureDetails, skewMs: number | null) {
    super(message, details);
    this.skewMs = skewMs;
  }
}

/** 403: the credentials are good and the permission is missing. */
export class ForbiddenError extends ServiceError {
  readonly code = "forbidden";
}

/** 404. */
export class NotFoundError extends ServiceError {
  readonly code = "not_found";
  /** The answer was the service's own error wrapper; otherwise something else answered, such as a web server's page. */
  readonly wrapped: boolean;

  constructor(message: string, details: FailureDetails, wrapped: boolean) {
    super(message, details);
    this.wrapped = wrapped;
  }
}

/** 429, or a request that was not sent because an earlier one was answered so. */
export class RateLimitedError extends ServiceError {
  readonly code = "rate_limited";
  /** Milliseconds until the service takes requests again; null when it did not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, details: FailureDetails, retryAfterMs: number | null) {
    super(message, details);
    this.retryAfterMs = retryAfterMs;
  }
}

/** 5xx. */
export class ServerError extends ServiceError {
  readonly code = "server";
}

/** The service could not be reached, or the connection was lost. */
export class NetworkError extends ServiceError {
  readonly code = "network";
}

/** No trusted connection: the certificate does not prove who answers. */
export class TlsError extends ServiceError {
  readonly code = "tls";
}

/** The service did not answer in time. */
export class TimeoutError extends ServiceError {
  readonly code = "timeout";
}

/** The service pointed elsewhere; credentials do not follow. */
export class RedirectError extends ServiceError {
  readonly code = "redirect";
  /** Scheme, host and path that the answer pointed to; no query, no user information. */
  readonly location: string;

  constructor(message: string, details: FailureDetails, location: string) {
    super(message, details);
    this.location = location;
  }
}

/** An answer that is not what the service promises: never to be taken for an empty one. */
export class ProtocolError extends ServiceError {
  readonly code = "protocol";
}

/** The run was called off. */
export class AbortedError extends ServiceError {
  readonly code = "aborted";
}

/** The run's time was over. */
export class DeadlineError extends ServiceError {
  readonly code = "deadline";
}
