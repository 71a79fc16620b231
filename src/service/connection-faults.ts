import {
  type Exchange,
  type FailureDetails,
  NetworkError,
  ProtocolError,
  type ServiceError,
  TlsError,
} from "./errors.ts";

/** The proxy did not open the way to the service. */
export class ProxyRefusal extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super(`the proxy answered ${statusCode}`);
    this.statusCode = statusCode;
  }
}

/** The answer had begun, and its body could not be read. */
export class BodyFault extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super(messageOf(cause));
    this.code = codeOf(cause);
  }
}

/** Lost connections: the request may never have arrived, or its answer got lost, so a GET may be asked again. */
const LOST: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The server refuses connections",
  ECONNRESET: "The connection was dropped before an answer came",
  EPIPE: "The connection was dropped before an answer came",
  EAI_AGAIN: "The name of the server cannot be looked up at the moment",
};

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: "The name of the server is unknown",
  EHOSTUNREACH: "The server cannot be reached from here",
  ENETUNREACH: "The network of the server cannot be reached from here",
  ETIMEDOUT: "The server does not take connections",
};

const CHECK_SERVER = "Check Server, and whether this machine may reach it (firewall, HTTPS_PROXY).";

/**
 * What went wrong when no complete answer arrived. The original error is left behind: it carries the request with its
 * headers.
 */
export function connectionFailure(error: unknown, exchange: Exchange): ServiceError {
  const proxyStatus = findProxyRefusal(error);
  if (proxyStatus !== null) return proxyFailure(proxyStatus, exchange);
  const code = codeOf(error);
  const details: FailureDetails = { whoActs: "administrator", exchange, causeCode: code };
  if (brokeOff(error)) {
    const message =
      "The answer broke off before its end. Try again later; if it stays, see whether a proxy stands in between.";
    return new ProtocolError(message, { ...details, whoActs: "service", retryable: true });
  }
  if (tooLarge(error)) {
    return new ProtocolError(
      "The answer is larger than any this API gives. Check that Server is the tenant's own address.",
      { ...details, whoActs: "service" },
    );
  }
  if (isTlsCode(code)) return new TlsError(`No trusted connection to the server: ${tlsAdvice(code)}`, details);
  if (code.startsWith("HPE_") || code.startsWith("Z_") || code.startsWith("ERR_BROTLI")) {
    return new ProtocolError("What answered does not speak HTTP as it should. Check Server.", details);
  }
  const lost = LOST[code];
  if (lost) return new NetworkError(`${lost}. ${CHECK_SERVER}`, { ...details, retryable: true });
  return new NetworkError(`${UNREACHABLE[code] ?? "The request could not be sent"}. ${CHECK_SERVER}`, details);
}

function proxyFailure(status: number, exchange: Exchange): ServiceError {
  const advice =
    status === 407
      ? "it wants a user name and password: put them into HTTPS_PROXY"
      : "check HTTPS_PROXY, and whether the proxy may reach the server";
  return new NetworkError(`The proxy did not connect to the server (it answered ${status}): ${advice}.`, {
    whoActs: "administrator",
    exchange,
    causeCode: "EPROXY",
  });
}

function findProxyRefusal(error: unknown): number | null {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ProxyRefusal) return current.statusCode;
  }
  return null;
}

/** A body that ends early: the connection says so, or a decompressor. */
function brokeOff(error: unknown): boolean {
  return error instanceof BodyFault && (error.code === "ERR_STREAM_PREMATURE_CLOSE" || error.code in LOST);
}

function tooLarge(error: unknown): boolean {
  return /maxContentLength/.test(messageOf(error));
}

function isTlsCode(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO$|CRL_|INVALID_CA|HOSTNAME_MISMATCH)/.test(
    code,
  );
}

function tlsAdvice(code: string): string {
  if (code === "CERT_HAS_EXPIRED") return "its certificate has expired. Have it renewed.";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH") {
    return "its certificate belongs to another host name. Check Server.";
  }
  if (/^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_CA)/.test(code)) {
    return "its certificate comes from an authority that this machine does not trust. Name the authority's certificate file in the environment variable NODE_EXTRA_CA_CERTS.";
  }
  return `the handshake failed (${code}). Check that Server is an https address.`;
}

/** AxiosError keeps the code of the fault below it. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? code : "UNKNOWN";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}
