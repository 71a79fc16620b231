import type { AnswerOf, BodyOf, Endpoint, PathOf, Problem, QueryOf } from "../contract/index.ts";
import { authorized } from "./session.ts";

/** A request that brought no answer. The message says what to do. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; null when the server did not respond. */
  readonly status: number | null;
  /** Label of the parameter that is wrong. */
  readonly parameter: string | null;

  constructor(message: string, status: number | null, parameter: string | null = null) {
    super(message);
    this.status = status;
    this.parameter = parameter;
  }
}

type Given<K extends string, T> = [T] extends [undefined | null] ? unknown : { [key in K]: T };
type Parts<E extends Endpoint> = Given<"path", PathOf<E>> &
  Partial<Given<"query", QueryOf<E>>> &
  Given<"body", BodyOf<E>> & { signal?: AbortSignal };
type Arguments<E extends Endpoint> = object extends Parts<E> ? [parts?: Parts<E>] : [parts: Parts<E>];

interface AnyParts {
  path?: Readonly<Record<string, string>>;
  query?: object;
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * Asks the console's server, for example `call("GET /cases/:id", { path: { id: "12" } })`.
 *
 * @throws {ApiError} with the server's own message, or one about the connection
 */
export async function call<E extends Endpoint>(endpoint: E, ...[parts]: Arguments<E>): Promise<AnswerOf<E>> {
  const response = await send(endpoint, parts ?? {});
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(response.status, answer);
  if (answer === undefined)
    throw new ApiError("The console's server sent an answer that is not JSON.", response.status);
  return answer as AnswerOf<E>;
}

async function send(endpoint: Endpoint, { path, query, body, signal }: AnyParts): Promise<Response> {
  const [method = "GET", pattern = ""] = endpoint.split(" ");
  try {
    return await authorized(addressOf(pattern, path, query), {
      method,
      ...(body === undefined || body === null ? {} : contentOf(body)),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const message = "The console's server does not respond. Check that npm start is still running in its terminal.";
    throw new ApiError(message, null);
  }
}

function addressOf(pattern: string, path: Readonly<Record<string, string>> = {}, query: object = {}): string {
  const filled = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `/api${filled}${search === "" ? "" : `?${search}`}`;
}

function contentOf(body: unknown): { body: BodyInit; headers: Record<string, string> } {
  return body instanceof Blob
    ? { body, headers: { "content-type": "application/zip" } }
    : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

function problemOf(status: number, answer: unknown): ApiError {
  const { message, parameter } = (typeof answer === "object" && answer !== null ? answer : {}) as Partial<Problem>;
  return new ApiError(message ?? `The console's server failed (status ${status}).`, status, parameter ?? null);
}
