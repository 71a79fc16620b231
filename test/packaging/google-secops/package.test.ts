import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Manifest, Mapping } from "../../../src/manifest/manifest.ts";
import { buildContext, buildZip, entriesOf, packageEntries } from "../../support/google-secops-package.ts";
import { readZip, type ZipEntry } from "../../support/unzip.ts";

const schemas: readonly [RegExp, string][] = [
  [/^Integration-[^/]+\.def$/, "integration-def"],
  [/^ActionsDefinitions\/[^/]+\.actiondef$/, "actiondef"],
  [/^Connectors\/[^/]+\.connectordef$/, "connectordef"],
  [/^Jobs\/[^/]+\.jobdef$/, "jobdef"],
  [/^RN\.json$/, "release-notes"],
  [/^DefaultMappingRules\/integration_mapping_rules\.json$/, "mapping-rules"],
  [/^DefaultCustomFamilies\/integration_families\.json$/, "custom-families"],
  [/^Widgets\/[^/]+\.json$/, "widget"],
  [/^resources\/ai\/actions_ai_description\.yaml$/, "ai-descriptions"],
  [/^resources\/ai\/integration_ai_description\.yaml$/, "integration-ai-description"],
];
/** Files that are not JSON. */
const others =
  /^(ActionsScripts|ConnectorsScripts|JobsScrips|Managers)\/[A-Za-z_]+\.py$|^Dependencies\/.+\.whl$|^WidgetsScripts\/.+\.html$/;

const plugin = "export default 'a plugin';";

