import { join } from "node:path";
import { startConsole, type Console } from "../../../sandbox/console/server/index.ts";
import type { PageBundle } from "../../../sandbox/console/server/page.ts";
import type { AnswerOf, BodyOf, Endpoint, PathOf, QueryOf } from "../../../sandbox/console/contract/index.ts";
import { openHost, type Host, type RunPlugin } from "../../../sandbox/soar/index.ts";
import type { Simulation } from "../../../sandbox/console/server/simulation/simulation.ts";
import { afterSuite } from "../../support/cleanup.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Stands for the bundled page where a test does not look at it. */
const PAGE: PageBundle = {
  html: '<!doctype html><title>Console</title><script type="module" src="/assets/main-0.js"></script>',
  assets: [{ path: "/assets/main-0.js", type: "text/javascript", content: Buffer.from("export {};") }],
};

export interface TestConsole extends Console {
  host: Host;
  /** Folder of the host. */
  data: string;
  /** Sends a request with the token. */
  send: (path: string, init?: RequestInit) => Promise<Response>;
  /** Calls an endpoint of the contract; an answer that is not 2xx is an error with its message. */
  call: <E extends Endpoint>(endpoint: E, input?: Input<E>) => Promise<AnswerOf<E>>;
}

interface Input<E extends Endpoint> {
  path?: PathOf<E>;
  query?: QueryOf<E>;
  body?: BodyOf<E>;
}

interface AnyInput {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** Starts a console over a new host; both are closed when the suite is over. */
export async function startTestConsole({
  run,
  ...options
}: { simulation?: Simulation; page?: PageBundle; builds?: string; run?: RunPlugin } = {}): Promise<TestConsole> {
  const folder = temporaryFolder();
  const host = openHost({ data: folder, ...(run && { run }) });
  afterSuite(() => host.close());
  const started = await startConsole({
    page: PAGE,
    builds: join(folder, "dist"),
    ...options,
    host,
    tourFile: join(folder, "tour.json"),
  });
  afterSuite(() => started.close());
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${started.origin}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${started.token}`, ...(init.headers as Record<string, string>) },
    });
  return {
    ...started,
    host,
    data: folder,
    send,
    async call(endpoint, input = {}) {
      const response = await send(...requestOf(endpoint, input as AnyInput));
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`${response.status}: ${(answer as { message: string }).message}`);
      return answer as AnswerOf<typeof endpoint>;
    },
  };
}

function requestOf(endpoint: Endpoint, { path, query, body }: AnyInput): [path: string, init: RequestInit] {
  const [method = "", template = ""] = endpoint.split(" ");
  const filled = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(path?.[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  const address = `/api${filled}${search === "" ? "" : `?${search}`}`;
  if (body === undefined || body === null) return [address, { method }];
  const zip = body instanceof Blob;
  const type = zip ? "application/zip" : "application/json";
  return [address, { method, headers: { "Content-Type": type }, body: zip ? body : JSON.stringify(body) }];
}
