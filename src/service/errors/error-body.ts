import { validateErrorWrapper } from "../../generated/validators.js";
import { isObject, parseJson, removeNulls } from "../../json.ts";
import type { Answer, AnswerHead } from "../transport.ts";
import type { ErrorWrapper } from "./error-wrapper.records.ts";
import { oneLine } from "../../text.ts";

/** What the body of an error response says. The service, a gateway or a web server may have written it. */
export interface ErrorBody {
  /** Whether it is the service's own error wrapper, for this status. */
  readonly wrapped: boolean;
  readonly isWebPage: boolean;
  /** Whether it is text without a structure, as servers of files answer. */
  readonly isPlainText: boolean;
  /** One text per error, each on one line of bounded length. A web page has none. */
  readonly messages: readonly string[];
  readonly requestId: string | undefined;
}

const REQUEST_ID_HEADERS = ["x-request-id", "request-id", "x-correlation-id"];
const MOST_MESSAGES = 5;

/** @param redact removes secrets, because a service may repeat what it was sent */
export function readErrorBody(answer: Answer, redact: (text: string) => string): ErrorBody {
  const text = answer.body.replace(/^\uFEFF/, "");
  const isWebPage = isHtml(answer, text);
  const json = isWebPage ? undefined : parseJson(text);
  const wrapper = asWrapper(json);
  const messages = isWebPage ? [] : messagesIn(json, text);
  const requestId = wrapper?.request_id || undefined;
  const clean = (message: string) => oneLine(redact(message));
  return {
    // Other software has lists of errors, too, but no status beside them.
    wrapped: wrapper?.http_status === answer.status,
    isWebPage,
    isPlainText: !isWebPage && json === undefined && text.trim() !== "",
    messages: messages
      .slice(0, MOST_MESSAGES)
      .map(clean)
      .filter((message) => message !== ""),
    requestId: requestId === undefined ? requestIdIn(answer, redact) : clean(requestId),
  };
}

/** The request id in the headers of a response. */
export function requestIdIn({ headers }: AnswerHead, redact: (text: string) => string): string | undefined {
  const id = REQUEST_ID_HEADERS.map((name) => headers[name]).find((value) => value);
  return id === undefined ? undefined : oneLine(redact(id));
}

/** `: what the service said`, to be put before the full stop of a sentence; empty when it said nothing. */
export function quoted(messages: readonly string[]): string {
  return messages.length > 0 ? `: ${messages.map((message) => message.replace(/\.+$/, "")).join("; ")}` : "";
}

/** Whether a web page answered, by its content type or its first characters. */
export function isHtml(answer: Answer, text: string): boolean {
  return declaresHtml(answer) || /^\s*<(!doctype|html)\b/i.test(text.slice(0, 200));
}

/** Whether the head announces a web page. */
export function declaresHtml({ headers }: AnswerHead): boolean {
  return /^text\/html\b/i.test(headers["content-type"] ?? "");
}

function asWrapper(json: unknown): ErrorWrapper | null {
  if (!isObject(json) || !Array.isArray(json["errors"])) return null;
  const wrapper: unknown = json;
  if (!validateErrorWrapper(wrapper)) return null;
  removeNulls(wrapper);
  return wrapper;
}

/** Those of the wrapper, or of the shapes in which gateways answer. */
function messagesIn(json: unknown, text: string): string[] {
  if (json === undefined) return [text];
  if (typeof json === "string") return [json];
  if (!isObject(json)) return [];
  const { errors, message, error, detail } = json;
  const items: unknown[] = Array.isArray(errors) ? errors : [];
  const said = items.map((item) => (isObject(item) ? item["message"] : item));
  return [...said, message, error, detail].filter((value) => typeof value === "string");
}
