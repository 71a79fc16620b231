import { isHtml } from "./error-body.ts";
import { type Exchange, ProtocolError } from "./errors.ts";
import type { Answer } from "./transport.ts";

/** A successful answer's JSON object. */
export interface Envelope {
  readonly data: unknown;
  /** Length of the whole list, where the service gives it. */
  readonly count: number | null;
}

/**
 * Reads a successful answer: a JSON object with the key `data`.
 *
 * @throws ProtocolError for whatever else stands there: it must never pass for an empty answer
 */
export function readEnvelope(answer: Answer, exchange: Exchange): Envelope {
  const json = parse(bodyText(answer, exchange), exchange);
  if (!isObject(json) || !("data" in json)) throw misshapen("has no data", exchange);
  const { data, count } = json;
  return { data, count: typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : null };
}

/** @throws ProtocolError when the data is neither a list nor null, which stands for an empty one */
export function listIn({ data }: Envelope, exchange: Exchange): unknown[] {
  if (data === null) return [];
  if (!Array.isArray(data)) throw misshapen("has no list where one belongs", exchange);
  return data;
}

/** @throws ProtocolError when the data is no object */
export function objectIn({ data }: Envelope, exchange: Exchange): Record<string, unknown> {
  if (!isObject(data)) throw misshapen("has no record where one belongs", exchange);
  return data;
}

/** The body as text. @throws ProtocolError when a web page stands there */
export function bodyText(answer: Answer, exchange: Exchange): string {
  const text = answer.body;
  if (isHtml(answer, text)) {
    const message =
      "A web page answered instead of the service. Check that Server is the tenant's own address, and that no sign-in page or proxy stands in between.";
    throw new ProtocolError(message, { whoActs: "administrator", exchange, status: answer.status });
  }
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

export function misshapen(problem: string, exchange: Exchange): ProtocolError {
  const message = `The service's answer ${problem}, so it cannot be trusted. Try again; tell the service's support if it stays.`;
  return new ProtocolError(message, { whoActs: "service", exchange });
}

function parse(text: string, exchange: Exchange): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw misshapen(text.trim() === "" ? "is empty" : "is broken or cut-off JSON", exchange);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
