import { type Body, type Call, check, checkRule, jsonOf, keys } from "./contract.ts";
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

export const INSTANCE = "projects/my-project/locations/eu/instances/01234567-89ab-cdef-0123-456789abcdef";

/** Requests as "METHOD path". */
export const CHECK_ACCESS = `GET /v1beta/${INSTANCE}/integrations`;
export const IMPORT_PACKAGE = `POST /upload/v1beta/${INSTANCE}/integrations:import`;
export const IMPORT_PLAYBOOKS = `POST /upload/v1alpha/${INSTANCE}/legacyPlaybooks:legacyImportDefinitions`;
export const RULES = `/v1beta/${INSTANCE}/alertGroupingRules`;
export const RECORD = `${INSTANCE}/ontologyRecords/3`;
export const ASSIGN = `PATCH /v1alpha/${RECORD}`;

/** By the last segment of their resource names. */
const families = new Map([
  ["1", "Network"],
  ["2", "Attack Path Findings"],
]);

/** Resources on a page, fewer than asked for: few of them make several pages. */
const PAGE = 2;

/** A platform that speaks the Chronicle API, and knows the product from events that have arrived. */
export function startChronicle(): Promise<StandIn> {
  return startStandIn({
    generation: "chronicle",
    address: () => INSTANCE,
    records: [
      { source: "Firewall", product: "Wall", eventName: "" },
      { source: "Mail", product: "Gate", eventName: "" },
      { source: "attack_path_analysis", product: "Attack Path Analysis", eventName: "T0GenericAll" },
      { source: "Attack_Path_Analysis", product: "Attack Path Analysis", eventName: "" },
    ].map((record, id) => ({ name: `${INSTANCE}/ontologyRecords/${id}`, visualFamily: "", ...record })),
    answer: (platform, call) => {
      check(call.headers.authorization === `Bearer ${KEY}`, "the access token is another one");
      check(call.headers["appkey"] === undefined, "there is an AppKey header");
      return routed(platform, call);
    },
  });
}

async function routed(platform: StandIn, call: Call): Promise<unknown> {
  const { name } = call;
  switch (name) {
    case CHECK_ACCESS:
      return paged("integrations", platform.integrations.map(integration), queryOf(call, ["pageSize", "pageToken"]));
    case `POST /upload/v1beta/${INSTANCE}/integrations:extractIntegrationDetails`:
      check(queryOf(call, ["staging"])["staging"] === "false", "staging is not false");
      return { integrationIdentifier: (await definitionIn(uploaded(call)))["Identifier"] };
    case IMPORT_PACKAGE:
      check(queryOf(call, ["staging"])["staging"] === "false", "staging is not false");
      await install(platform, uploaded(call));
      return {};
    case `GET ${RULES}`:
      return paged("alertGroupingRules", platform.rules, queryOf(call, ["pageSize", "pageToken"]));
    case `POST ${RULES}`: {
      queryOf(call, []);
      const rule = jsonOf(call);
      checkRule(rule, spelt, []);
      platform.rules.push({ ...rule, name: `${INSTANCE}/alertGroupingRules/${platform.rules.length + 41}` });
      return platform.rules.at(-1);
    }
    case `POST /v1alpha/${INSTANCE}/legacyPlaybooks:legacyGetWorkflowMenuCardsWithEnvFilter`: {
      const body = jsonOf(call);
      keys(body, ["legacyPayload"]);
      check(JSON.stringify(body["legacyPayload"]) === '["REGULAR","NESTED"]', "legacyPayload is another one");
      return { payload: cardsOf(platform) };
    }
    case `GET /v1alpha/${INSTANCE}/legacyPlaybooks:legacyExportDefinitions`: {
      const { identifiers, alt } = queryOf(call, ["identifiers", "alt"]);
      check(alt === "media", "alt is not media");
      // The reference shows the zip inside of JSON.
      return { media: { inline: playbookOf(platform, identifiers) } };
    }
    case IMPORT_PLAYBOOKS:
      queryOf(call, []);
      return { workflowIdentifiers: await storePlaybooks(platform, uploaded(call)) };
    default:
      return name.includes("/ontologyRecords") ? ontology(platform, call) : byName(platform, call);
  }
}

