import { connectionFailure } from "../service/errors/connection-errors.ts";

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
  method: string;
  /** Without the query. */
  path: string;
  /** What it is for, as the end of "could not …". */
  purpose: string;
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

/** The platform did not answer at all. */
export function unreachable(asked: Asked, error: unknown): DeployError {
  const { message } = connectionFailure(error, { method: asked.method, path: asked.path });
  return failure(asked, message.replace(/\bServer\b/g, "the root URL"));
}

/** The platform took the request and did not answer in time. */
export function tooLate(asked: Asked, seconds: number): DeployError {
  const text = `the platform did not answer within ${seconds} s. It may still be at work: wait, then start again; what was done is recognised`;
  return failure(asked, `${text} (${reference(asked)})`);
}

/** The platform answered with another status than 2xx. */
export function refused(asked: Asked, refusal: Refusal): DeployError {
  const text = `${advice(asked, refusal)}${quoted(refusal.words)} (${reference(asked, refusal.status)})`;
  return failure(asked, text, refusal.status);
}

/** What answered is not the platform's API. */
export function notJson(asked: Asked, status: number, words: string): DeployError {
  const text =
    "the answer is not JSON, so what answered is a page or a proxy, not the platform's API. Check the root URL: it is the address of the SOAR platform itself, without a path such as /home.";
  return failure(asked, `${text}${quoted(words)} (${reference(asked, status)})`);
}

/** The platform's answer lacks what must be in it. */
export function unexpected(asked: Asked, what: string): DeployError {
  return failure(
    asked,
    `the answer holds no ${what}. This version of the platform may speak another API (${reference(asked)})`,
  );
}

function failure({ purpose }: Asked, text: string, status: number | null = null): DeployError {
  const sentence = /[.)]$/.test(text) ? text : `${text}.`;
  return new DeployError(`Could not ${purpose}: ${sentence}`, status);
}

function advice(asked: Asked, { status, location }: Refusal): string {
  if (status >= 300 && status < 400) {
    return `the platform redirects to ${location ?? "another place"}, and the key is not sent there. If that is the right place, give its root URL.`;
  }
  switch (status) {
    case 401:
      return "the platform does not accept the API key. Copy the whole key from SOAR Settings > Advanced > API Keys, and see that it was not deleted.";
    case 403:
      return "the API key has no permission for this. Use a key with the permission group Admins.";
    case 404:
      return "the platform has no such place. Check the root URL: it is the address of the SOAR platform, such as https://example.siemplify-soar.com, without a path.";
    case 407:
      return "the proxy wants a user name and password. Put them into the environment variable HTTPS_PROXY.";
    case 413:
      return `the request of ${megabytes(asked.bytes)} is larger than the platform, or a proxy before it, takes. Build the package without Node.js, or import it by hand in Response > IDE > Import package.`;
    case 429:
      return "the platform was asked too often. Wait some minutes and start again.";
    default:
      return status >= 500
        ? "the platform had an internal error. Start again later; what was done already is recognised. Should it come back, give the administrator of the platform this line."
        : "the platform refused the request.";
  }
}

function reference({ method, path }: Asked, status?: number): string {
  return `${method} ${path}${status === undefined ? "" : `, status ${status}`}`;
}

function quoted(words: string): string {
  return words === "" ? "" : ` It said: "${words}"`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
