import { isObject } from "../../json.ts";
import { isHtml } from "../errors/error-body.ts";
import { type Endpoint, ProtocolError } from "../errors/errors.ts";
import type { Answer } from "../http/transport.ts";

/** The JSON object of a successful response. */
export interface ResponseBody {
  readonly data: unknown;
  /** Length of the whole list, where the service gives it. */
  readonly count: number | null;
}

/**
 * Reads a successful response: a JSON object with the key `data`.
 *
 * @throws ProtocolError for anything else, which must never be taken for an empty response
 */
export function readResponseBody(answer: Answer, endpoint: Endpoint): ResponseBody {
  const json = parse(bodyText(answer, endpoint), endpoint);
  if (!isObject(json) || !("data" in json)) throw malformed("has no data", endpoint);
  const { data, count } = json;
  return { data, count: typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : null };
}

/** @throws ProtocolError when the data is neither a list nor null, which stands for an empty one */
export function listIn({ data }: ResponseBody, endpoint: Endpoint): unknown[] {
  if (data === null) return [];
  if (!Array.isArray(data)) throw malformed("has no list", endpoint);
  return data;
}

/** @throws ProtocolError when the data is no object */
export function objectIn({ data }: ResponseBody, endpoint: Endpoint): Record<string, unknown> {
  if (!isObject(data)) throw malformed("has no record", endpoint);
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
export function malformed(problem: string, endpoint?: Endpoint): ProtocolError {
  const message = `The response from the service ${problem}. It was discarded. Try again later. If it keeps happening, contact the support of the service.`;
  return new ProtocolError(message, { whoActs: "service", ...(endpoint && { endpoint }) });
}

function parse(text: string, endpoint: Endpoint): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(text.trim() === "" ? "is empty" : "is not valid JSON, or was cut off", endpoint);
  }
}
