import { Refusal, type Answer } from "./answer.ts";
import type { Exchange, Route } from "./exchange.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { azureRoutes } from "./routes/azure.ts";
import { directoryRoutes } from "./routes/directory.ts";
import { documentRoutes } from "./routes/documents.ts";
import { environmentRoutes } from "./routes/environments.ts";
import { metaTreeRoutes } from "./routes/meta-tree.ts";
import { searchRoutes } from "./routes/search.ts";
import { serviceRoutes } from "./routes/service.ts";
import { shortestPathRoutes } from "./routes/shortest-path.ts";

const ROUTES: (Route & { segments: string[] })[] = [
  ...environmentRoutes,
  ...documentRoutes,
  ...searchRoutes,
  ...shortestPathRoutes,
  ...directoryRoutes,
  ...azureRoutes,
  ...metaTreeRoutes,
  ...accountRoutes,
  ...serviceRoutes,
].map((route) => ({ ...route, segments: route.path.split("/") }));

/** Decodes the segments of a raw path one by one, so that an encoded slash stays inside its segment. */
export function pathSegments(rawPath: string): string[] {
  try {
    return rawPath.split("/").map(decodeURIComponent);
  } catch {
    throw new Refusal(400, "the request path is not percent-encoded properly");
  }
}

/** Hands the request to the route of its path and method. */
export function route(segments: readonly string[], exchange: Omit<Exchange, "parameters">): Answer {
  let pathKnown = false;
  for (const candidate of ROUTES) {
    const parameters = match(candidate.segments, segments);
    if (parameters === null) continue;
    if (candidate.method === exchange.method) return candidate.handle({ ...exchange, parameters });
    pathKnown = true;
  }
  throw pathKnown ? new Refusal(405, "method not allowed") : new Refusal(404, "resource not found");
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith(":") && segment !== "") parameters[part.slice(1)] = segment;
    else if (part !== segment) return null;
  }
  return parameters;
}
