import type { Alert, ConnectorRun, Json, JsonObject, Message, ResultStatus } from "../../src/runtime/protocol.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { applyMergePatch } from "../../sandbox/soar/merge-patch.ts";
import { runPlugin } from "../support/plugin-process.ts";

export interface PollOptions {
  /** Connector fields that differ from a well configured connector. */
  fields?: Record<string, unknown>;
  run?: Partial<ConnectorRun>;
  /** Milliseconds from now until the run's deadline. */
  deadlineMs?: number;
  /** Environment variables of the plugin's process. */
  environment?: NodeJS.ProcessEnv;
}

export interface Poll {
  status: ResultStatus;
  message: string;
  json: JsonObject;
  /** Findings that the host did not hold before. */
  delivered: number;
  /** Findings in alerts that the host recognised by their id and dropped. */
  recognised: number;
}

/** Fields of a well configured connector. */
export function connectorFields({ url, tokenId, tokenKey }: Pick<Tenant, "url" | "tokenId" | "tokenKey">): JsonObject {
  return {
    Server: url,
    "Token ID": tokenId,
    "Token Key": tokenKey,
    "Selected Environments": "All",
    "Selected Finding Types": "All",
    "Product Field Name": "device_product",
    "Event Field Name": "finding_type",
  };
}

export function connectorRequest(
  fields: JsonObject,
  state: Json,
  run: Partial<ConnectorRun> = {},
): Record<string, unknown> {
  return {
    protocol: 1,
    kind: "connector",
    name: "Attack Path Findings",
    run: { id: "r-1", deadline: null, test: false, ...run },
    parameters: fields,
    state,
  };
}

/** How often each finding was stored, by environment, finding type and id; alerts of a known id are dropped. */
export class AlertBook {
  readonly findings = new Map<string, number>();
  readonly #alerts = new Set<string>();

  /** How many of the alert's findings are new here; null when the alert was known. */
  store(alert: Alert): number | null {
    if (this.#alerts.has(alert.id)) return null;
    this.#alerts.add(alert.id);
    let fresh = 0;
    for (const event of alert.events) {
      const key = findingKey(String(event["environment_id"]), String(event["finding_type"]), event["finding_id"]);
      const times = this.findings.get(key) ?? 0;
      if (times === 0) fresh += 1;
      this.findings.set(key, times + 1);
    }
    return fresh;
  }

  /** Findings that were stored more than once. */
  get repeated(): number {
    return [...this.findings.values()].filter((times) => times > 1).length;
  }

  /** Findings that the tenant serves and that were never stored. */
  missing(tenant: Tenant): number {
    return missingIn(this.findings, tenant);
  }
}

/**
 * How many findings the tenant serves that were never stored.
 *
 * @param stored - by environment, finding type and id
 */
export function missingIn(stored: ReadonlyMap<string, number>, { data }: Tenant): number {
  let missing = 0;
  for (const { id, collected } of data.environments) {
    if (collected) for (const type of data.findingTypes(id)) missing += missingOfPair(stored, data, id, type);
  }
  return missing;
}

/** A finding that is served without an id is known by a hash; of these, only the number can be compared. */
function missingOfPair(
  stored: ReadonlyMap<string, number>,
  data: Tenant["data"],
  environmentId: string,
  findingType: string,
): number {
  const everything = { filters: [], sort: [], unsorted: "id" as const, skip: 0, limit: Number.MAX_SAFE_INTEGER };
  const served = data.findings(environmentId, findingType)?.query(everything).findings ?? [];
  const ids = served.map(({ id }: { id: unknown }) => (typeof id === "number" ? id : null));
  const hash = findingKey(environmentId, findingType, "h");
  const hashes = [...stored.keys()].filter((key) => key.startsWith(hash)).length;
  const unstored = ids.filter((id) => id !== null && !stored.has(findingKey(environmentId, findingType, id)));
  return unstored.length + Math.max(0, ids.filter((id) => id === null).length - hashes);
}

function findingKey(environmentId: string, findingType: string, id: unknown): string {
  return `${environmentId} ${findingType} ${String(id)}`;
}

/** A host that runs the built plugin, one process per poll, and keeps state and alerts as the contract says. */
export class ProcessHost {
  state: Json = null;
  readonly book = new AlertBook();
  readonly #plugin: string;
  readonly #fields: JsonObject;

  /** @param plugin - path of plugin.mjs */
  constructor(plugin: string, credentials: Pick<Tenant, "url" | "tokenId" | "tokenKey">) {
    this.#plugin = plugin;
    this.#fields = connectorFields(credentials);
  }

  async poll({ fields, run, deadlineMs, environment }: PollOptions = {}): Promise<Poll> {
    const deadline = deadlineMs === undefined ? {} : { deadline: new Date(Date.now() + deadlineMs).toISOString() };
    const request = connectorRequest({ ...this.#fields, ...fields } as JsonObject, this.state, { ...run, ...deadline });
    const { code, messages, stderr } = await runPlugin(this.#plugin, request, environment && { env: environment });
    if (code !== 0 || stderr !== "") throw new Error(`The plugin crashed with exit code ${String(code)}: ${stderr}`);
    return this.#take(messages as unknown as Message[]);
  }

  #take(messages: Message[]): Poll {
    const poll = { delivered: 0, recognised: 0 };
    for (const message of messages.slice(0, -1)) {
      if (message.type === "result") throw new Error("The plugin went on after its result.");
      if (message.type !== "alert") continue;
      const fresh = this.book.store(message.alert);
      if (fresh === null) poll.recognised += message.alert.events.length;
      else poll.delivered += fresh;
      if (message.checkpoint !== undefined) this.state = applyMergePatch(this.state, message.checkpoint);
    }
    const result = messages.at(-1);
    if (result?.type !== "result") throw new Error("The plugin ended without a result.");
    if (result.checkpoint !== undefined) this.state = result.checkpoint;
    return { ...poll, status: result.status, message: result.message, json: result.json ?? {} };
  }
}
