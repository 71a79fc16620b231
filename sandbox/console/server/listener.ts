import type { RequestListener } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Hono } from "hono";
import { HEADERS } from "./guard.ts";

/**
 * Answers requests with an app. The headers are set before the app sees a request, so an answer that the app did not make
 * has them too; what the app sets itself counts instead.
 */
export function listenerOf(app: Hono, failed: (error: unknown) => Response): RequestListener {
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      error instanceof RequestError
        ? Response.json({ message: "The request is malformed." }, { status: 400 })
        : failed(error),
  });
  return (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    void listener(request, response);
  };
}
