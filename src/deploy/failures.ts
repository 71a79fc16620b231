import { ConfigurationError } from "../service/errors/errors.ts";
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

/** What was asked of the platform, for its messages. */
export interface Asked {
  method: "GET" | "POST" | "PATCH";
  /** Without the query. */
  path: string;
  /** What it is for, as the end of "Could not …". */
  purpose: string;
  /** What to do when the platform refuses it for a reason of its own: one sentence. */
  otherwise: string;
  /** Of the body that was sent. */
  bytes: number;
}

/** What the platform answered. */
export interface Refusal {
  status: number;
  location: string | undefined;
  /** Its own words, on one line and without the key. */
  words: string;
}

/** Why no answer came, by the code of the error: what happened, and what to do. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^ENOTFOUND$/, "DNS cannot resolve the host name of the root URL. Check it for typing errors."],
  [/^EAI_AGAIN$/, "DNS did not answer. Check the network of this machine and try again."],
  [/^ECONNREFUSED$/, "nothing accepts connections at the root URL. Check its host name and port."],
  [
    /^(ECONNRESET|EPIPE)$/,
    "the connection was closed before the answer arrived. The platform may have done what was asked. Run the command again: it changes only what still differs.",
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    "this machine cannot reach the host of the root URL. Check the firewall and HTTPS_PROXY.",
  ],
  [/^CERT_HAS_EXPIRED$/, "the certificate of the platform has expired. The API key was not sent."],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    "the certificate at the root URL is for another host. The API key was not sent. Check the root URL.",
  ],
  [
    /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_CA)/,
    "this machine does not trust the certificate of the platform. The API key was not sent. If the platform uses a private certificate authority (CA), set the environment variable NODE_EXTRA_CA_CERTS to the file with the certificate of that CA.",
  ],
  [
    /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|EPROTO$)/,
    "no TLS connection could be made. The API key was not sent. Check the root URL.",
  ],
  [/^HPE_/, "what answers at the root URL does not speak HTTP. Check its host name and port."],
];

/** The platform did not answer at all. */
export function unreachable(asked: Asked, error: unknown): DeployError {
  if (error instanceof ConfigurationError) {
    return failure(
      asked,
      "the environment variable HTTPS_PROXY is not an http:// or https:// URL. Correct it, or remove it to connect directly.",
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

/** The platform answered with another status than 2xx. */
export function refused(asked: Asked, refusal: Refusal): DeployError {
  const text = `${advice(asked, refusal)}${quoted(refusal.words)}`;
  return failure(asked, text, [`status ${refusal.status}`], refusal.status);
}

/** What answered is not the platform's API. */
export function notTheApi(asked: Asked, status: number, words: string): DeployError {
  const text = `what answered is a web page or a proxy, not the platform's API. Check the root URL: it is the address of the SOAR platform itself, such as https://example.siemplify-soar.com.${quoted(words)}`;
  return failure(asked, text, [`status ${status}`]);
}

/** The platform's answer lacks what must be in it. */
export function unexpected(asked: Asked, what: string): DeployError {
  return failure(
    asked,
    `the answer has no ${what}. This version of the platform may have another API: install by hand, as docs/google-secops.md describes.`,
  );
}

function failure(asked: Asked, text: string, facts: readonly string[] = [], status: number | null = null): DeployError {
  const reference = [`${asked.method} ${asked.path}`, ...facts].join(", ");
  return new DeployError(`Could not ${asked.purpose}: ${text} (${reference})`, status);
}

function advice(asked: Asked, { status, location }: Refusal): string {
  if (status >= 300 && status < 400) {
    return `the platform redirects to ${location ?? "another address"}. The API key is not sent there. If it is the right address, use it as the root URL.`;
  }
  switch (status) {
    case 401:
      return "the platform does not accept the API key. Copy the whole key from SOAR Settings > Advanced > API Keys, and check that it was not deleted.";
    case 403:
      return "the API key has no permission for this. Use a key with the permission group Admins.";
    case 404:
      return "the platform does not know this request. Check the root URL: it is the address of the SOAR platform itself, such as https://example.siemplify-soar.com.";
    case 407:
      return "the proxy requires a user name and password. Add them to HTTPS_PROXY.";
    case 413:
      return `the request (${(asked.bytes / 1_000_000).toFixed(1)} MB) is larger than the platform, or a proxy in front of it, accepts. Import the package by hand in Response > IDE > Import package, or deploy the one without Node.js with --agent.`;
    case 429:
      return "the platform gets too many requests. Wait a few minutes and run the command again.";
    default:
      return status >= 500
        ? "the platform had an internal error. Run the command again later: it changes only what still differs."
        : `the platform refused the request. ${asked.otherwise}`;
  }
}

function quoted(words: string): string {
  return words === "" ? "" : ` It said: "${words}"`;
}
