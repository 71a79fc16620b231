import type { PlatformGroupingRule } from "../packaging/google-secops/grouping-rule.ts";
import { DELETE_FIRST, type Wording } from "./failures.ts";
import type { AssignedFamily, InstalledRule, PlatformApi, PlaybookCard, Product } from "./platform-api.ts";
import { fields, isAboutProduct, list, type PlatformFields, playbookCards, textOr } from "./platform-fields.ts";
import type { PlatformClient } from "./platform-client.ts";

/** Files of github.com/chronicle/content-hub in which Google's own tools make the same requests. */
const MP = "packages/mp/src/mp/dev_env/api.py of chronicle/content-hub";
const GIT_SYNC = "content/response_integrations/power_ups/git_sync/core/SiemplifyApiClient.py of chronicle/content-hub";

const RULES_PATH = "/api/1p/external/v1/system/settings/alert-grouping-rules";
const RULE_GUESS =
  "Google's tools pass a rule on as it is in a file. No public source says how this API spells its words and the name of the data source.";
const RECORDS_PAGE = 100;

/**
 * The SOAR platform's own API, with an API key. Google ends it on 31 March 2027, says
 * https://docs.cloud.google.com/chronicle/docs/soar/reference/working-with-chronicle-soar-apis as of 2026-11-23.
 */
export class LegacyApi implements PlatformApi {
  static readonly wording: Wording = {
    unauthorized:
      "the platform does not accept the API key. Copy the whole key from SOAR Settings > Advanced > API Keys, and check that it was not deleted.",
    forbidden: "the API key has no permission for this. Use a key with the permission group Admins.",
    address:
      "Check the address: it is the root URL of the SOAR platform itself, such as https://example.siemplify-soar.com.",
  };
  readonly spelling = "soar";
  readonly #client: PlatformClient;

  constructor(client: PlatformClient) {
    this.#client = client;
  }

  async checkAccess(): Promise<void> {
    const path = "/api/external/v1/settings/GetSourceRepositorySettings";
    await this.#client.request("GET", path, { purpose: "check the API key", source: MP, isCheck: true }).json();
  }

  async packageIdentifier(zip: Buffer): Promise<string> {
    const path = "/api/external/v1/ide/GetPackageDetails?format=camel";
    const request = this.#client.request("POST", path, { purpose: "check the package", source: MP });
    const { identifier } = fields(await request.json({ data: zip.toString("base64") }));
    return textOr(identifier, null) ?? request.missing("identifier of the package");
  }

  async importPackage(zip: Buffer, integrationIdentifier: string, isCustom: boolean): Promise<void> {
    const request = this.#client.request("POST", "/api/external/v1/ide/ImportPackage?format=camel", {
      purpose: "import the package",
      source: MP,
      otherwise: DELETE_FIRST,
    });
    await request.json({ data: zip.toString("base64"), integrationIdentifier, isCustom });
  }

  async isInstalled(identifier: string): Promise<boolean> {
    const purpose = { purpose: "list the installed integrations", source: MP };
    const installed = list(await this.#client.request("GET", "/api/1p/external/v1/integrations", purpose).json());
    return installed.some((integration) => integration["identifier"] === identifier);
  }

  async exportPackage(identifier: string): Promise<Buffer> {
    const path = `/api/external/v1/ide/ExportPackage/${encodeURIComponent(identifier)}?format=camel`;
    return this.#client.request("GET", path, { purpose: "read the installed integration", source: MP }).zip();
  }

  async assignedFamily(product: Product): Promise<AssignedFamily> {
    const path = "/api/external/v1/ontology/GetOntologyStatusRecords?format=camel";
    const purpose = { purpose: "read which visual families are assigned", source: GIT_SYNC };
    const request = this.#client.request("POST", path, purpose);
    const records: PlatformFields[] = [];
    for (let requestedPage = 0, pages = 1; requestedPage < pages; requestedPage++) {
      const page = fields(await request.json({ searchTerm: "", requestedPage, pageSize: RECORDS_PAGE }));
      pages = Number(fields(page["metadata"])["totalNumberOfPages"]);
      records.push(...list(page["objectsList"]));
    }
    return { name: textOr(records.find((record) => isAboutProduct(record, product))?.["familyName"], null) };
  }

  async assignFamily({ source, product }: Product, visualFamily: string): Promise<void> {
    const path = "/api/external/v1/ontology/AddOrUpdateProductToVisualizationFamilyRecord?format=camel";
    const request = this.#client.request("POST", path, { purpose: "assign the visual family", source: GIT_SYNC });
    await request.json({ source, product, eventName: null, visualFamily });
  }

  async groupingRules(): Promise<InstalledRule[]> {
    const request = this.#client.request("GET", RULES_PATH, { purpose: "read the alert grouping rules", source: MP });
    const rules = list(await request.json());
    if (!rules.every(({ id }) => typeof id === "number")) return request.missing("id of a rule");
    return rules;
  }

  async createGroupingRule(rule: PlatformGroupingRule): Promise<void> {
    const purpose = { purpose: "create the alert grouping rule", source: MP, guess: RULE_GUESS };
    await this.#client.request("POST", RULES_PATH, purpose).json(rule);
  }

  async updateGroupingRule({ id = 0, name }: InstalledRule, rule: PlatformGroupingRule): Promise<void> {
    const resource = name ?? `projects//locations//instances//alertGroupingRules/${id}`;
    const purpose = { purpose: "change the alert grouping rule", source: MP, guess: RULE_GUESS };
    await this.#client.request("PATCH", `${RULES_PATH}/${id}`, purpose).json({ ...rule, id, name: resource });
  }

  async playbooks(): Promise<PlaybookCard[]> {
    const path = "/api/external/v1/playbooks/GetWorkflowMenuCardsWithEnvFilter?format=camel";
    const request = this.#client.request("POST", path, { purpose: "list the playbooks", source: MP });
    // The kinds to list: blocks and playbooks.
    return playbookCards(await request.json([1, 0]));
  }

  async exportPlaybook(identifier: string): Promise<Buffer> {
    const path = "/api/external/v1/playbooks/ExportDefinitions?format=camel";
    const request = this.#client.request("POST", path, { purpose: "read the installed playbook", source: MP });
    const { blob } = fields(await request.json({ identifiers: [identifier] }));
    return typeof blob === "string" ? Buffer.from(blob, "base64") : request.missing("playbook");
  }

  async importPlaybooks(zip: Buffer, fileName: string): Promise<void> {
    const path = "/api/external/v1/playbooks/ImportDefinitions?format=camel";
    const request = this.#client.request("POST", path, { purpose: "import the playbook", source: MP });
    await request.json({ blob: zip.toString("base64"), fileName });
  }
}
