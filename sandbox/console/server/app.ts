import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { messageOf } from "../../soar/text.ts";
import { sameSite, secured, tokenRequired } from "./guard.ts";
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
  /** Host and port under which the server is reached. */
  authorities: () => readonly string[];
}

/** Everything that the server answers. */
export function consoleApp({ parts, live, page, token, authorities }: AppOptions): Hono {
  const app = new Hono();
  app.use(secured(), sameSite(authorities));
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
    parts.host.log.error(`The console failed at ${context.req.method} ${context.req.path}: ${messageOf(error)}`, {
      stack: error.stack,
    });
    return context.json({ message: "The console could not do this. The host's log has the details." }, 500);
  });
  return app;
}

/** The page is the same under every path: its own code reads the path. It holds nothing that needs a token. */
function servePage(app: Hono, { html, assets }: PageBundle): void {
  for (const { path, type, content } of assets) {
    app.get(path, () => new Response(content, { headers: { "Content-Type": type, "Cache-Control": ONE_YEAR } }));
  }
  app.get("/icon.svg", () => new Response(ICON, { headers: { "Content-Type": "image/svg+xml" } }));
  app.all("/assets/*", () => {
    throw new Refusal(404, "The console has no such file.");
  });
  app.get("*", (context) => context.html(html));
}

function limited(): ReturnType<typeof bodyLimit> {
  const onError = () => {
    throw new Refusal(413, "The request is too large.");
  };
  const small = bodyLimit({ maxSize: MOST_BODY_BYTES, onError });
  const large = bodyLimit({ maxSize: MOST_ZIP_BYTES, onError });
  return (context, next) => (context.req.path.startsWith("/api/packages") ? large : small)(context, next);
}
