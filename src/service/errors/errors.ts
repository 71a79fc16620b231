/** Who can fix the problem: the person who typed the input, the one who configured the plugin, or the service. */
export type WhoActs = "analyst" | "administrator" | "service";

export type ServiceErrorCode =
  | "aborted"
  | "bad_request"
  | "clock_skew"
  | "configuration"
  | "deadline"
  | "forbidden"
  | "incomplete"
  | "network"
  | "not_found"
  | "protocol"
  | "rate_limited"
  | "redirect"
  | "server"
  | "timeout"
  | "tls"
  | "unauthenticated";

/** Errors that would also affect every further request of the run. */
const ENDING: ReadonlySet<ServiceErrorCode> = new Set([
  "aborted",
  "clock_skew",
  "deadline",
  "rate_limited",
  "unauthenticated",
]);

/** Whether further requests like the one that failed would fail as well. */
export function isEnding({ code }: ServiceError): boolean {
  return ENDING.has(code);
}

/** Whether a run must not send further requests after this error. */
export function endsTheRun(error: unknown): boolean {
  return error instanceof ServiceError && !error.optional && isEnding(error);
}

const NOT_OFFERED: ReadonlySet<number | undefined> = new Set([400, 403, 404]);

/** Whether an operation is not offered, or not to these credentials. Unless the error is `wrapped`, that may be a gateway's word. */
export function isNotOffered(error: unknown): error is ServiceError {
  return error instanceof ServiceError && NOT_OFFERED.has(error.status);
}

/** Whether a service says that it has no position past the end of this list, or takes none. A gateway says nothing about that. */
export function refusesPosition(error: unknown, isPast: boolean): error is ServiceError {
  if (!(error instanceof ServiceError) || !error.wrapped) return false;
  return error.code === "bad_request" || (isPast && error.code === "not_found");
}

/** What a request asks for: its path without the query, so that no search text gets into a message. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  /** Whether the run can do without the response. Default: false. */
  readonly optional?: boolean;
}

export interface FailureDetails {
  readonly whoActs: WhoActs;
  /** Absent when no request was sent. */
  readonly endpoint?: Endpoint;
  readonly status?: number;
  readonly requestId?: string | undefined;
  /** What the service said, one text per error. */
  readonly messages?: readonly string[];
  /** Whether the response is the service's own error wrapper. Default: false. */
  readonly wrapped?: boolean;
  /** Whether the response is text without a structure. Default: false. */
  readonly isPlainText?: boolean;
  /** Code of the underlying fault, such as ECONNRESET. */
  readonly causeCode?: string | undefined;
  /** The same GET may succeed a moment later: the connection was lost, or the service is overloaded for now. */
  readonly retryable?: boolean;
  /** Milliseconds after which the service wants to be asked again; null when it did not say. */
  readonly retryAfterMs?: number | null;
}

/**
 * A problem with the service, the network or the configuration. Its message is for people and says what to do. Neither the
 * message nor any other field contains a secret.
 */
export abstract class ServiceError extends Error {
  abstract readonly code: ServiceErrorCode;
  readonly readable = true;
  readonly whoActs: WhoActs;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Whether the request was optional for the run. Its failure does not mean that other requests fail. */
  readonly optional: boolean;
  readonly messages: readonly string[];
  /** Whether the response is the service's own error wrapper. Otherwise something else may have answered, such as a gateway. */
  readonly wrapped: boolean;
  readonly isPlainText: boolean;
  readonly retryable: boolean;
  /** Milliseconds after which the service wants to be asked again; null when it did not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, details: FailureDetails) {
    super(`${message}${reference(details)}`, details.causeCode ? { cause: { code: details.causeCode } } : undefined);
    this.name = new.target.name;
    this.whoActs = details.whoActs;
    this.method = details.endpoint?.method;
    this.path = details.endpoint?.path;
    this.status = details.status;
    this.requestId = details.requestId;
    this.optional = details.endpoint?.optional ?? false;
    this.messages = details.messages ?? [];
    this.wrapped = details.wrapped ?? false;
    this.isPlainText = details.isPlainText ?? false;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }

  toJSON(): Record<string, unknown> {
    const { name, code, message, whoActs, method, path, status, requestId, messages } = this;
    return { name, code, message, whoActs, method, path, status, requestId, messages };
  }
}

/** What a support case needs, in brackets after the message. */
function reference({ endpoint, status, requestId }: FailureDetails): string {
  if (!endpoint) return "";
  const parts = [`${endpoint.method} ${endpoint.path}`];
  if (status !== undefined) parts.push(`status ${status}`);
  if (requestId !== undefined) parts.push(`request id ${requestId}`);
  return ` (${parts.join(", ")})`;
}

/** A parameter or an environment variable that cannot be used. No request was sent. */
export class ConfigurationError extends ServiceError {
  readonly code = "configuration";

