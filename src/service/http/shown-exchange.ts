import type { ServiceError } from "../errors/errors.ts";
import { type Answer, isAnswer } from "../transport.ts";
import type { PreparedRequest } from "./exchange.ts";

/** Characters of a body that are shown. */
const LONGEST_BODY = 2_000;
/** Longer than any token key, so that one that begins in the shown part is recognised as a whole. */
const LONGEST_SECRET = 8_192;
const MASKED = "[masked]";
/** Headers whose value authenticates somebody. */
const SECRET_HEADERS = /^(signature|cookie|set-cookie|proxy-authorization)$/i;

/** Removes the secret from a text of the service, which may repeat what it was sent. */
type Redact = (text: string) => string;

/** A request, the headers that it was sent with, and its outcome. Times are epoch milliseconds. */
export interface Exchanged {
  readonly request: PreparedRequest;
  readonly sent: Readonly<Record<string, string>>;
  readonly answer: Answer | ServiceError;
  readonly queuedAt: number;
  readonly sentAt: number;
  readonly endedAt: number;
}

/** What a request did, for hosts that show it. Source of the fields: docs/host-contract.md. */
export function shownExchange({ request, sent, answer, ...times }: Exchanged, redact: Redact): object {
  const [path, query = ""] = request.target.split("?", 2);
  const outcome = isAnswer(answer)
    ? { status: answer.status, bytes: Buffer.byteLength(answer.body) }
    : { error: answer.message };
  return {
    ...{ method: request.method, path, query: decodeURIComponent(query), ...times, ...outcome },
    // Only looked at where somebody reads the message.
    get sent() {
      return { headers: shownHeaders(sent, redact) };
    },
    get received() {
      return shownAnswer(answer, redact);
    },
  };
}

/** Headers and body of a response as a person may see them: without secrets, the body cut. Null without a response. */
export function shownAnswer(
  answer: Answer | ServiceError,
  redact: Redact,
): { headers: Record<string, string>; body: string } | null {
  if (!isAnswer(answer)) return null;
  const looked = answer.body.slice(0, LONGEST_BODY + 2 * LONGEST_SECRET);
  const isCut = answer.body.length > looked.length;
  const redacted = redact(looked);
  // A secret at the cut is not recognised, and what was removed before it may have moved it forward.
  const body = (isCut ? redacted.slice(0, -LONGEST_SECRET) : redacted).slice(0, LONGEST_BODY);
  return { headers: shownHeaders(answer.headers, redact), body };
}

/** Headers as a person may see them, without secrets. Requests of the plugin have nothing else. */
export function shownHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  redact: Redact,
): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, shownValue(name, value, redact)]],
  );
  return Object.fromEntries(entries);
}

/** Of an authorization, the scheme is shown: it tells which dialect was spoken. */
function shownValue(name: string, value: string, redact: Redact): string {
  if (/^authorization$/i.test(name)) return `${value.split(" ", 1)[0] ?? ""} ${MASKED}`;
  return SECRET_HEADERS.test(name) ? MASKED : redact(value).slice(0, LONGEST_BODY);
}
