import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { startServer } from "../support/raw-server.ts";
import { zip } from "../../src/packaging/zip.ts";
import { readZip, type ZipEntry } from "../support/unzip.ts";

export const KEY = "canary-app-key-5f2e";

type Body = Record<string, unknown>;

export interface Answer {
  status: number;
  body?: string | Buffer;
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
  integrations: Installed[];
  /** What is modelled for whose events. */
  records: Body[];
  rules: Body[];
  /** Zips by identifier. */
  playbooks: Map<string, { name: string; zip: string }>;
  requests: string[];
  violations: string[];
  /** Answers instead of the platform's own, by "METHOD path". */
  answers: Map<string, Answer>;
  close(): Promise<void>;
}

/** An installed integration with the files of its package. */
export interface Installed {
  identifier: unknown;
  version: unknown;
  files: ZipEntry[];
}

/** Requests as "METHOD path". */
export const IMPORT_PACKAGE = "POST /api/external/v1/ide/ImportPackage";
export const IMPORT_PLAYBOOKS = "POST /api/external/v1/playbooks/ImportDefinitions";
/** The path of the alert grouping rules, without a method. */
export const RULES = "/api/1p/external/v1/system/settings/alert-grouping-rules";

export async function startPlatform(): Promise<StandIn> {
  const server = await startServer((request, response) => {
    void handle(request, response);
  });
  const platform: StandIn = {
    root: server.url,
    integrations: [],
    records: ["Firewall", "Mail", "Proxy"].map((source, id) =>
      record({ id, source, product: null, familyName: "Network" }),
    ),
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
      if (value === undefined) return { status: 404 };
      if (value === null) return { status: 204 };
      return { status: 200, body: Buffer.isBuffer(value) ? value : JSON.stringify(value) };
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

/** @returns null for no content, undefined when there is no such thing */
async function routed(platform: StandIn, name: string, query: string, body: unknown): Promise<unknown> {
  switch (name) {
    case "POST /api/external/v1/ide/GetPackageDetails":
      onlyFormat(query);
      keys(body, ["data"]);
      return { identifier: (await definitionIn(body["data"]))["Identifier"] };
    case IMPORT_PACKAGE: {
      onlyFormat(query);
      keys(body, ["data", "integrationIdentifier", "isCustom"]);
      const definition = await definitionIn(body["data"]);
      check(body["integrationIdentifier"] === definition["Identifier"], "integrationIdentifier is another one");
      check(body["isCustom"] === definition["IsCustom"], "isCustom is not what the package says");
      const files = await readZip(Buffer.from(String(body["data"]), "base64"));
      platform.integrations = platform.integrations.filter(({ identifier }) => identifier !== definition["Identifier"]);
      platform.integrations.push({ identifier: definition["Identifier"], version: definition["Version"], files });
      return {};
    }
    case "GET /api/1p/external/v1/integrations":
      noQuery(query);
      return { items: platform.integrations.map(({ identifier, version }) => ({ identifier, version })) };
    case `GET ${RULES}`:
      noQuery(query);
      return platform.rules.length === 0 ? null : { items: platform.rules };
    case `POST ${RULES}`: {
      noQuery(query);
      checkRule(body, []);
      const id = platform.rules.length + 41;
      platform.rules.push({ ...body, id, name: resource(id) });
      return platform.rules.at(-1);
    }
    case "POST /api/external/v1/playbooks/GetWorkflowMenuCardsWithEnvFilter":
      onlyFormat(query);
      check(JSON.stringify(body) === "[1,0]", "the body is not [1, 0]");
      return [...platform.playbooks].map(([identifier, playbook]) => ({ identifier, name: playbook.name }));
    case "POST /api/external/v1/playbooks/ExportDefinitions": {
      onlyFormat(query);
      keys(body, ["identifiers"]);
      const [identifier] = body["identifiers"] as string[];
      const playbook = platform.playbooks.get(identifier ?? "");
      check(playbook !== undefined, "there is no such playbook");
      return { blob: playbook.zip };
    }
    case IMPORT_PLAYBOOKS:
      onlyFormat(query);
      keys(body, ["blob", "fileName"]);
      check(/^[\w.-]+\.zip$/.test(String(body["fileName"])), "fileName is no zip");
      for (const { path, content } of await unzipped(body["blob"])) {
        check(/^[a-z0-9_]+\.json$/.test(path), `${path} lies in the zip`);
        const { Definition } = JSON.parse(content) as { Definition: { Identifier: string; Name: string } };
        platform.playbooks.set(Definition.Identifier, { name: Definition.Name, zip: String(body["blob"]) });
      }
      return [];
    default:
      return name.includes("/ontology/")
        ? ontology(platform, name, query, body)
        : withIdInPath(platform, name, query, body);
  }
}

function onlyFormat(query: string): void {
  check(query === "format=camel", `the query is ${query}`);
}

function noQuery(query: string): void {
  check(query === "", `the query is ${query}`);
}

function ontology(platform: StandIn, name: string, query: string, body: unknown): unknown {
  onlyFormat(query);
  switch (name) {
    case "POST /api/external/v1/ontology/GetOntologyStatusRecords": {
      keys(body, ["searchTerm", "requestedPage", "pageSize"]);
      check(body["pageSize"] === 100, "the page size is another one");
      // Pages smaller than asked for, so that few records make several.
      const first = Number(body["requestedPage"]) * 2;
      return {
        objectsList: platform.records.slice(first, first + 2),
        metadata: { totalNumberOfPages: Math.ceil(platform.records.length / 2) },
      };
    }
    case "POST /api/external/v1/ontology/AddOrUpdateProductToVisualizationFamilyRecord": {
      keys(body, ["source", "product", "eventName", "visualFamily"]);
      const { visualFamily, ...level } = body;
      check(typeof level["product"] === "string", "product is no text");
      const id = platform.records.length;
      platform.records = platform.records.filter(
        ({ source, product, eventName }) => JSON.stringify({ source, product, eventName }) !== JSON.stringify(level),
      );
      platform.records.push(record({ id, ...level, familyName: visualFamily }));
      return true;
    }
    default:
      throw new Violation("there is no such place");
  }
}

function withIdInPath(platform: StandIn, name: string, query: string, body: unknown): unknown {
  const exported = /^GET \/api\/external\/v1\/ide\/ExportPackage\/(.+)$/.exec(name)?.[1];
  if (exported !== undefined) {
    onlyFormat(query);
    const found = platform.integrations.find(({ identifier }) => identifier === exported);
    return found === undefined ? undefined : exportOf(found);
  }
  const id = Number(/^PATCH .*\/alert-grouping-rules\/(\d+)$/.exec(name)?.[1]);
  check(Number.isInteger(id), "there is no such place");
  noQuery(query);
  checkRule(body, ["id", "name"]);
  check(body["id"] === id && body["name"] === resource(id), "id or name is another one");
  platform.rules = platform.rules.map((rule) => (rule["id"] === id ? body : rule));
  return body;
}

/**
 * An installed integration as the platform exports it: no widgets, mapping rules, families and release notes; definitions
 * and scripts are called like the action, and definitions have ids, times, a byte order mark and fields in another order.
 */
function exportOf({ files }: Installed): Promise<Buffer> {
  const names = new Map(
    files
      .filter(({ path }) => /\.(action|connector)def$/.test(path))
      .map(({ path, content }) => [stem(path), (JSON.parse(content.toString()) as { Name: string }).Name]),
  );
  const kept = files.filter(({ path }) => /^(Integration-|Actions|Connectors|Managers\/|Dependencies\/)/.test(path));
  return zip(
    kept.map(({ path, content }) => {
      const name = /^(Actions|Connectors)/.test(path) ? (names.get(stem(path)) ?? stem(path)) : stem(path);
      return {
        path: path.replace(stem(path), () => name),
        content: path.endsWith("def") ? exportedDefinition(content) : content.toString("utf8").replaceAll("\n", "\r\n"),
      };
    }),
  );
}

function exportedDefinition(content: Buffer): string {
  const definition = JSON.parse(content.toString()) as Body;
  for (const list of ["Parameters", "IntegrationProperties"]) {
    if (!Array.isArray(definition[list])) continue;
    definition[list] = (definition[list] as Body[]).reverse().map((item, id) => ({ Id: id, ...item }));
  }
  delete definition["DefaultResultValue"];
  return `\uFEFF${JSON.stringify({ Id: 12, CreationTimeUnixTimeInMs: 1_790_000_000_000, ...definition })}`;
}

function stem(path: string): string {
  return path.replace(/^.*\//, "").replace(/\.[^.]+$/, "");
}

function record(fields: Body): Body {
  return { eventName: null, familyId: 1, exampleEventFields: [], ...fields };
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
