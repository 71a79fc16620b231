import type { PlatformGroupingRule } from "../packaging/google-secops/grouping-rule.ts";
import { DELETE_FIRST, DeployError, type Wording } from "./failures.ts";
import {
  type AssignedFamily,
  ifOffered,
  type InstalledRule,
  type PlatformApi,
  type PlaybookCard,
  type Product,
} from "./platform-api.ts";
import { fields, isAboutProduct, list, type PlatformFields, playbookCards, textOr } from "./platform-fields.ts";
import type { PlatformClient, PlatformRequest, Purpose } from "./platform-client.ts";

/** The public reference: one page for each method, named by version, resource and method. */
const REFERENCE = "https://docs.cloud.google.com/chronicle/docs/reference/rest";
const page = (version: string, resource: string, method: string): string =>
  `${REFERENCE}/${version}/projects.locations.instances.${resource}/${method}`;

const RULE_GUESS =
  "The reference names the fields of a rule, but not the name by which the platform knows the data source, nor the spelling of entity types.";
const FAMILY_GUESS =
  "The reference describes how to change an ontology record, but calls its field visualFamily an output. It describes no other way to assign a family.";

const PAGE_SIZE = 1000;

/**
 * The SOAR part of the Chronicle API, with OAuth: {@link REFERENCE}. It leaves open how a zip is sent. Google's own tool sends
 * a form with the field `file`, and `staging` in the query (packages/mp/src/mp/dev_env, class ChronicleClient, of
 * chronicle/content-hub).
 */
export class ChronicleApi implements PlatformApi {
  static readonly wording: Wording = {
    unauthorized:
      "Google does not accept the access token. It is valid for an hour only: get a new one, or set GOOGLE_APPLICATION_CREDENTIALS.",
    forbidden:
      "the account has no permission for this. Give it the IAM role Chronicle API Admin (roles/chronicle.admin) in the project of the instance, and check the project, the location and the instance in the address.",
    address:
      "Check the project, the location and the instance in the address. The Chronicle API serves only platforms whose SOAR was migrated to a Google Cloud project of your own.",
  };
  readonly spelling = "chronicle";
  readonly #client: PlatformClient;
  readonly #instance: string;

  constructor(client: PlatformClient, instance: string) {
    this.#client = client;
    this.#instance = instance;
  }

  async checkAccess(): Promise<void> {
    const source = page("v1beta", "integrations", "list");
    const path = `/v1beta/${this.#instance}/integrations?pageSize=1`;
    await this.#client.request("GET", path, { purpose: "check the access", source, isCheck: true }).json();
  }

  async packageIdentifier(zip: Buffer): Promise<string> {
    const source = page("v1beta", "integrations", "upload");
    const path = `/upload/v1beta/${this.#instance}/integrations:extractIntegrationDetails?staging=false`;
    const request = this.#client.request("POST", path, { purpose: "check the package", source });
    const { integrationIdentifier } = fields(await request.upload(zip, "package.zip"));
    return textOr(integrationIdentifier, null) ?? request.missing("identifier of the package");
  }

  async importPackage(zip: Buffer): Promise<void> {
    const source = page("v1beta", "integrations", "import");
    const path = `/upload/v1beta/${this.#instance}/integrations:import?staging=false`;
    const purpose = { purpose: "import the package", source, otherwise: DELETE_FIRST };
    await this.#client.request("POST", path, purpose).upload(zip, "package.zip");
  }