describe("the Google SecOps package", () => {
  let entries: ZipEntry[];
  let manifest: Manifest;
  let mappings: Mapping[];

  let zip: Buffer;
  /** The same with another plugin, and with another action in place of all others. */
  let otherPlugin: ZipEntry[];
  let otherAction: ZipEntry[];

  beforeAll(async () => {
    const context = await buildContext(plugin);
    zip = await buildZip(context);
    entries = await readZip(zip);
    manifest = context.project.manifest;
    mappings = [...context.project.mappings.values()];
    otherPlugin = await packageEntries(await buildContext(`${plugin} `));
    const action = { ...manifest.actions[0]!, name: "Some Action" };
    const project = { ...context.project, manifest: { ...manifest, actions: [action] } };
    otherAction = await packageEntries({ ...context, project });
  });

  it("shows the form of a result where no example of a real run is kept", () => {
    const definition =
      otherAction.find(({ path }) => path === "ActionsDefinitions/some_action.actiondef")?.content.toString() ?? "{}";
    const {
      DynamicResultsMetadata: [result],
    } = JSON.parse(definition) as {
      DynamicResultsMetadata: [{ ResultExample: string }];
    };
    expect(new Ajv2020().validate(manifest.actions[0]!.result.schema, JSON.parse(result.ResultExample))).toBe(true);
  });

  const textOf = (path: string): string => {
    const entry = entries.find((candidate) => candidate.path === path);
    if (entry === undefined) throw new Error(`${path} is not among ${entries.map((each) => each.path).join(", ")}`);
    return entry.content.toString("utf8");
  };
  const jsonOf = (path: string): unknown => JSON.parse(textOf(path));

  it("has no top folder, and nothing but what the platform knows", () => {
    for (const { path } of entries) {
      expect([path, schemas.some(([pattern]) => pattern.test(path)) || others.test(path)]).toEqual([path, true]);
    }
    expect(entries.map(({ path }) => path)).toContain("Integration-attack_path_analysis.def");
  });

  it("holds JSON that fits the platform's schemas, written as its own tools write it", async () => {
    const ajv = addFormats.default(new Ajv2020({ allErrors: true, strictTypes: false }));
    const files = entries.flatMap(({ path, content }) => {
      const schema = schemas.find(([pattern]) => pattern.test(path))?.[1];
      return schema === undefined ? [] : [{ path, content: content.toString("utf8"), schema }];
    });
    expect(files.length).toBeGreaterThanOrEqual(9);
    for (const { path, content, schema } of files) {
      const file = join(import.meta.dirname, "schemas", `${schema}.schema.json`);
      const validate = ajv.compile({ ...(JSON.parse(await readFile(file, "utf8")) as object), $id: path });
      const value: unknown = JSON.parse(content);
      validate(value);
      expect([path, validate.errors]).toEqual([path, null]);
      expect(content).toBe(`${JSON.stringify(sortKeys(value), null, 4)}\n`);
    }
  });

  it("pairs each script with a definition by its stem", () => {
    const stems = (folder: string): string[] =>
      entries
        .filter(({ path }) => path.startsWith(`${folder}/`))
        .map(({ path }) => path.slice(folder.length + 1).replace(/\.[a-z]+$/, ""));
    expect(stems("ActionsScripts")).toEqual(manifest.actions.map(({ name }) => stemOf(name)).sort());
    expect(stems("ActionsDefinitions")).toEqual(stems("ActionsScripts"));
    expect(stems("ConnectorsScripts")).toEqual(["attack_path_findings"]);
    expect(stems("Connectors")).toEqual(stems("ConnectorsScripts"));
    expect(stems("JobsScrips")).toEqual(["follow_up_findings"]);
    expect(stems("Jobs")).toEqual(stems("JobsScrips"));
    expect(stems("Managers")).toEqual([
      "AttackPathAnalysisAlertEnvironment",
      "AttackPathAnalysisAlertFindings",
      "AttackPathAnalysisAlertList",
      "AttackPathAnalysisCaCertificate",
      "AttackPathAnalysisCaseWall",
      "AttackPathAnalysisContentHash",
      "AttackPathAnalysisDelivery",
      "AttackPathAnalysisJob",
      "AttackPathAnalysisJobMemory",
      "AttackPathAnalysisLauncher",
      "AttackPathAnalysisNodeSearch",
      "AttackPathAnalysisPlatformAlerts",
      "AttackPathAnalysisPlatformCalls",
      "AttackPathAnalysisPluginProcess",
      "AttackPathAnalysisRedaction",
      "AttackPathAnalysisSession",
      "AttackPathAnalysisTimeLimit",
    ]);
  });

  it("says in a manager what its other files add up to", () => {
    const hash = (files: readonly ZipEntry[]): string | undefined =>
      files.find(({ path }) => path === "Managers/AttackPathAnalysisContentHash.py")?.content.toString("utf8");
    expect(hash(entries)).toMatch(/^"""[^"]+"""\n\nCONTENT_SHA256 = "[0-9a-f]{64}"\n$/);
    expect(new Set([entries, otherPlugin, otherAction].map(hash)).size).toBe(3);
  });

  it("names the wheel with the plugin after its build, which any other file changes", () => {
    const build = (files: readonly ZipEntry[]) =>
      files.flatMap(({ path }) => /_runtime_([0-9a-f]{8})-/.exec(path)?.slice(1) ?? [])[0];
    expect(textOf("Managers/AttackPathAnalysisContentHash.py")).toContain(`CONTENT_SHA256 = "${build(entries)}`);
    expect(build(otherAction)).not.toBe(build(entries));
  });

  it("declares exactly the instance parameters of the manifest", () => {
    const { IntegrationProperties } = jsonOf("Integration-attack_path_analysis.def") as {
      IntegrationProperties: Record<string, unknown>[];
    };
    expect(IntegrationProperties.map(({ PropertyName, PropertyType }) => [PropertyName, PropertyType])).toEqual([
      ["Server", 2],
      ["Token ID", 2],
      ["Token Key", 3],
    ]);
    for (const property of IntegrationProperties) {
      expect(property).toMatchObject({ IntegrationIdentifier: manifest.identifier, IsMandatory: true, Value: null });
    }
  });

  it("declares the connector's fields, two of them under the platform's own names, and no schedule", () => {
    const { Parameters } = jsonOf("Connectors/attack_path_findings.connectordef") as {
      Parameters: Record<string, unknown>[];
    };
    const own = new Map([
      ["Product Field Name", "DeviceProductField"],
      ["Event Field Name", "EventClassId"],
    ]);
    const types = { boolean: 0, integer: 1, string: 2, list: 2 };
    const fields = manifest.connectors[0]!.fields.filter(({ name }) => name !== "Run Every");
    const declared = fields.map(({ name, type, secret, default: preset }) => [
      own.get(name) ?? name,
      secret ? 3 : types[type],
      own.has(name) ? 0 : 2,
      preset === null ? null : String(preset),
    ]);
    expect(Parameters.map(({ Name, Type, Mode, DefaultValue }) => [Name, Type, Mode, DefaultValue])).toEqual([
      ...declared,
      ["Environment Field Name", 2, 2, null],
      ["Environment Regex Pattern", 2, 2, null],
      ["State Name", 2, 2, null],
      ["Proxy Server Address", 2, 2, null],
      ["Proxy Username", 2, 2, null],
      ["Proxy Password", 3, 2, null],
      ["CA Certificate File - parsed into Base64 String", 2, 2, null],
      ["PythonProcessTimeout", 1, 0, "300"],
    ]);
  });

  it("makes the actions asynchronous that may take more than one run, and nothing else", () => {
    const asynchronous = manifest.actions
      .map(({ name }) => jsonOf(`ActionsDefinitions/${stemOf(name)}.actiondef`) as { Name: string; IsAsync: boolean })
      .filter(({ IsAsync }) => IsAsync);
    expect(asynchronous.map(({ Name }) => Name)).toEqual(["Get Object Id", "Does Path Exist", "Fetch Assets"]);
  });

  it("tells language models of each action what the manifest says, in a file and in its definition", () => {
    const file = jsonOf("resources/ai/actions_ai_description.yaml") as Record<string, Record<string, unknown>>;
    expect(Object.keys(file).sort()).toEqual(manifest.actions.map(({ name }) => name).sort());
    for (const { name, description, parameters, reads = [], shows = [] } of manifest.actions) {
      const described = file[name]!;
      const definition = jsonOf(`ActionsDefinitions/${stemOf(name)}.actiondef`) as Record<string, unknown>;
      expect(definition).toMatchObject({
        AiDescription: `${String(described["ai_description"])}\n ${String(described["parameters_description"])}`,
        AiShortDescription: description,
        ParametersDescription: described["parameters_description"],
      });
      for (const { name: label, type, description: text } of parameters)
        expect(definition["AiDescription"]).toContain(
          `| ${label} | ${type === "boolean" ? "Boolean" : "String"} | No | ${text} |`,
        );
      expect(described["capabilities"]).toMatchObject({
        can_mutate_external_data: false,
        can_create_insight: shows.includes("insight"),
        can_update_entities: shows.includes("entities"),
      });
      expect("EntityTypes" in definition).toBe(reads.includes("entities"));
    }
  });

  it("names the entity types that the mapping makes, and what an action is good for", () => {
    const definition = (stem: string) => jsonOf(`ActionsDefinitions/${stem}.actiondef`);
    const everyType = ["SOURCEDOMAIN", "DESTINATIONDOMAIN", "USERUNIQNAME", "HOSTNAME", "GENERICENTITY"];
    expect(definition("fetch_assets")).toMatchObject({
      EntityTypes: everyType,
      OutcomeCategories: ["Enrich Asset"],
      AiCategories: ["Enrichment"],
    });
    expect(definition("does_path_exist")).toMatchObject({
      OutcomeCategories: ["Enrich Asset", "Get Alert Information"],
    });
    expect(definition("ping")).toMatchObject({ ParametersDescription: "There are no parameters for this action" });
    expect(definition("ping")).not.toHaveProperty("OutcomeCategories");
  });

  it("tells language models what kind of product it belongs to, in a file and in its definition", () => {
    const { product_categories: categories } = jsonOf("resources/ai/integration_ai_description.yaml") as {
      product_categories: Record<string, unknown>;
    };
    const { ProductCategories } = jsonOf("Integration-attack_path_analysis.def") as Record<string, unknown>;
    expect(categories["reasoning"]).toContain("IAM & Identity Management");
    expect(Object.keys(categories).filter((name) => categories[name] === true)).toEqual([
      "asset_inventory",
      "iam_and_identity_management",
    ]);
    expect(ProductCategories).toEqual(["IAM & Identity Management", "Asset Inventory"]);
  });

  it("links to a page that exists, wherever it links to its documentation", () => {
    // In the vendor's list of pages (llms.txt) in November 2026. The pages on Google SecOps are about another integration.
    const page = "https://bloodhound.specterops.io/integrations/bloodhound-api/working-with-api";
    const definitions = entries.filter(({ path }) => /\.(def|actiondef|connectordef|jobdef)$/.test(path));
    expect(definitions).toHaveLength(manifest.actions.length + manifest.connectors.length + manifest.jobs.length + 1);
    for (const { path } of definitions) expect(jsonOf(path)).toHaveProperty("DocumentationLink", page);
  });

  it("maps every rule at the source's level and at the product's", () => {
    const rules = jsonOf("DefaultMappingRules/integration_mapping_rules.json") as Record<string, unknown>[];
    const wanted = mappings.flatMap((mapping) => mapping.rules);
    for (const product of [null, "Attack Path Analysis"]) {
      const level = rules.filter((rule) => rule["Product"] === product && rule["Source"] === "attack_path_analysis");
      expect(
        level.map((rule) => [
          rule["SecurityEventFieldName"],
          rule["RawDataPrimaryFieldMatchTerm"],
          rule["TransformationFunction"],
          rule["IsArtifact"],
        ]),
      ).toEqual(
        wanted.map((rule) => [
          rule.target,
          rule.field,
          rule.transform === "epoch-ms" ? 3 : 0,
          rule.kind === "indicator",
        ]),
      );
    }
    expect(rules).toHaveLength(2 * wanted.length);
  });

  it("draws entities with the mapping's family", () => {
    const families = jsonOf("DefaultCustomFamilies/integration_families.json") as {
      Family: string;
      Rules: Record<string, unknown>[];
    }[];
    expect(families.map(({ Family }) => Family)).toEqual(mappings.map((mapping) => mapping.family?.name));
    expect(families[0]?.Rules).toHaveLength(mappings[0]?.family?.relations.length ?? 0);
    expect(families[0]?.Rules.every((rule) => rule["VisualFamily"] === families[0]?.Family)).toBe(true);
  });

  it("tells the changes of the changelog", () => {
    const notes = jsonOf("RN.json") as Record<string, unknown>[];
    expect(notes[0]).toMatchObject({ New: true, IntroducedInIntegrationVersion: 1, PublishTime: expect.any(Number) });
    expect(String(notes[0]?.["ChangeDescription"])).toMatch(/^Connector Attack Path Findings: .* stopped\.$/);
    const text = notes.map((note) => String(note["ChangeDescription"])).join("\n");
    const actions = ["Ping", "Get Object Id", "Does Path Exist", "Fetch Assets"];
    const others = ["Widgets", "Ontology mapping", "visual family", "grouping rule", "Attack Path Triage"];
    const parameters = ["proxy", "private certificate authority"];
    expect([...actions, ...others, ...parameters].filter((name) => !text.includes(name))).toEqual([]);
  });

  it("has the two sentences that the platform's validators look for in the text of Ping", () => {
    expect(textOf("ActionsScripts/ping.py")).toContain("Successfully connected to the");
    expect(textOf("ActionsScripts/ping.py")).toContain("Failed to connect to the");
  });

  it("carries the plugin in a wheel whose record is right", async () => {
    const wheel = entries.find(({ path }) => path.startsWith("Dependencies/"));
    expect(wheel?.path).toMatch(/^Dependencies\/attack_path_analysis_runtime_[0-9a-f]{8}-1\.0\.0-py3-none-any\.whl$/);
    const files = await entriesOf(wheel?.content ?? "");
    const content = (path: string) => files.get(path)?.content.toString("utf8");
    const info = wheel?.path.replace(/^Dependencies\/([^-]+-[^-]+)-.*$/, "$1.dist-info") ?? "";
    const [name = ""] = info.split("-");
    const record = content(`${info}/RECORD`) ?? "";
    const rows = record
      .trimEnd()
      .split("\n")
      .map((row) => row.split(","));
    expect(rows.map(([path]) => path).sort()).toEqual([...files.keys()].sort());
    for (const [path = "", hash, size] of rows.filter(([path]) => path !== `${info}/RECORD`)) {
      const packed = files.get(path)?.content ?? "";
      expect([path, hash]).toEqual([path, `sha256=${createHash("sha256").update(packed).digest("base64url")}`]);
      expect([path, Number(size)]).toEqual([path, packed.length]);
    }
    expect(content(`${name}/plugin.mjs`)).toBe(plugin);
    expect(content(`${name}/host-contract.schema.json`)).toBe("{}");
    expect(content(`${info}/sboms/sbom.cdx.json`)).toBe('{"bomFormat":"CycloneDX"}');
    expect(content(`${info}/WHEEL`)).toContain("Root-Is-Purelib: true\nTag: py3-none-any\n");
  });

  it("gives the wheel another name when the plugin changes, so that pip takes it, and the same bytes when nothing does", async () => {
    const wheelName = (files: readonly ZipEntry[]) => files.find(({ path }) => path.startsWith("Dependencies/"))?.path;
    expect(wheelName(otherPlugin)).not.toBe(wheelName(entries));
    expect(wheelName(entries)).toMatch(/^Dependencies\/attack_path_analysis_runtime_[0-9a-f]{8}-1\.0\.0\D/);
    expect(zip.equals(await buildZip(await buildContext(plugin)))).toBe(true);
  });
});

function stemOf(name: string): string {
  return name.toLowerCase().replaceAll(" ", "_");
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}
