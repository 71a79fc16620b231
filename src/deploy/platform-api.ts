import type { PlatformGroupingRule } from "../packaging/google-secops/grouping-rule.ts";
import { DeployError } from "./failures.ts";
import type { PlatformClient } from "./platform-client.ts";

const RULES_PATH = "/api/1p/external/v1/system/settings/alert-grouping-rules";
const RECORDS_PAGE = 100;

export interface InstalledRule extends Partial<PlatformGroupingRule> {
  id: number;
  /** Resource name, which an update repeats. */
  name?: string;
}

export interface PlaybookCard {
  identifier: string;
  name: string;
}

/** What is modelled for the events of a source, a product or one kind of events. */
export interface OntologyRecord {
  source: string;
  /** Null: for all products of the source. */
  product: string | null;
  /** Null: for all events of the product. */
  eventName: string | null;
  /** The visual family; null when none is assigned. */
  familyName: string | null;
}

type PlatformFields = Record<string, unknown>;

/**
 * The API of a Google SecOps SOAR platform, as the platform's own tools use it: `mp` (packages/mp/src/mp/dev_env/api.py)
 * and GitSync (content/response_integrations/power_ups/git_sync/core/SiemplifyApiClient.py), both in chronicle/content-hub.
 * Every method throws a DeployError.
 */
export class PlatformApi {
  readonly #client: PlatformClient;

  constructor(client: PlatformClient) {
    this.#client = client;
  }

  /** The identifier that the platform reads in a package. Nothing is installed. */
  async packageIdentifier(zip: Uint8Array): Promise<string> {
    const request = this.#client.request("POST", "/api/external/v1/ide/GetPackageDetails?format=camel", {
      purpose: "check the package",
    });
    const { identifier } = fields(await request.json({ data: base64(zip) }));
    return typeof identifier === "string" ? identifier : request.missing("identifier of the package");
  }

  async importPackage(zip: Uint8Array, integrationIdentifier: string, isCustom: boolean): Promise<void> {
    const request = this.#client.request("POST", "/api/external/v1/ide/ImportPackage?format=camel", {
      purpose: "import the package",
      otherwise: "If it objects to the version, delete the installed integration in Response > IDE and try again.",
    });
    await request.json({ data: base64(zip), integrationIdentifier, isCustom });
  }

  /** Identifiers of the installed integrations. */
  async integrations(): Promise<Set<string>> {
    const request = this.#client.request("GET", "/api/1p/external/v1/integrations", {
      purpose: "list the installed integrations",
    });
    return new Set(list(await request.json()).map(({ identifier }) => String(identifier)));
  }

  /** An installed integration as a package. */
  async exportPackage(identifier: string): Promise<Buffer> {
    const path = `/api/external/v1/ide/ExportPackage/${encodeURIComponent(identifier)}?format=camel`;
    return this.#client.request("GET", path, { purpose: "read the installed integration" }).zip();
  }

  async ontologyRecords(): Promise<OntologyRecord[]> {
    const path = "/api/external/v1/ontology/GetOntologyStatusRecords?format=camel";
    const request = this.#client.request("POST", path, { purpose: "read which visual families are assigned" });
    const records: OntologyRecord[] = [];
    for (let requestedPage = 0, pages = 1; requestedPage < pages; requestedPage++) {
      const page = fields(await request.json({ searchTerm: "", requestedPage, pageSize: RECORDS_PAGE }));
      pages = Number(fields(page["metadata"])["totalNumberOfPages"]);
      records.push(...list(page["objectsList"]).map(ontologyRecord));
    }
    return records;
  }

  /** Assigns a visual family to all events of a product. */
  async assignFamily(source: string, product: string, visualFamily: string): Promise<void> {
    const path = "/api/external/v1/ontology/AddOrUpdateProductToVisualizationFamilyRecord?format=camel";
    const request = this.#client.request("POST", path, { purpose: "assign the visual family" });
    await request.json({ source, product, eventName: null, visualFamily });
  }

  async groupingRules(): Promise<InstalledRule[]> {
    const request = this.#client.request("GET", RULES_PATH, { purpose: "read the alert grouping rules" });
    const rules = list(await request.json());
    if (!rules.every(({ id }) => typeof id === "number")) return request.missing("id of a rule");
    return rules as unknown as InstalledRule[];
  }

  async createGroupingRule(rule: PlatformGroupingRule): Promise<void> {
    await this.#client.request("POST", RULES_PATH, { purpose: "create the alert grouping rule" }).json(rule);
  }

  async updateGroupingRule({ id, name }: InstalledRule, rule: PlatformGroupingRule): Promise<void> {
    const resource = name ?? `projects//locations//instances//alertGroupingRules/${id}`;
    const request = this.#client.request("PATCH", `${RULES_PATH}/${id}`, { purpose: "change the alert grouping rule" });
    await request.json({ ...rule, id, name: resource });
  }

  async playbooks(): Promise<PlaybookCard[]> {
    const path = "/api/external/v1/playbooks/GetWorkflowMenuCardsWithEnvFilter?format=camel";
    // The kinds to list: blocks and playbooks.
    const cards = list(await this.#client.request("POST", path, { purpose: "list the playbooks" }).json([1, 0]));
    return cards.map(({ identifier, name }) => ({ identifier: String(identifier), name: String(name) }));
  }

  /** @returns a zip with the playbook as JSON */
  async exportPlaybook(identifier: string): Promise<Buffer> {
    const path = "/api/external/v1/playbooks/ExportDefinitions?format=camel";
    const request = this.#client.request("POST", path, { purpose: "read the installed playbook" });
    const { blob } = fields(await request.json({ identifiers: [identifier] }));
    return typeof blob === "string" ? Buffer.from(blob, "base64") : request.missing("playbook");
  }

  async importPlaybooks(zip: Uint8Array, fileName: string): Promise<void> {
    const path = "/api/external/v1/playbooks/ImportDefinitions?format=camel";
    await this.#client.request("POST", path, { purpose: "import the playbook" }).json({ blob: base64(zip), fileName });
  }

  close(): void {
    this.#client.close();
  }
}

/** Null where the platform's version has no such request; other failures stay failures. */
export async function ifOffered<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DeployError && error.status === 404) return null;
    throw error;
  }
}

function ontologyRecord({ source, product, eventName, familyName }: PlatformFields): OntologyRecord {
  return {
    source: textOr(source, ""),
    product: textOr(product, null),
    eventName: textOr(eventName, null),
    familyName: textOr(familyName, null),
  };
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function fields(value: unknown): PlatformFields {
  return typeof value === "object" && value !== null ? (value as PlatformFields) : {};
}

/** Some lists come as such, others under `items`; none at all is an empty list. */
function list(value: unknown): PlatformFields[] {
  const items: unknown = Array.isArray(value) ? value : fields(value)["items"];
  return Array.isArray(items) ? items.map(fields) : [];
}