function ontology(platform: StandIn, call: Call): unknown {
  const { name } = call;
  if (name === `GET /v1alpha/${INSTANCE}/ontologyRecords`) {
    const { skip = "0" } = queryOf(call, ["pageSize", "skip"]);
    return { ontologyRecords: platform.records.slice(Number(skip), Number(skip) + PAGE) };
  }
  const family = /^GET \/v1beta\/(.+\/visualFamilies\/(\w+))$/.exec(name);
  if (family !== null) return { name: family[1], family: families.get(family[2]!) };
  const parent = /^GET \/v1alpha\/(.+\/ontologyRecords\/\w+)\/visualFamilies$/.exec(name)?.[1];
  if (parent !== undefined) {
    const resources = [...families].map(([id, title]) => ({ name: `${parent}/visualFamilies/${id}`, family: title }));
    return paged("visualFamilies", resources, queryOf(call, ["pageSize", "pageToken"]));
  }
  const record = platform.records.find((candidate) => name === `PATCH /v1alpha/${String(candidate["name"])}`);
  check(record !== undefined, "there is no such place");
  check(queryOf(call, ["updateMask"])["updateMask"] === "visualFamily", "updateMask is another one");
  const body = jsonOf(call);
  keys(body, ["name", "source", "product", "eventName", "visualFamily"]);
  return Object.assign(record, body);
}

function byName(platform: StandIn, call: Call): unknown {
  const exported = /^GET \/v1beta\/.+\/integrations\/(.+):export$/.exec(call.name)?.[1];
  if (exported !== undefined) {
    check(queryOf(call, ["alt"])["alt"] === "media", "alt is not media");
    return exportOf(platform, exported);
  }
  const rule = platform.rules.find((candidate) => call.name === `PATCH /v1beta/${String(candidate["name"])}`);
  check(rule !== undefined, "there is no such place");
  check(queryOf(call, ["updateMask"])["updateMask"] === "groupingType,entityType", "updateMask is another one");
  const body = jsonOf(call);
  checkRule(body, spelt, ["name"]);
  check(body["name"] === rule["name"], "name is another one");
  return Object.assign(rule, { groupingType: body["groupingType"], entityType: body["entityType"] });
}

function integration({ identifier, version }: { identifier: unknown; version: unknown }): Body {
  return { name: `${INSTANCE}/integrations/${String(identifier)}`, identifier, version, staging: false };
}

function paged(name: string, all: readonly Body[], { pageToken = "0" }: Record<string, string>): Body {
  const first = Number(pageToken);
  const next = first + PAGE;
  return { [name]: all.slice(first, next), ...(next < all.length ? { nextPageToken: String(next) } : {}) };
}

/** The query, which has no other parameters than these. */
function queryOf({ query }: Call, allowed: readonly string[]): Record<string, string> {
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const unknown = Object.keys(parameters).filter((name) => !allowed.includes(name));
  check(unknown.length === 0, `the query has ${unknown.join(", ")}`);
  return parameters;
}

/** The zip in a form, which has no other part. */
function uploaded({ body, headers }: Call): Buffer {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1];
  check(boundary !== undefined, "the body is not declared as a form");
  const head = body.indexOf("\r\n\r\n");
  const end = body.lastIndexOf(`\r\n--${boundary}--`);
  const part = body.subarray(0, head).toString("utf8");
  check(head > 0 && end > head && part.startsWith(`--${boundary}\r\n`), "the body is no form");
  check(/name="file"; filename="[\w.-]+\.zip"/.test(part), "the form has no file");
  check(/content-type: application\/zip/i.test(part), "the file is not declared as a zip");
  return body.subarray(head + 4, end);
}

/** `DATA_SOURCE` */
function spelt(word: string): string {
  return word.replaceAll("-", "_").toUpperCase();
}
