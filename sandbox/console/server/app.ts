import { brotliCompressSync } from "node:zlib";
import { Hono, type MiddlewareHandler } from "hono";
import type { Logger } from "../../../src/logger.ts";
import { messageOf } from "../../../src/text.ts";
import { sameSite, tokenRequired } from "./guard.ts";
import type { Live } from "./live.ts";
import { ICON, type PageBundle } from "./page.ts";
import type { Parts } from "./parts.ts";
import { found, problemOf, Refusal } from "./problems.ts";
import { consoleRoutes } from "./routes/index.ts";
import { register } from "./routing.ts";

const MOST_BODY_BYTES = 2 ** 20;
const MOST_ZIP_BYTES = 128 * 2 ** 20;
const ONE_YEAR = "private, max-age=31536000, immutable";

export interface AppOptions {
  parts: Parts;
  live: Live;
  page: PageBundle;
  token: string;
  /** Lets another site open the page. */
  ticket: string;
  /** Host and port under which the server is reached. */
  authorities: () => readonly string[];
}

/** Everything that the server answers. */
export function consoleApp({ parts, live, page, token, ticket, authorities }: AppOptions): Hono {
  const app = new Hono();
  app.use(sameSite(authorities, ticket));
  app.use("/api/*", tokenRequired(token));
  app.use("/api/*", limited());
  register(app, consoleRoutes(parts));
  app.get("/api/live", () => live.listen());
  app.all("/api/*", () => {
    throw new Refusal(404, "The console has no such address.");
  });
  app.get("/widgets/:ticket", (context) => {
    const { html, policy } = found(parts.frames.take(context.req.param("ticket")), "This view of a result");
    return context.html(html, 200, { "Content-Security-Policy": policy });
  });
  servePage(app, page);
  app.onError((error, context) => {
    const known = problemOf(error);
    if (known !== null) return context.json(known.problem, known.status);
    return failure(parts.host.log, error, `at ${context.req.method} ${context.req.path}`);
  });
  return app;
}

/** The answer to a request that failed for a reason of the console's own. */
export function failure(log: Logger, error: unknown, where: string): Response {
  const { stack } = error instanceof Error ? error : {};
  log.error(`The console failed ${where}: ${messageOf(error)}`, { ...(stack !== undefined && { stack }) });
  const message = "The console could not do this. The host's log has the details.";
  return Response.json({ message }, { status: 500 });
}

/** The page is the same under every path: its own code reads the path. It holds nothing that needs a token. */
function servePage(app: Hono, { html, assets }: PageBundle): void {
  for (const { path, type, content } of assets) {
    const headers = { "Content-Type": type, "Cache-Control": ONE_YEAR, Vary: "Accept-Encoding" };
    const compressed = brotliCompressSync(content);
    app.get(path, ({ req }) =>
      /\bbr\b/.test(req.header("accept-encoding") ?? "")
        ? new Response(compressed, { headers: { ...headers, "Content-Encoding": "br" } })
        : new Response(content, { headers }),
    );
  }
  app.get("/icon.svg", () => new Response(ICON, { headers: { "Content-Type": "image/svg+xml" } }));
  app.all("/assets/*", () => {
    throw new Refusal(404, "The console has no such file.");
  });
  app.get("*", (context) => context.html(html));
}

/** A body has the length that its header says, or none: Node sees to that. Browsers always say it. */
function limited(): MiddlewareHandler {
  return async ({ req }, next) => {
    if (req.header("transfer-encoding") !== undefined)
      throw new Refusal(411, "The request does not say how long it is (Content-Length).");
    const most = req.path.startsWith("/api/packages") ? MOST_ZIP_BYTES : MOST_BODY_BYTES;
    if (Number(req.header("content-length") ?? 0) > most) throw new Refusal(413, "The request is too large.");
    await next();
  };
}
