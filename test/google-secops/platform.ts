import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { startServer } from "../support/raw-server.ts";
import { StandInCases } from "./platform-cases.ts";

const API = "/api/external/v1/";

interface ContextRequest {
  ContextType: number;
  Identifier: string;
  PropertyKey: string;
  PropertyValue?: string;
}

/** The SDK refuses a case without any of these. */
const caseMetadata = {
  environment: "Default Environment",
  identifier: "12",
  creation_time: 0,
  modification_time: 0,
  alert_count: 1,
  priority: 80,
  is_touched: false,
  is_merged: false,
  is_important: false,
  assigned_user: "@Tier1",
  title: "Kerberoastable users",
  description: null,
  status: 1,
  is_incident: false,
  stage: "Triage",
  has_suspicious_entity: false,
  high_risk_products: null,
  is_locked: false,
  has_workflow: false,
  sla_expiration_unix_time: null,
  additional_properties: {},
};

/** What a test says of an alert; the SDK refuses one that lacks anything else. */
export interface StandInAlert {
  /** The fields of each event, as the connector wrote them. */
  events: (Record<string, unknown> | null)[];
  entities: { identifier: string; entity_type: string; additional_properties?: Record<string, unknown> | null }[];
}

const base = { creation_time: 0, modification_time: 0, case_identifier: "12", alert_identifier: "A_1" };

function alertDetails({ events, entities }: StandInAlert): object {
  return {
    ...base,
    alert_identifier: undefined,
    identifier: "A_1",
    alert_group_identifier: "G_1",
    reporting_vendor: "Attack Path Analysis Service",
    reporting_product: "Attack Path Analysis",
    environment: "Default Environment",
    name: "Kerberoastable users",
    description: "",
    external_id: "a-1",
    severity: 80,
    rule_generator: "Kerberoasting",
    tags: [],
    detected_time: 0,
    domain_relations: [],
    additional_properties: {},
    additional_data: null,
    security_events: events.map((fields, index) => ({
      ...base,
      identifier: `E_${index}`,
      additional_properties: fields,
    })),
    domain_entities: entities.map((entity) => ({
      ...base,
      is_internal: false,
      is_suspicious: false,
      is_artifact: false,
      is_enriched: false,
      is_vulnerable: false,
      is_pivot: false,
      additional_properties: {},
      ...entity,
    })),
  };
}

/** Configuration of an instance: the package's parameters, a token key that is hard to quote, and one label too many. */
export const instanceConfiguration = {
  Server: "https://tenant.test",
  "Token ID": "id-1",
  "Token Key": 'a-very-secret-"token"-kéy',
  "Something Else": "x",
};

/** The part of the platform that scripts talk to: the instance's configuration, case data and context properties. */
export class StandInPlatform {
  readonly appKey = "an-app-key";
  /** Configuration of the only instance, by label; null when the platform has lost it. */
  configuration: Record<string, unknown> | null = {};
  /** Context properties by `type/identifier/key`. */
  readonly properties = new Map<string, string>();
  /** The alert that an action runs on; null when it runs on a case as a whole. */
  alert: StandInAlert | null = null;
  readonly cases = new StandInCases();
  /** Insights and updated entities, as the SDK sent them. */
  readonly insights: Record<string, unknown>[] = [];
  readonly updatedEntities: Record<string, unknown>[] = [];
  /** The proxy for the actions that are to use it. */
  proxy = { proxy_server_address: "", username: "", password: "", ignore_addresses: ["localhost", "127.0.0.1"] };
  /** Operations that fail with a 500. */
  readonly broken = new Set<string>();
  /** What is done and never answered, such as `SetContextProperty checkpoint`, or an operation as a whole. */
  readonly silent = new Set<string>();
  /** Context properties that cannot be read or stored. */
  readonly brokenKeys = new Set<string>();
  /** Called before a property is stored. */
  beforeStore: (key: string) => Promise<void> = () => Promise.resolve();
  /** Called before an operation is answered. */
  beforeAnswer: (operation: string) => Promise<void> = () => Promise.resolve();
  /** Operations in order, such as `GetContextProperty checkpoint`. */
  readonly operations: string[] = [];
  #port = 0;

  /** Starts a platform, which is there until the suite is over. */
  static async start(): Promise<StandInPlatform> {
    const platform = new StandInPlatform();
    const { port } = await startServer((request, response) => {
      void platform.#answer(request).then(
        (answer) => {
          if (answer === null) return;
          const { status, body } = answer;
          response.writeHead(status, { "Content-Type": "application/json" });
          response.end(body === undefined ? undefined : JSON.stringify(body));
        },
        // The script was killed in the middle of its request.
        () => response.destroy(),
      );
    });
    platform.#port = port;
    return platform;
  }

  /** How the platform tells a script where it is. */
  get environment(): Record<string, string> {
    return { APP_IP: "127.0.0.1", APP_PORT: String(this.#port), APP_USE_SSL: "False" };
  }

  /** Null when there is never to be an answer. */
  async #answer(request: IncomingMessage): Promise<{ status: number; body?: unknown } | null> {
    const { pathname } = new URL(request.url ?? "", "http://platform");
    const body = await text(request);
    if (request.headers["appkey"] !== this.appKey || !pathname.startsWith(API)) return { status: 401, body: "no" };
    const path = pathname.slice(API.length);
    const [operation = ""] = path.replace(/^sdk\//, "").split("/");
    const given = body === "" ? null : (JSON.parse(body) as Partial<ContextRequest>);
    const name = given?.PropertyKey === undefined ? operation : `${operation} ${given.PropertyKey}`;
    this.operations.push(name);
    if (this.broken.has(operation) || this.brokenKeys.has(given?.PropertyKey ?? ""))
      return { status: 500, body: { error: "the platform is having a bad day" } };
    await this.beforeAnswer(operation);
    this.#keep(operation, given);
    const answer =
      given?.PropertyKey === undefined
        ? this.#operate(path, operation, given)
        : await this.#property(operation, given as ContextRequest);
    return this.silent.has(name) ? null : answer;
  }

  async #property(operation: string, given: ContextRequest): Promise<{ status: number; body?: unknown }> {
    const key = `${given.ContextType}/${given.Identifier}/${given.PropertyKey}`;
    if (operation === "GetContextProperty") {
      const value = this.properties.get(key);
      return value === undefined ? { status: 204 } : { status: 200, body: value };
    }
    await this.beforeStore(given.PropertyKey);
    this.properties.set(key, given.PropertyValue ?? "");
    return { status: 200, body: true };
  }

  #operate(path: string, operation: string, given: object | null): { status: number; body?: unknown } {
    const body = this.cases.answer(path, { ...given });
    return body === undefined ? this.#read(operation) : { status: 200, body };
  }

  #keep(operation: string, given: unknown): void {
    if (operation === "CreateCaseInsight") this.insights.push(given as Record<string, unknown>);
    if (operation === "UpdateEntities") this.updatedEntities.push(...(given as Record<string, unknown>[]));
  }

  #read(operation: string): { status: number; body?: unknown } {
    if (operation === "configuration") return { status: 200, body: this.configuration };
    if (operation === "CaseMetadata") return { status: 200, body: caseMetadata };
    if (operation === "AlertsFullDetails") return { status: 200, body: [] };
    if (operation === "AlertFullDetails") return { status: 200, body: this.alert && alertDetails(this.alert) };
    if (operation === "CreateCaseInsight" || operation === "UpdateEntities") return { status: 200, body: true };
    if (operation === "GetProxySettings") return { status: 200, body: this.proxy };
    return { status: 404, body: "unknown operation" };
  }
}
