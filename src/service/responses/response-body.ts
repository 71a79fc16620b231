import { isObject } from "../../json.ts";
import { isHtml, requestIdIn } from "../errors/error-body.ts";
import { type Endpoint, ProtocolError, TooLargeError } from "../errors/errors.ts";
import { reportedFailure } from "../errors/status-errors.ts";
import type { Answer } from "../transport.ts";
import { grouped } from "../../text.ts";

/** The JSON object of a successful response. */
export interface ResponseBody {
  readonly data: unknown;
  /** Length of the whole list, where the service gives it. Null where it may be that of the page alone. */
  readonly count: number | null;
  /** Whether it is a full page of a size that the service chose, with no count or one that may be that of the page: the list may go on. */
  readonly mayGoOn: boolean;
  /** As the response names it. */
  readonly requestId?: string | undefined;
}

/**
 * Lists, objects and their entries that a response may hold. A page of 16 MiB holds fewer, unless each takes less than four characters.
 * Without a limit, a body that is small before it is decompressed could take gigabytes once it is parsed.
 */
const MOST_VALUES = 4_000_000;

/** What a response without a body says. */
export const NO_DATA: ResponseBody = { data: null, count: null, mayGoOn: false };

export interface ResponseContext {
  readonly endpoint: Endpoint;
  /** Most records of a list that the request asked for; Infinity when it named no limit. */
  readonly asked: number;
  /** Removes secrets from what the service says. */
  readonly redact: (text: string) => string;
}

/**
 * Reads a successful response: a JSON object with the key `data`.
 *
 * @throws ProtocolError for anything else, which must never be taken for an empty response
 */
export function readResponseBody(answer: Answer, context: ResponseContext): ResponseBody {
  const { endpoint, asked, redact } = context;
  const requestId = requestIdIn(answer, redact);
  const json = parse(bodyText(answer, endpoint), endpoint, requestId);
  refuseErrors(json, answer, context);
  if (!isObject(json) || !("data" in json)) throw malformed("has no data", endpoint, requestId);
  const { data } = json;
  const count = wholeNumber(json["count"]);
  const granted = wholeNumber(json["limit"]) || Infinity;
  const isOfPage = Array.isArray(data) && (count === null || count === data.length);
  const mayGoOn = isOfPage && granted < asked && granted <= data.length;
  return { data, count: mayGoOn ? null : count, mayGoOn, requestId };
}

/** @throws ProtocolError for a body that reports errors and has no data: null would pass for an empty list */
export function refuseErrors(
  json: unknown,
  answer: Answer,
  context: Pick<ResponseContext, "endpoint" | "redact">,
): void {
  if (!isObject(json) || !Array.isArray(json["errors"]) || json["errors"].length === 0) return;
  const data = json["data"] ?? {};
  if (typeof data === "object" && Object.keys(data).length === 0) throw reportedFailure(answer, context);
}

function wholeNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

/** @throws ProtocolError when the data is neither a list nor null, which stands for an empty one */
export function listIn({ data, requestId }: Pick<ResponseBody, "data" | "requestId">, endpoint: Endpoint): unknown[] {
  if (data === null) return [];
  if (!Array.isArray(data)) throw malformed("has no list", endpoint, requestId);
  return data;
}

/** @throws ProtocolError when the data is no object */
export function objectIn({ data, requestId }: ResponseBody, endpoint: Endpoint): Record<string, unknown> {
  if (!isObject(data)) throw malformed("has no record", endpoint, requestId);
  return data;
}

/** The body as text. @throws ProtocolError when it is a web page */
export function bodyText(answer: Answer, endpoint: Endpoint): string {
  const text = answer.body;
  if (isHtml(answer, text)) {
    const message =
      "The response is a web page, not data of the service. It was discarded. Check that Server is the tenant's own address, and that no sign-in page or proxy intercepts the requests.";
    throw new ProtocolError(message, { whoActs: "administrator", endpoint, status: answer.status });
  }
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/**
 * The error for a list with entries that cannot be used, once the others have been passed on.
 *
 * @param what - such as "that are not names"
 */
export function unreadable(count: number, what: string): ProtocolError {
  return new ProtocolError(`The service listed entries ${what}: ${count}.`, { whoActs: "service" });
}

/** @param problem what is wrong with the response, as the rest of a sentence that starts with "The response" */
export function malformed(problem: string, endpoint?: Endpoint, requestId?: string): ProtocolError {
  const message = `The response from the service ${problem}. It was discarded. Try again later. If it keeps happening, contact the support of the service.`;
  return new ProtocolError(message, { whoActs: "service", ...(endpoint && { endpoint }), requestId });
}

/** @param problem what is wrong with the pages of a list, as the rest of a sentence that starts with "The list" */
export function inconsistentList(problem: string, endpoint: Endpoint): ProtocolError {
  const message = `The list from the service ${problem}. Try again later. If it keeps happening, contact the support of the service.`;
  return new ProtocolError(message, { whoActs: "service", endpoint });
}

/** @throws TooLargeError when parsing the text would take too much memory */
function refuseTooMany(text: string, endpoint: Endpoint): void {
  if (text.length <= MOST_VALUES || countValues(text) <= MOST_VALUES) return;
  const message = `The response from the service holds more than ${grouped(MOST_VALUES)} values. It was discarded. Contact the support of the service.`;
  throw new TooLargeError(message, { whoActs: "service", endpoint });
}

/** How many lists, objects and commas a JSON text has outside of its strings; at least that many values. */
function countValues(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === BRACKET || code === BRACE) count += 1;
  }
  return count;
}

const [QUOTE, COMMA, BRACKET, BRACE, BACKSLASH] = Array.from('",[{\\', (sign) => sign.charCodeAt(0));

/** Position of the quotation mark that ends the string which begins at `start`; the end of the text when none does. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

function parse(text: string, endpoint: Endpoint, requestId: string | undefined): unknown {
  refuseTooMany(text, endpoint);
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(text.trim() === "" ? "is empty" : "is not valid JSON, or was cut off", endpoint, requestId);
  }
}
