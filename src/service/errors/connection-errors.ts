import {
  type Endpoint,
  type FailureDetails,
  NetworkError,
  ProtocolError,
  type ServiceError,
  SlowResponseError,
  StaleConnectionError,
  TimeoutError,
  TlsError,
  TooLargeError,
} from "./errors.ts";
import { durationText } from "../../text.ts";

/** Where the proxy is configured. */
export interface ProxySetting {
  /** The environment variable that names the proxy. */
  readonly variable: string;
  /** Whether it holds a user name. */
  readonly hasUser: boolean;
}

/** Bytes. Node's default is 16 KiB, which cookies and security policies of a gateway may exceed. */
export const LARGEST_HEADERS = 64 * 1024;

/** The proxy did not open a connection to the service. */
export class ProxyRefusal extends Error {
  /** Null when it answered with something else than HTTP. */
  readonly statusCode: number | null;
  readonly setting: ProxySetting;

  constructor(statusCode: number | null, setting: ProxySetting) {
    super(`the proxy answered ${statusCode ?? "without a status"}`);
    this.statusCode = statusCode;
    this.setting = setting;
  }
}

/** There is no connection to the proxy. */
export class UnreachableProxy extends Error {
  readonly code: string;
  readonly variable: string;

  constructor(cause: unknown, { variable }: ProxySetting) {
    super(messageOf(cause));
    this.code = codeOf(cause);
    this.variable = variable;
  }
}

/** The request ended before the proxy had opened a connection to the service. */
export class SilentProxy extends Error {
  /** What to check, as a sentence. */
  readonly advice: string;

  constructor({ variable }: ProxySetting) {
    super("the proxy opened no connection");
    this.advice = `Check ${variable}, and that the proxy works and can reach the server.`;
  }
}

/** A connection that had been kept open after an earlier request was closed before the response to this one. */
export class StaleConnection extends Error {
  readonly code = "ECONNRESET";
}

/** The head of a response arrived, and its body could not be read to the end. */
export class BrokenBodyError extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super(messageOf(cause));
    this.code = codeOf(cause);
  }
}

/** The body is larger than what was asked for can be. */
export class OversizedBodyError extends Error {}

/** The body has an encoding that was not asked for. */
export class UnknownEncodingError extends Error {}

/** Lost connections. The request may never have arrived, or its response was lost, so a GET may be retried. */
const LOST: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "The server refused the connection"],
  ["ECONNRESET", "The connection was closed before a response arrived"],
  ["EPIPE", "The connection was closed before a response arrived"],
  ["ETIMEDOUT", "The connection to the server timed out"],
  ["EAI_AGAIN", "DNS temporarily failed to resolve the host name of the server"],
]);

/** Whether the connection was lost. */
export function isLost(error: unknown): boolean {
  return LOST.has(codeOf(error));
}

const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  ["ENOTFOUND", "DNS cannot resolve the host name of the server"],
  ["EHOSTUNREACH", "There is no route to the server"],
  ["ENETUNREACH", "There is no route to the network of the server"],
]);

/** Google SecOps has a parameter for it, because nobody can set the environment of a hosted platform. */
const ADD_CA =
  "enter the certificate of that CA in the parameter CA Certificate File. Where there is no such parameter, set the environment variable NODE_EXTRA_CA_CERTS to its file";
const CHECK_SERVER = "Check Server, and that this machine can reach it (firewall, HTTPS_PROXY).";

/**
 * What went wrong when no complete response arrived. The original error is not kept: it carries the request with its
 * headers.
 */