  async isInstalled(identifier: string): Promise<boolean> {
    return (await this.#integration(identifier)) !== null;
  }

  async exportPackage(identifier: string): Promise<Buffer> {
    const source = page("v1beta", "integrations", "download");
    const name = (await this.#integration(identifier)) ?? `${this.#instance}/integrations/${identifier}`;
    const purpose = { purpose: "read the installed integration", source };
    return this.#client.request("GET", `/v1beta/${name}:export?alt=media`, purpose).zip();
  }

  async assignedFamily(product: Product): Promise<AssignedFamily> {
    const record = await this.#record(product);
    if (record === null) return "no record";
    const family = textOr(record["visualFamily"], null);
    if (family === null) return { name: null };
    const source = page("v1beta", "ontologyRecords.visualFamilies", "get");
    const request = this.#client.request("GET", `/v1beta/${family}`, { purpose: "read the visual family", source });
    const found = await ifOffered(request.json());
    if (found === null) {
      // It was deleted, unless this version of the platform has no such request.
      if ((await this.#families(record)).every(({ name }) => name !== family)) return { name: null };
      return request.missing("visual family");
    }
    return { name: textOr(fields(found)["family"], null) ?? request.missing("name of the visual family") };
  }

  async assignFamily(product: Product, family: string): Promise<void> {
    const record = await this.#record(product);
    if (record === null) {
      throw new DeployError(
        `Could not assign the visual family: the platform no longer has an ontology record of the product ${product.product}. Run the command with --only family.`,
      );
    }
    const name = String(record["name"]);
    const found = (await this.#families(record)).find((candidate) => candidate["family"] === family);
    if (found === undefined) {
      throw new DeployError(
        `Could not assign the visual family: the platform has none that is called "${family}". The package brings it: import it first.`,
      );
    }
    const request = this.#client.request("PATCH", `/v1alpha/${name}?updateMask=visualFamily`, {
      purpose: "assign the visual family",
      source: page("v1alpha", "ontologyRecords", "patch"),
      guess: FAMILY_GUESS,
    });
    await request.json({ ...identity(record), visualFamily: found["name"] });
    const assigned = await this.assignedFamily(product);
    if (assigned === "no record" || assigned.name !== family) request.withoutEffect("did not assign the family");
  }

  #families(record: PlatformFields): Promise<PlatformFields[]> {
    return this.#all(`v1alpha/${String(record["name"])}/visualFamilies`, "visualFamilies", {
      purpose: "list the visual families",
      source: page("v1alpha", "ontologyRecords.visualFamilies", "list"),
    });
  }

  async groupingRules(): Promise<InstalledRule[]> {
    const purpose = {
      purpose: "read the alert grouping rules",
      source: page("v1beta", "alertGroupingRules", "list"),
    };
    return this.#all(`v1beta/${this.#instance}/alertGroupingRules`, "alertGroupingRules", purpose);
  }

  async createGroupingRule(rule: PlatformGroupingRule): Promise<void> {
    const source = page("v1beta", "alertGroupingRules", "create");
    const purpose = { purpose: "create the alert grouping rule", source, guess: RULE_GUESS };
    await this.#client.request("POST", `/v1beta/${this.#instance}/alertGroupingRules`, purpose).json(rule);
  }

  async updateGroupingRule({ name = "" }: InstalledRule, rule: PlatformGroupingRule): Promise<void> {
    const source = page("v1beta", "alertGroupingRules", "patch");
    // Without a mask, an empty list of entity types would not replace the old one.
    const path = `/v1beta/${name}?updateMask=groupingType,entityType`;
    const purpose = { purpose: "change the alert grouping rule", source, guess: RULE_GUESS };
    await this.#client.request("PATCH", path, purpose).json({ ...rule, name });
  }

  async playbooks(): Promise<PlaybookCard[]> {
    const path = `/v1alpha/${this.#instance}/legacyPlaybooks:legacyGetWorkflowMenuCardsWithEnvFilter`;
    const source = page("v1alpha", "legacyPlaybooks", "legacyGetWorkflowMenuCardsWithEnvFilter");
    const request = this.#client.request("POST", path, { purpose: "list the playbooks", source });
    return playbookCards(await request.json({ legacyPayload: ["REGULAR", "NESTED"] }), "payload");
  }

  async exportPlaybook(identifier: string): Promise<Buffer> {
    const query = `identifiers=${encodeURIComponent(identifier)}&alt=media`;
    const path = `/v1alpha/${this.#instance}/legacyPlaybooks:legacyExportDefinitions?${query}`;
    const source = page("v1alpha", "legacyPlaybooks", "download");
    return this.#client.request("GET", path, { purpose: "read the installed playbook", source }).zip();
  }

