import type { Context, Hono } from "hono";
import type { AnswerOf, BodyOf, Endpoint, PathOf, QueryOf } from "../contract/index.ts";
import type { Reader } from "./input.ts";
import { Refusal } from "./problems.ts";

/** What a route is called with, read and checked. */
export interface Call<E extends Endpoint> {
  path: PathOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** Aborts when the browser no longer waits for the answer. */
  signal: AbortSignal;
}

type QueryReader<E extends Endpoint> = QueryOf<E> extends undefined ? object : { query: Reader<QueryOf<E>> };
/** A zip is taken as it is; an endpoint whose body is null has none. */
type BodyReader<E extends Endpoint> = [BodyOf<E>] extends [undefined | null]
  ? object
  : [BodyOf<E>] extends [Blob | null]
    ? { body: "zip" }
    : { body: Reader<BodyOf<E>> };

export type Route<E extends Endpoint> = QueryReader<E> &
  BodyReader<E> & { answer: (call: Call<E>) => AnswerOf<E> | Promise<AnswerOf<E>> };

/** Routes of some endpoints, by endpoint. */
export type Routes<E extends Endpoint = Endpoint> = { [K in E]: Route<K> };

interface AnyRoute {
  query?: Reader<unknown>;
  body?: Reader<unknown> | "zip";
  answer: (call: { path: unknown; query: unknown; body: unknown; signal: AbortSignal }) => unknown;
}

/** Serves the routes below `/api`. */
export function register(app: Hono, routes: Routes): void {
  for (const [endpoint, route] of Object.entries(routes) as [string, AnyRoute][]) {
    const [method = "", path = ""] = endpoint.split(" ");
    app.on(method, `/api${path}`, async (context) => context.json(await answer(route, context)));
  }
}

async function answer({ query, body, answer: handle }: AnyRoute, context: Context): Promise<unknown> {
  const call = {
    path: context.req.param(),
    query: query?.(context.req.query(), "The query"),
    body: body === undefined ? null : await readBody(body, context),
    signal: context.req.raw.signal,
  };
  // JSON has no undefined: an endpoint without an answer says null.
  return (await handle(call)) ?? null;
}

async function readBody(reader: Reader<unknown> | "zip", { req }: Context): Promise<unknown> {
  const [type = ""] = (req.header("content-type") ?? "").split(";");
  if (reader === "zip") {
    const blob = await req.blob();
    if (blob.size === 0) return null;
    if (type !== "application/zip") throw new Refusal(415, "The body must be a zip (application/zip).");
    return blob;
  }
  if (type !== "application/json") throw new Refusal(415, "The body must be JSON (application/json).");
  return reader(await parsed(req.text()), "The body");
}

async function parsed(body: Promise<string>): Promise<unknown> {
  try {
    return JSON.parse(await body) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal(400, "The body is not valid JSON.");
    throw error;
  }
}