export function connectionFailure(error: unknown, endpoint: Endpoint): ServiceError {
  const atProxy = proxyProblem(error, "Server");
  if (atProxy !== null) {
    const { problem, fix, code: causeCode } = atProxy;
    const message = `${problem}. The request did not reach the service. ${fix}.`;
    return new NetworkError(message, { whoActs: "administrator", endpoint, causeCode, retryable: LOST.has(causeCode) });
  }
  const code = codeOf(error);
  const details: FailureDetails = { whoActs: "administrator", endpoint, causeCode: code };
  if (isBrokenOff(error)) {
    const message =
      "The connection was closed before the response was complete. What had arrived was discarded. Try again later. If it keeps happening, check for a proxy between this machine and the service.";
    return new ProtocolError(message, { ...details, whoActs: "service", retryable: true });
  }
  if (error instanceof OversizedBodyError) {
    const message =
      "The response is larger than any that this request can have. It was discarded. Check that Server is the tenant's own address.";
    return new TooLargeError(message, { ...details, whoActs: "service" });
  }
  if (error instanceof UnknownEncodingError) {
    const message =
      "The response has a content encoding that was not asked for. It was discarded. Check for a proxy between this machine and the service.";
    return new ProtocolError(message, details);
  }
  if (/^(Z_|ERR__|ERR_BROTLI)/.test(code)) {
    const message =
      "The response could not be decompressed. It was discarded. Check for a proxy between this machine and the service.";
    return new ProtocolError(message, details);
  }
  if (isTlsCode(code)) return new TlsError(tlsFailure(code), details);
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `The headers of the response are larger than ${LARGEST_HEADERS / 1024} KiB. The response was discarded. Check for a proxy between this machine and the service.`;
    return new ProtocolError(message, details);
  }
  if (code.startsWith("HPE_")) {
    const message = "The response is not valid HTTP. It was discarded. Check that Server is the tenant's own address.";
    return new ProtocolError(message, details);
  }
  const lost = LOST.get(code);
  if (lost !== undefined) {
    const Lost = error instanceof StaleConnection ? StaleConnectionError : NetworkError;
    return new Lost(`${lost}. ${CHECK_SERVER}`, { ...details, retryable: true });
  }
  return new NetworkError(`${UNREACHABLE.get(code) ?? "The request could not be sent"}. ${CHECK_SERVER}`, details);
}

/** How long a response may take, in milliseconds. */
export interface ResponsePatience {
  /** Until status and headers have arrived. */
  readonly headMs: number;
  /** Without enough more of the body, or its end. */
  readonly silenceMs: number;
  /** From the head until the end of the body of a successful response. */
  readonly wholeMs: number;
}

/** The response took longer than this patience, from its head on or before it. */
export function slowResponseError(
  part: "head" | "silence" | "whole",
  { headMs, silenceMs, wholeMs }: ResponsePatience,
  endpoint: Endpoint,
): ServiceError {
  const what = {
    head: `The service did not respond within ${durationText(headMs)}.`,
    silence: `The response stopped arriving for ${durationText(silenceMs)} before it was complete. The part that had arrived was discarded.`,
    whole: `The response was not complete after ${durationText(wholeMs)}. The part that had arrived was discarded.`,
  };
  return new SlowResponseError(`${what[part]} Try again later.`, { whoActs: "service", endpoint }, part !== "head");
}

/** The request was cancelled because it held up others. */
export function givenUpError(waitedMs: number, endpoint: Endpoint): ServiceError {
  const message = `No complete response arrived within ${durationText(waitedMs)} while other requests were waiting. This request was cancelled to let them through. Try again later.`;
  return new TimeoutError(message, { whoActs: "service", endpoint });
}

/** The request was given up after this time, and the proxy had not connected to the service. */
export function silentProxyError(waitedMs: number, { advice }: SilentProxy, endpoint: Endpoint): ServiceError {
  const message = `The proxy did not connect to the server within ${durationText(waitedMs)}. The request did not reach the service. ${advice}`;
  return new NetworkError(message, { whoActs: "administrator", endpoint, causeCode: "EPROXY" });
}

interface ProxyProblem {
  /** A sentence without its full stop, as `fix`. */
  readonly problem: string;
  readonly fix: string;
  readonly code: string;
}

