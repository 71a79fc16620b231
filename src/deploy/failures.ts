import { proxyProblem } from "../service/errors/connection-errors.ts";
import { ConfigurationError } from "../service/errors/errors.ts";
import { proxySetting } from "../service/http/proxy-setting.ts";
import { durationText } from "../text.ts";

/** Something that stops the deployment; the message says what happened and what to do, and holds no key. */
export class DeployError extends Error {
  readonly readable = true;
  /** Of the platform's answer, where there was one. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.name = "DeployError";
    this.status = status;
  }
}

/** What messages advise in words that only one of the two APIs uses; whole sentences. */
export interface Wording {
  /** Status 401. */
  unauthorized: string;
  /** Status 403. */
  forbidden: string;
  /** Where a right address leads. */
  address: string;
}

/** What was asked of the platform, for its messages. */
export interface Asked {
  method: "GET" | "POST" | "PATCH";
  /** Without the query. */
  path: string;
  /** What it is for, as the end of "Could not …". */
  purpose: string;
  /** Where the request is described: a public page, or a file of a public repository. */
  source: string;
  /** What the source does not say about it, as a sentence. Null when it says everything. */
  guess: string | null;
  /** What to do when the platform refuses it for a reason of its own: one sentence. */
  otherwise: string;
  /** It only finds out whether address and credentials are right. */
  isCheck: boolean;
  /** Of the body that was sent. */
  bytes: number;
  wording: Wording;
}

/** What the platform answered. */
export interface RefusedResponse {
  status: number;
  location: string | undefined;
  /** Its own words, on one line and without the key. */
  words: string;
}

/** Why no answer came, by the code of the error: what happened, and what to do. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^ENOTFOUND$/, "DNS cannot resolve the host name of the address. Check it for typing errors."],
  [/^EAI_AGAIN$/, "DNS did not answer. Check the network of this machine and try again."],
  [/^ECONNREFUSED$/, "nothing accepts connections at the address. Check its host name and port."],
  [
    /^(ECONNRESET|EPIPE)$/,
    "the connection was closed before the answer arrived. The platform may have done what was asked. Run the command again: it changes only what still differs.",
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    "this machine cannot reach the host of the address. Check the firewall and HTTPS_PROXY.",
  ],
  [/^CERT_HAS_EXPIRED$/, "the certificate of the platform has expired. The credentials were not sent."],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    "the certificate at the address is for another host. The credentials were not sent. Check the address.",
  ],
  [
    /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_CA)/,
    "this machine does not trust the certificate of the platform. The credentials were not sent. If the platform uses a private certificate authority (CA), set the environment variable NODE_EXTRA_CA_CERTS to the file with the certificate of that CA.",
  ],
  [
    /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|EPROTO$)/,
    "no TLS connection could be made. The credentials were not sent. Check the address.",
  ],
  [/^HPE_/, "what answers at the address does not speak HTTP. Check its host name and port."],
];

/** The platform did not answer at all. */
export function unreachable(asked: Asked, error: unknown): DeployError {
  if (error instanceof ConfigurationError) {
    // It is about the proxy, and speaks of a parameter of the plugin.
    const problem = error.message.replace("the host of Server", "the host of the address");
    return failure(asked, `${problem.charAt(0).toLowerCase()}${problem.slice(1)}`);
  }
  const atProxy = proxyProblem(error, "the address");
  if (atProxy !== null) {
    const { problem, fix } = atProxy;
    return failure(
      asked,
      `${problem.charAt(0).toLowerCase()}${problem.slice(1)}. The request did not reach the platform. ${fix}.`,
    );
  }
  const given: unknown = (error as { code?: unknown } | null)?.code;
  const code = typeof given === "string" ? given : "";
  const [, cause] = causes.find(([codes]) => codes.test(code)) ?? [
    null,
    "the request could not be sent. Check the network of this machine and HTTPS_PROXY.",
  ];
  return failure(asked, cause, code === "" ? [] : [code]);
}

/** The platform took the request and did not answer in time. */
export function tooLate(asked: Asked, seconds: number): DeployError {
  const text = `the platform did not answer within ${durationText(seconds * 1000)}. It may still be working on it. Wait, then run the command again: it changes only what still differs.`;
  return failure(asked, text);
}

/** The time was over before the proxy had opened a connection to the platform. */
export function silentProxy(asked: Asked, seconds: number): DeployError {
  const { variable } = proxySetting();
  const text = `the proxy did not connect to the platform within ${durationText(seconds * 1000)}. The request did not reach the platform. Check ${variable}, and that the proxy works and can reach the platform.`;
  return failure(asked, text);
}

/** The platform answered with another status than 2xx. */
export function refused(asked: Asked, refusal: RefusedResponse): DeployError {
  const text = `${advice(asked, refusal)}${quoted(refusal.words)}`;
  return failure(asked, text, [`status ${refusal.status}`], refusal.status);
}

/** What answered is not the platform's API. */
export function notTheApi(asked: Asked, status: number, words: string): DeployError {
  const text = `what answered is a web page or a proxy, not the platform's API. ${asked.wording.address}${quoted(words)}`;
  return failure(asked, text, [`status ${status}`]);
}

/** The platform's answer lacks what must be in it. */
export function unexpected(asked: Asked, what: string): DeployError {
  return failure(
    asked,
    `the answer has no ${what}. This version of the platform may have another API than ${asked.source} describes. ${DO_BY_HAND}`,
  );
}

/** The platform took a request that is a guess, and did not do what was hoped for. */
export function withoutEffect(asked: Asked, what: string): DeployError {
  return failure(asked, `the platform accepted the request, but ${what}. ${guessed(asked.guess ?? "")}`);
}

export const DO_BY_HAND = "Do this part by hand: docs/google-secops.md describes it.";

/** When the platform refuses a package that it could read. */
export const DELETE_FIRST =
  "If it objects to the version, read Rollback in docs/google-secops.md before you delete the installed integration.";

function guessed(guess: string): string {
  return `The request is a guess, so this is no mistake of yours: ${guess} ${DO_BY_HAND}`;
}

function failure(asked: Asked, text: string, facts: readonly string[] = [], status: number | null = null): DeployError {
  const reference = [`${asked.method} ${asked.path}`, ...facts].join(", ");
  return new DeployError(`Could not ${asked.purpose}: ${text} (${reference})`, status);
}

function advice(asked: Asked, { status, location }: RefusedResponse): string {
  if (status >= 300 && status < 400) {
    return `the platform redirects to ${location ?? "another address"}. The credentials are not sent there. If it is the right address, use it.`;
  }
  switch (status) {
    case 401:
      return asked.wording.unauthorized;
    case 403:
      return asked.wording.forbidden;
    case 407:
      return "the proxy requires a user name and password. Add them to HTTPS_PROXY.";
    case 413:
      return `the request (${(asked.bytes / 1_000_000).toFixed(1)} MB) is larger than the platform, or a proxy in front of it, accepts. Import the package by hand in Response > IDE > Import package, or deploy the one without Node.js with --agent.`;
    case 429:
      return "the platform gets too many requests. Wait a few minutes and run the command again.";
    case 502:
    case 503:
    case 504:
      return "the platform is not available, or a large upload took longer than the gateway in front of it waits. It may still be working on it. Run the command again in a few minutes: it changes only what still differs.";
    default:
      return status >= 500
        ? "the platform had an internal error. Run the command again later: it changes only what still differs."
        : rejected(asked, status);
  }
}

function rejected(asked: Asked, status: number): string {
  if (asked.guess !== null) return `the platform does not accept the request. ${guessed(asked.guess)}`;
  if (status !== 404) return `the platform refused the request. ${asked.otherwise}`;
  return asked.isCheck
    ? `the platform does not know this request. ${asked.wording.address}`
    : `the platform does not know this request, which is described in ${asked.source}. Its version may be another one. ${DO_BY_HAND}`;
}

function quoted(words: string): string {
  return words === "" ? "" : ` It said: "${words}"`;
}