  async importPlaybooks(zip: Buffer, fileName: string): Promise<void> {
    const path = `/upload/v1alpha/${this.#instance}/legacyPlaybooks:legacyImportDefinitions`;
    const source = page("v1alpha", "legacyPlaybooks", "upload");
    await this.#client.request("POST", path, { purpose: "import the playbook", source }).upload(zip, fileName);
  }

  /** The resource name of an installed integration; null when there is none. */
  async #integration(identifier: string): Promise<string | null> {
    const purpose = {
      purpose: "list the installed integrations",
      source: page("v1beta", "integrations", "list"),
    };
    const installed = await this.#all(`v1beta/${this.#instance}/integrations`, "integrations", purpose);
    const found = installed.find(
      (integration) =>
        integration["staging"] !== true &&
        [integration["identifier"], lastSegment(integration["name"])].includes(identifier),
    );
    return found === undefined ? null : String(found["name"]);
  }

  /** The ontology record for all events of a product; null when there is none. */
  async #record(product: Product): Promise<PlatformFields | null> {
    const purpose = {
      purpose: "read which visual families are assigned",
      source: page("v1alpha", "ontologyRecords", "list"),
    };
    const path = `v1alpha/${this.#instance}/ontologyRecords`;
    // This list has no page token: the next page is the one behind the records that have arrived.
    let skip = 0;
    const next: NextPage = (_, { length }) => (length === 0 ? null : `skip=${(skip += length)}`);
    const seen = new Set<string>();
    for await (const { request, resources } of this.#pages(path, "ontologyRecords", purpose, next)) {
      const found = resources.find((record) => isAboutProduct(record, product));
      if (found !== undefined) return named(request, found);
      const before = seen.size;
      for (const record of resources) seen.add(JSON.stringify(record));
      // A service that ignores what is to be skipped has no last page.
      if (resources.length > 0 && seen.size === before) request.missing(OTHER_PAGE);
    }
    return null;
  }

  /** All resources of a list. */
  async #all(path: string, name: string, purpose: Purpose): Promise<PlatformFields[]> {
    const all: PlatformFields[] = [];
    for await (const { request, resources } of this.#pages(path, name, purpose, nextToken)) {
      all.push(...resources.map((resource) => named(request, resource)));
    }
    return all;
  }

  /** @throws DeployError also when a page leads back to an earlier one: such a list has no end */
  async *#pages(path: string, name: string, purpose: Purpose, next: NextPage): AsyncGenerator<ResourcePage> {
    const asked = new Set<string>();
    for (let query: string | null = ""; query !== null;) {
      const request = this.#client.request("GET", `/${path}?pageSize=${PAGE_SIZE}${query && `&${query}`}`, purpose);
      if (asked.has(query)) request.missing(OTHER_PAGE);
      asked.add(query);
      const answer = await request.json();
      const resources = list(answer, name);
      yield { request, resources };
      query = next(answer, resources);
    }
  }
}

/** What is missing of a list that does not go on. */
const OTHER_PAGE = "page that differs from those before";

interface ResourcePage {
  request: PlatformRequest;
  resources: PlatformFields[];
}

/** @returns what asks for the page after this one, as a part of a query; null when this is the last one */
type NextPage = (answer: unknown, resources: readonly PlatformFields[]) => string | null;

const nextToken: NextPage = (answer) => {
  const token = textOr(fields(answer)["nextPageToken"], null);
  return token === null ? null : `pageToken=${encodeURIComponent(token)}`;
};

/** Every resource has a name, by which it is changed. */
function named(request: PlatformRequest, resource: PlatformFields): PlatformFields {
  return typeof resource["name"] === "string" ? resource : request.missing("name of a resource");
}

function identity({ name, source, product, eventName }: PlatformFields): PlatformFields {
  return { name, source, product, eventName: textOr(eventName, "") };
}

function lastSegment(name: unknown): string {
  return String(name).replace(/^.*\//, "");
}
