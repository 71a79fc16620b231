import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { startServer } from "../support/raw-server.ts";
import { readZip } from "../support/unzip.ts";

export const KEY = "canary-app-key-5f2e";

type Body = Record<string, unknown>;

export interface Answer {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** Take the request and say nothing. */
  silent?: boolean;
}

/**
 * A stand-in for the SOAR platform, as strict as its contract: a request that differs from it in anything is answered with
 * 400 and kept in `violations`.
 */
export interface StandIn {
  root: string;
  integrations: Body[];
  rules: Body[];
  /** Zips by identifier. */
  playbooks: Map<string, { name: string; zip: string }>;
  requests: string[];
  violations: string[];
  /** Answers instead of the platform's own, by "METHOD path". */
  answers: Map<string, Answer>;
  close(): Promise<void>;
}

const RULES = "/api/1p/external/v1/system/settings/alert-grouping-rules";

export async function startPlatform(): Promise<StandIn> {
  const server = await startServer((request, response) => {
    void handle(request, response);
  });
  const platform: StandIn = {
    root: server.url,
    integrations: [],
    rules: [],
    playbooks: new Map(),
    requests: [],
    violations: [],
    answers: new Map(),
    close: () => server.close(),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const name = `${request.method} ${path}`;
    const body = await text(request);
    platform.requests.push(name);
    const given = platform.answers.get(name);
    if (given?.silent) return;
    const { status, body: answer = "", headers = {} } = given ?? (await checked(request, name, query, body));
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(answer);
  }

  async function checked(request: IncomingMessage, name: string, query: string, body: string): Promise<Answer> {
    try {
      check(request.headers["appkey"] === KEY, `AppKey is ${String(request.headers["appkey"])}`);
      check(request.headers["authorization"] === undefined, "there is an Authorization header");
      check(!(request.url ?? "").includes(KEY), "the key is in the URL");
      if (request.method === "GET") check(body === "", "a GET has a body");
      else check(request.headers["content-type"] === "application/json", "the body is not declared as JSON");
      const value = await routed(platform, name, query, body === "" ? null : (JSON.parse(body) as unknown));
      return value === null ? { status: 204 } : { status: 200, body: JSON.stringify(value) };
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      platform.violations.push(`${name}: ${error.message}`);
      return { status: 400, body: JSON.stringify({ errorMessage: error.message }) };
    }
  }
  return platform;
}

class Violation extends Error {}

function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Violation(what);
}

async function routed(platform: StandIn, name: string, query: string, body: unknown): Promise<unknown> {
  const onlyFormat = (): void => {
    check(query === "format=camel", `the query is ${query}`);
  };
  const noQuery = (): void => {
    check(query === "", `the query is ${query}`);
  };
  switch (name) {
    case "POST /api/external/v1/ide/GetPackageDetails":
      onlyFormat();
      keys(body, ["data"]);
      return { identifier: (await definitionIn(body["data"]))["Identifier"] };
    case "POST /api/external/v1/ide/ImportPackage": {
      onlyFormat();
      keys(body, ["data", "integrationIdentifier", "isCustom"]);
      const definition = await definitionIn(body["data"]);
      check(body["integrationIdentifier"] === definition["Identifier"], "integrationIdentifier is another one");
      check(body["isCustom"] === definition["IsCustom"], "isCustom is not what the package says");
      platform.integrations = platform.integrations.filter(({ identifier }) => identifier !== definition["Identifier"]);
      platform.integrations.push({ identifier: definition["Identifier"], version: definition["Version"] });
      return {};
    }
    case "GET /api/1p/external/v1/integrations":
      noQuery();
      return { items: platform.integrations };
    case `GET ${RULES}`:
      noQuery();
      return platform.rules.length === 0 ? null : { items: platform.rules };
    case `POST ${RULES}`: {
      noQuery();
      checkRule(body, []);
      const id = platform.rules.length + 41;
      platform.rules.push({ ...body, id, name: resource(id) });
      return platform.rules.at(-1);
    }
    case "POST /api/external/v1/playbooks/GetWorkflowMenuCardsWithEnvFilter":
      onlyFormat();
      check(JSON.stringify(body) === "[1,0]", "the body is not [1, 0]");
      return [...platform.playbooks].map(([identifier, playbook]) => ({ identifier, name: playbook.name }));
    case "POST /api/external/v1/playbooks/ExportDefinitions": {
      onlyFormat();
      keys(body, ["identifiers"]);
      const [identifier] = body["identifiers"] as string[];
      const playbook = platform.playbooks.get(identifier ?? "");
      check(playbook !== undefined, "there is no such playbook");
      return { blob: playbook.zip };
    }
    case "POST /api/external/v1/playbooks/ImportDefinitions":
      onlyFormat();
      keys(body, ["blob", "fileName"]);
      check(/^[\w.-]+\.zip$/.test(String(body["fileName"])), "fileName is no zip");
      for (const { path, content } of await unzipped(body["blob"])) {
        check(/^[a-z0-9_]+\.json$/.test(path), `${path} lies in the zip`);
        const { Definition } = JSON.parse(content) as { Definition: { Identifier: string; Name: string } };
        platform.playbooks.set(Definition.Identifier, { name: Definition.Name, zip: String(body["blob"]) });
      }
      return [];
    default: {
      const id = Number(/^PATCH .*\/alert-grouping-rules\/(\d+)$/.exec(name)?.[1]);
      check(Number.isInteger(id), "there is no such place");
      noQuery();
      checkRule(body, ["id", "name"]);
      check(body["id"] === id && body["name"] === resource(id), "id or name is another one");
      platform.rules = platform.rules.map((rule) => (rule["id"] === id ? body : rule));
      return body;
    }
  }
}

function resource(id: number): string {
  return `projects//locations//instances//alertGroupingRules/${id}`;
}

function keys(body: unknown, expected: string[]): asserts body is Body {
  check(typeof body === "object" && body !== null, "the body is no object");
  const found = Object.keys(body).sort();
  check(JSON.stringify(found) === JSON.stringify([...expected].sort()), `the keys are ${found.join(", ")}`);
}

function checkRule(body: unknown, more: string[]): asserts body is Body {
  keys(body, ["category", "categoryDetails", "groupingType", "entityType", ...more]);
  check(["All", "AlertType", "DataSource", "ProductName"].includes(String(body["category"])), "category is unknown");
  check(
    ["Entities", "SourceGroupingIdentifier", "None"].includes(String(body["groupingType"])),
    "groupingType is unknown",
  );
  check(Array.isArray(body["entityType"]), "entityType is no list");
  for (const detail of body["categoryDetails"] as unknown[]) keys(detail, ["identifier", "displayName"]);
}

async function definitionIn(data: unknown): Promise<Body> {
  const entries = await unzipped(data);
  const definition = entries.find(({ path }) => /^Integration-[^/]+\.def$/.test(path));
  check(definition !== undefined, "no Integration-….def lies in the root of the zip");
  return JSON.parse(definition.content) as Body;
}

/** Strict base64 of a zip that can be read. */
async function unzipped(data: unknown): Promise<{ path: string; content: string }[]> {
  check(
    typeof data === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data),
    "no base64",
  );
  const entries = await readZip(Buffer.from(data, "base64")).catch(() => null);
  check(entries !== null, "no zip");
  return entries.map(({ path, content }) => ({ path, content: content.toString("utf8") }));
}
