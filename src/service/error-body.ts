import type { Answer } from "./transport.ts";
import { validateErrorWrapper } from "../generated/validators.js";
import type { ErrorWrapper } from "./records/error-wrapper.ts";
import { unwrapNullables } from "./records/nullables.ts";

/** What the body of an error response says, whoever wrote it: the service, a gateway, a web server. */
export interface ErrorBody {
  /** The service's own error wrapper. */
  readonly wrapped: boolean;
  /** A web page: most likely something else than the service answered. */
  readonly html: boolean;
  readonly messages: readonly string[];
  readonly requestId: string | undefined;
}

const REQUEST_ID_HEADERS = ["x-request-id", "request-id", "x-correlation-id"];
const LONGEST_MESSAGE = 400;
const MOST_MESSAGES = 5;

/** @param redact takes secrets out of a text: a service may repeat what it was sent */
export function readErrorBody(answer: Answer, redact: (text: string) => string): ErrorBody {
  const text = answer.body;
  const html = isHtml(answer, text);
  const json = html ? undefined : parseJson(text);
  const wrapper = asWrapper(json);
  const messages = html ? [] : wrapper ? wrapperMessages(wrapper) : otherMessages(json, text);
  const header = REQUEST_ID_HEADERS.map((name) => answer.headers[name]).find((value) => value);
  const requestId = wrapper?.request_id ?? header;
  const clean = (message: string) => printable(redact(message));
  return {
    wrapped: wrapper !== null,
    html,
    messages: messages
      .slice(0, MOST_MESSAGES)
      .map(clean)
      .filter((message) => message !== ""),
    requestId: requestId ? clean(requestId) : undefined,
  };
}

/** What the service said, to stand inside a sentence; empty when it said nothing. */
export function quoted(messages: readonly string[]): string {
  return messages.length > 0 ? `: ${messages.map((message) => message.replace(/\.+$/, "")).join("; ")}` : "";
}

export function isHtml(answer: Answer, text: string): boolean {
  return (
    /^text\/html\b/i.test(answer.headers["content-type"] ?? "") || /^\s*<(!doctype|html)\b/i.test(text.slice(0, 200))
  );
}

/** One line without control characters, of a length that fits a log. */
export function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asWrapper(json: unknown): ErrorWrapper | null {
  if (typeof json !== "object" || json === null || !("errors" in json) || !Array.isArray(json.errors)) return null;
  const wrapper: unknown = json;
  return validateErrorWrapper(wrapper) ? unwrapNullables(wrapper) : null;
}

function wrapperMessages(wrapper: ErrorWrapper): string[] {
  return (wrapper.errors ?? []).flatMap((item) => (item.message ? [item.message] : []));
}

/** Gateways answer in shapes of their own. */
function otherMessages(json: unknown, text: string): string[] {
  if (json === undefined) return [text];
  if (typeof json === "string") return [json];
  if (typeof json !== "object" || json === null) return [];
  const values: unknown[] = ["message", "error", "detail"].map((key) => (json as Record<string, unknown>)[key]);
  return values.filter((value) => typeof value === "string");
}
