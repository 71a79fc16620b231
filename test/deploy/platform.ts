import { type Body, check, checkRule, jsonOf, keys, Violation } from "./contract.ts";
import {
  cardsOf,
  definitionIn,
  exportOf,
  install,
  KEY,
  playbookOf,
  type StandIn,
  startStandIn,
  storePlaybooks,
} from "./stand-in.ts";

export { KEY, type StandIn } from "./stand-in.ts";

/** Requests as "METHOD path". */
export const CHECK_ACCESS = "GET /api/external/v1/settings/GetSourceRepositorySettings";
export const IMPORT_PACKAGE = "POST /api/external/v1/ide/ImportPackage";
export const IMPORT_PLAYBOOKS = "POST /api/external/v1/playbooks/ImportDefinitions";
export const ASSIGN = "POST /api/external/v1/ontology/AddOrUpdateProductToVisualizationFamilyRecord";
/** The path of the alert grouping rules, without a method. */
export const RULES = "/api/1p/external/v1/system/settings/alert-grouping-rules";

/** A platform that speaks the legacy API. */
export function startPlatform(): Promise<StandIn> {
  return startStandIn({
    generation: "legacy",
    address: (root) => root,
    records: ["Firewall", "Mail", "Proxy"].map((source, id) =>
      record({ id, source, product: null, familyName: "Network" }),
    ),
    answer: async (platform, call) => {
      check(call.headers["appkey"] === KEY, `AppKey is ${String(call.headers["appkey"])}`);
      check(call.headers["authorization"] === undefined, "there is an Authorization header");
      return routed(platform, call.name, call.query, jsonOf(call));
    },
  });
}

/** @returns null for no content, undefined when there is no such thing */
async function routed(platform: StandIn, name: string, query: string, body: unknown): Promise<unknown> {
  switch (name) {
    case "POST /api/external/v1/ide/GetPackageDetails":
      onlyFormat(query);
      keys(body, ["data"]);
      return { identifier: (await definitionIn(decoded(body["data"])))["Identifier"] };
    case IMPORT_PACKAGE: {
      onlyFormat(query);
      keys(body, ["data", "integrationIdentifier", "isCustom"]);
      const package_ = decoded(body["data"]);
      const definition = await definitionIn(package_);
      check(body["integrationIdentifier"] === definition["Identifier"], "integrationIdentifier is another one");
      check(body["isCustom"] === definition["IsCustom"], "isCustom is not what the package says");
      await install(platform, package_);
      return {};
    }
    case CHECK_ACCESS:
      noQuery(query);
      return [];
    case "GET /api/1p/external/v1/integrations":
      noQuery(query);
      return { items: platform.integrations.map(({ identifier, version }) => ({ identifier, version })) };
    case `GET ${RULES}`:
      noQuery(query);
      return platform.rules.length === 0 ? null : { items: platform.rules };
    case `POST ${RULES}`: {
      noQuery(query);
      checkRule(body, spelt, []);
      const id = platform.rules.length + 41;
      platform.rules.push({ ...body, id, name: resource(id) });
      return platform.rules.at(-1);
    }
    case "POST /api/external/v1/playbooks/GetWorkflowMenuCardsWithEnvFilter":
      onlyFormat(query);
      check(JSON.stringify(body) === "[1,0]", "the body is not [1, 0]");
      return cardsOf(platform);
    case "POST /api/external/v1/playbooks/ExportDefinitions": {
      onlyFormat(query);
      keys(body, ["identifiers"]);
      const [identifier] = body["identifiers"] as string[];
      return { blob: playbookOf(platform, identifier) };
    }
    case IMPORT_PLAYBOOKS:
      onlyFormat(query);
      keys(body, ["blob", "fileName"]);
      check(/^[\w.-]+\.zip$/.test(String(body["fileName"])), "fileName is no zip");
      await storePlaybooks(platform, decoded(body["blob"]));
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
    case ASSIGN: {
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
    return exportOf(platform, exported);
  }
  const id = Number(/^PATCH .*\/alert-grouping-rules\/(\d+)$/.exec(name)?.[1]);
  check(Number.isInteger(id), "there is no such place");
  noQuery(query);
  checkRule(body, spelt, ["id", "name"]);
  check(body["id"] === id && body["name"] === resource(id), "id or name is another one");
  platform.rules = platform.rules.map((rule) => (rule["id"] === id ? body : rule));
  return body;
}

function record(fields: Body): Body {
  return { eventName: null, familyId: 1, exampleEventFields: [], ...fields };
}

function resource(id: number): string {
  return `projects//locations//instances//alertGroupingRules/${id}`;
}

/** `DataSource` */
function spelt(word: string): string {
  return word.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Strict base64. */
function decoded(data: unknown): Buffer {
  check(
    typeof data === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data),
    "no base64",
  );
  return Buffer.from(data, "base64");
}