  constructor(message: string) {
    super(message, { whoActs: "administrator" });
  }
}

/** A value of Server that is not the address of a tenant. */
export class ServerAddressError extends ConfigurationError {}

/** A proxy in the environment, such as in HTTPS_PROXY, that cannot be used. */
export class ProxySettingError extends ConfigurationError {}

/** 400 and the other statuses that reject the request itself. */
export class BadRequestError extends ServiceError {
  readonly code = "bad_request";
}

/** 400 because the service does not know the scheme word of a signed request. */
export class SchemeRejectedError extends BadRequestError {}

/** 401: the service rejected the credentials. */
export class UnauthenticatedError extends ServiceError {
  readonly code = "unauthenticated";
}

/** 401 because the clocks of this machine and of the service are too far apart for a signature. */
export class ClockSkewError extends ServiceError {
  readonly code = "clock_skew";
  /** How far this machine's clock is ahead of the service's, in milliseconds; null when the service did not say. */
  readonly skewMs: number | null;

  constructor(message: string, details: FailureDetails, skewMs: number | null) {
    super(message, details);
    this.skewMs = skewMs;
  }
}

/** 403: as a rule, the credentials are valid and the permission is missing. */
export class ForbiddenError extends ServiceError {
  readonly code = "forbidden";
  /** Whether the service itself responded, and for want of a permission: not a gateway, nor for a user who is disabled. */
  readonly authenticated: boolean;

  constructor(message: string, details: FailureDetails, authenticated = true) {
    super(message, details);
    this.authenticated = authenticated;
  }
}

/** 404. */
export class NotFoundError extends ServiceError {
  readonly code = "not_found";
}

/** 429, or a request that was not sent because an earlier one was answered 429. */
export class RateLimitedError extends ServiceError {
  readonly code = "rate_limited";
}

/** 5xx. */
export class ServerError extends ServiceError {
  readonly code = "server";
}

/** The service could not be reached, or the connection was lost. */
export class NetworkError extends ServiceError {
  readonly code = "network";
}

/** The connection had been kept open after an earlier request, and was closed before a response: most likely before the request. */
export class StaleConnectionError extends NetworkError {}

/** The certificate of the server could not be verified, or the TLS handshake failed. */
export class TlsError extends ServiceError {
  readonly code = "tls";
}

/** The service did not respond in time, or reports a timeout itself with a 408. */
export class TimeoutError extends ServiceError {
  readonly code = "timeout";
}

/** No complete response arrived in time. A part of a list may arrive in time. */
export class SlowResponseError extends TimeoutError {
  /** Whether its head had arrived. */
  readonly responded: boolean;

  constructor(message: string, details: FailureDetails, responded: boolean) {
    super(message, details);
    this.responded = responded;
  }
}

/** A redirect, which is not followed because it would pass the credentials on. */
export class RedirectError extends ServiceError {
  readonly code = "redirect";
  /** Scheme, host and path of the target; no query, no user information. */
  readonly location: string;

  constructor(message: string, details: FailureDetails, location: string) {
    super(message, details);
    this.location = location;
  }
}

/** A response that the API does not document. It must never be treated as an empty one. */
export class ProtocolError extends ServiceError {
  readonly code = "protocol";
}

/** A response that is larger than what was asked for can be. A part of a list may be small enough. */
export class TooLargeError extends ProtocolError {}

/** The run was stopped. */
export class AbortedError extends ServiceError {
  readonly code = "aborted";
}

/** The run reached its deadline. */
export class DeadlineError extends ServiceError {
  readonly code = "deadline";
}
