import axios, { AxiosError } from "axios";
import type { ConnectionPool } from "../service/http/connection-pool.ts";
import type { Secret } from "../service/credentials.ts";
import type { ServerAddress } from "../service/http/server-address.ts";
import type { PlatformGroupingRule } from "../packaging/google-secops/grouping-rule.ts";
import { type Asked, notJson, refused, tooLate, unexpected, unreachable } from "./failures.ts";

const LONGEST_QUOTE = 300;
const RULES_PATH = "/api/1p/external/v1/system/settings/alert-grouping-rules";

export interface InstalledRule extends Partial<PlatformGroupingRule> {
  id: number;
  /** Resource name, which an update repeats. */
  name?: string;
}

export interface PlaybookCard {
  identifier: string;
  name: string;
}

type Fields = Record<string, unknown>;

/**
 * The API of a Google SecOps SOAR platform, as the platform's own tools use it (chronicle/content-hub,
 * packages/mp/src/mp/dev_env/api.py). Every method throws a DeployError.
 */
export class PlatformApi {
  readonly #address: ServerAddress;
  readonly #connections: ConnectionPool;
  readonly #key: Secret;
  readonly #timeoutSeconds: number;

  constructor(address: ServerAddress, connections: ConnectionPool, key: Secret, timeoutSeconds: number) {
    this.#address = address;
    this.#connections = connections;
    this.#key = key;
    this.#timeoutSeconds = timeoutSeconds;
  }

  /** The identifier that the platform reads in a package. Nothing is installed. */
  async packageIdentifier(zip: Uint8Array): Promise<string> {
    const ask = this.#asker("POST", "/api/external/v1/ide/GetPackageDetails?format=camel", "have the package checked");
    const { identifier } = fields(await ask({ data: base64(zip) }));
    return typeof identifier === "string" ? identifier : ask.missing("identifier of the package");
  }

  async importPackage(zip: Uint8Array, integrationIdentifier: string, isCustom: boolean): Promise<void> {
    const ask = this.#asker("POST", "/api/external/v1/ide/ImportPackage?format=camel", "import the package");
    await ask({ data: base64(zip), integrationIdentifier, isCustom });
  }

  /** The installed integrations by identifier; a version is null where the platform does not tell it. */
  async installedVersions(): Promise<Map<string, number | null>> {
    const ask = this.#asker("GET", "/api/1p/external/v1/integrations", "list the installed integrations");
    return new Map(
      list(await ask()).map(({ identifier, version }) => {
        const number = typeof version === "string" || typeof version === "number" ? Number(version) : NaN;
        return [String(identifier), Number.isFinite(number) ? number : null];
      }),
    );
  }

  async groupingRules(): Promise<InstalledRule[]> {
    const ask = this.#asker("GET", RULES_PATH, "read the alert grouping rules");
    const rules = list(await ask());
    if (!rules.every(({ id }) => typeof id === "number")) return ask.missing("id of a rule");
    return rules as unknown as InstalledRule[];
  }

  async createGroupingRule(rule: PlatformGroupingRule): Promise<void> {
    await this.#asker("POST", RULES_PATH, "create the alert grouping rule")(rule);
  }

  async updateGroupingRule({ id, name }: InstalledRule, rule: PlatformGroupingRule): Promise<void> {
    const resource = name ?? `projects//locations//instances//alertGroupingRules/${id}`;
    const ask = this.#asker("PATCH", `${RULES_PATH}/${id}`, "change the alert grouping rule");
    await ask({ ...rule, id, name: resource });
  }

  async playbooks(): Promise<PlaybookCard[]> {
    const path = "/api/external/v1/playbooks/GetWorkflowMenuCardsWithEnvFilter?format=camel";
    // The kinds to list: blocks and playbooks.
    const cards = list(await this.#asker("POST", path, "list the playbooks")([1, 0]));
    return cards.map(({ identifier, name }) => ({ identifier: String(identifier), name: String(name) }));
  }

  /** @returns a zip with the playbook as JSON */
  async exportPlaybook(identifier: string): Promise<Buffer> {
    const path = "/api/external/v1/playbooks/ExportDefinitions?format=camel";
    const ask = this.#asker("POST", path, "read the installed playbook");
    const { blob } = fields(await ask({ identifiers: [identifier] }));
    return typeof blob === "string" ? Buffer.from(blob, "base64") : ask.missing("playbook");
  }

  async importPlaybooks(zip: Uint8Array, fileName: string): Promise<void> {
    const path = "/api/external/v1/playbooks/ImportDefinitions?format=camel";
    await this.#asker("POST", path, "import the playbook")({ blob: base64(zip), fileName });
  }

  close(): void {
    this.#connections.close();
  }

  #asker(method: "GET" | "POST" | "PATCH", target: string, purpose: string) {
    const asked: Asked = { method, path: target.replace(/\?.*/, ""), purpose, bytes: 0 };
    const ask = (body?: object): Promise<unknown> => this.#ask(asked, target, body);
    const missing = (what: string): never => {
      throw unexpected(asked, what);
    };
    return Object.assign(ask, { missing });
  }

  async #ask(asked: Asked, target: string, body: object | undefined): Promise<unknown> {
    const data = body === undefined ? undefined : JSON.stringify(body);
    asked.bytes = data?.length ?? 0;
    const answer = await this.#send(asked, target, data);
    const text = answer.data.trim();
    if (answer.status < 200 || answer.status > 299) {
      const location: unknown = answer.headers["location"];
      throw refused(asked, {
        status: answer.status,
        location: typeof location === "string" ? this.#quotable(location) : undefined,
        words: this.#quotable(text),
      });
    }
    if (text === "") return null;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw notJson(asked, answer.status, this.#quotable(text));
    }
  }

  async #send({ method, ...asked }: Asked, target: string, data: string | undefined) {
    try {
      const agent = await this.#connections.get();
      return await axios.request<string>({
        method,
        url: `${this.#address.origin}${target}`,
        headers: {
          Accept: "application/json",
          AppKey: this.#key.reveal(),
          ...(data === undefined ? {} : { "Content-Type": "application/json" }),
        },
        data,
        adapter: "http",
        httpAgent: agent,
        httpsAgent: agent,
        proxy: false,
        // The key would go where the redirect leads.
        maxRedirects: 0,
        maxBodyLength: Infinity,
        timeout: this.#timeoutSeconds * 1000,
        responseType: "text",
        transformResponse: [],
        validateStatus: null,
      });
    } catch (error) {
      const late = axios.isAxiosError(error) && error.code === AxiosError.ECONNABORTED;
      throw late ? tooLate({ method, ...asked }, this.#timeoutSeconds) : unreachable({ method, ...asked }, error);
    }
  }

  /** What somebody else wrote, fit for one line of a terminal; a page is left out. */
  #quotable(text: string): string {
    if (/^<(!doctype|html|\?xml)/i.test(text)) return "";
    const line = text.replaceAll(this.#key.reveal(), "[redacted]").replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
    return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** Some lists come as such, others under `items`; none at all is an empty list. */
function list(value: unknown): Fields[] {
  const items: unknown = Array.isArray(value) ? value : fields(value)["items"];
  return Array.isArray(items) ? items.map(fields) : [];
}
