import { type Answer, isAnswer } from "../transport.ts";
import type { ServiceError } from "../errors/errors.ts";

/** Characters of a body that are shown. */
const LONGEST_BODY = 2_000;
/** Longer than any token key, so that one that begins in the shown part is recognised as a whole. */
const LONGEST_SECRET = 8_192;
const MASKED = "[masked]";
/** Headers whose value authenticates somebody. */
const SECRET_HEADERS = /^(signature|cookie|set-cookie|proxy-authorization)$/i;

/** Both sides of a request as a person may see them. */
export interface ShownExchange {
  sent: { headers: Record<string, string> };
  /** Null without a response. */
  received: { headers: Record<string, string>; body: string } | null;
}

/**
 * Headers and body of both sides, without secrets, the body cut. Requests of the plugin have no body.
 *
 * @param redact - removes the secret from a text of the service, which may repeat what it was sent
 */
export function shownExchange(
  sent: Readonly<Record<string, string>>,
  answer: Answer | ServiceError,
  redact: (text: string) => string,
): ShownExchange {
  if (!isAnswer(answer)) return { sent: { headers: shownHeaders(sent, redact) }, received: null };
  const body = redact(answer.body.slice(0, LONGEST_BODY + LONGEST_SECRET)).slice(0, LONGEST_BODY);
  return {
    sent: { headers: shownHeaders(sent, redact) },
    received: { headers: shownHeaders(answer.headers, redact), body },
  };
}

function shownHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  redact: (text: string) => string,
): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, shownValue(name, value, redact)]],
  );
  return Object.fromEntries(entries);
}

/** Of an authorization, the scheme is shown: it tells which dialect was spoken. */
function shownValue(name: string, value: string, redact: (text: string) => string): string {
  if (/^authorization$/i.test(name)) return `${value.split(" ", 1)[0] ?? ""} ${MASKED}`;
  return SECRET_HEADERS.test(name) ? MASKED : redact(value).slice(0, LONGEST_BODY);
}