/**
 * What is wrong with the proxy, if that is why no response arrived; else null.
 *
 * @param setting - what names the server
 */
export function proxyProblem(error: unknown, setting: string): ProxyProblem | null {
  const refusal = causeOf(error, ProxyRefusal);
  if (refusal !== null) return { ...refusalOf(refusal, setting), code: "EPROXY" };
  const unreachable = causeOf(error, UnreachableProxy);
  if (unreachable === null) return null;
  const { code, variable } = unreachable;
  if (isUntrusted(code)) {
    const fix = `If it has a certificate of a private CA, ${ADD_CA}`;
    return { problem: `This machine does not trust the certificate of the proxy (${code})`, fix, code };
  }
  const fix = `Check ${variable}, and that this machine can reach the proxy`;
  return { problem: `There is no connection to the proxy (${code})`, fix, code };
}

function refusalOf({ statusCode: status, setting: proxy }: ProxyRefusal, setting: string): Omit<ProxyProblem, "code"> {
  const { variable, hasUser } = proxy;
  if (status === null) {
    const problem = `The address in ${variable} does not answer like a proxy`;
    return { problem, fix: `Check ${variable}, above all its port` };
  }
  if (status !== 407) {
    const fix = `Check ${variable} and ${setting}, and that the proxy allows this server`;
    return { problem: `The proxy did not connect to the server (status ${status})`, fix };
  }
  return hasUser
    ? { problem: "The proxy refuses this user name and password (status 407)", fix: `Correct them in ${variable}` }
    : { problem: "The proxy requires a user name and password (status 407)", fix: `Add them to ${variable}` };
}

function causeOf<T extends Error>(error: unknown, kind: new (...parameters: never[]) => T): T | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof kind) return current;
  }
  return null;
}

/** Whether the connection or a decompressor reports that the body ended early. */
function isBrokenOff(error: unknown): boolean {
  if (!(error instanceof BrokenBodyError)) return false;
  return error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.code === "Z_BUF_ERROR" || LOST.has(error.code);
}

function isTlsCode(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO$|CRL_|INVALID_CA|HOSTNAME_MISMATCH)/.test(
    code,
  );
}

/** Whether the certificate chain does not end at an authority that this machine trusts. */
export function isUntrusted(code: string): boolean {
  return /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_CA)/.test(code);
}

function tlsFailure(code: string): string {
  if (code === "CERT_HAS_EXPIRED") {
    return "The certificate of the server has expired, or the clock of this machine is ahead. Nothing was sent. Check the clock, or renew the certificate.";
  }
  if (code === "CERT_NOT_YET_VALID") {
    return "The certificate of the server is not valid yet, or the clock of this machine is behind. Nothing was sent. Check the clock.";
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH") {
    return "The certificate of the server is for another host name. Nothing was sent. Check Server.";
  }
  if (isUntrusted(code)) {
    return `The certificate of the server is not issued by a certificate authority (CA) that this machine trusts. Nothing was sent. If the server uses a private CA, ${ADD_CA}.`;
  }
  if (code.includes("ALERT_CERTIFICATE_REQUIRED")) {
    return "The server requires a client certificate, and the plugin has none. Let this machine reach the service without one.";
  }
  // With TLS 1.3, a server may reject a connection after the first request is on its way.
  if (code.includes("_ALERT_")) {
    return `The server rejected the encrypted connection (${code}). Check that Server is the tenant's own address, and that the server accepts this machine.`;
  }
  if (/^(CERT_|CRL_)/.test(code)) {
    return `The certificate of the server cannot be verified (${code}). Nothing was sent. Ask the administrator of the server to replace the certificate.`;
  }
  return `The TLS handshake with the server failed (${code}). Nothing was sent. Check that Server is an https address, and that the proxy works if there is one.`;
}

/** What Node calls a fault. AxiosError repeats the code of the fault below it. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? code : "UNKNOWN";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}
