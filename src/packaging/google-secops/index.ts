import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sample } from "openapi-sampler";
import { HOST_CONTRACT_PATH } from "../../codegen/record-types.ts";
import type { Manifest, ManifestAction } from "../../manifest/manifest.ts";
import { kebabCase } from "../../manifest/rules.ts";
import { type BuildContext, type BuiltPackage, type PackageFile, packageName, type Target } from "../target.ts";
import { zip } from "../zip.ts";
import { AI_DESCRIPTIONS_PATH, aiDescription } from "./ai-descriptions.ts";
import { contentHash, contentHashModule } from "./content-hash.ts";
import {
  actionDefinition,
  connectorDefinition,
  integrationDefinition,
  jobDefinition,
  type Logo,
} from "./definitions.ts";
import { groupingRuleFiles } from "./grouping-rule.ts";
import { builtNodeWheel } from "./node-wheel.ts";
import { customFamilies, ontologyRules } from "./ontology.ts";
import { playbookZip } from "./playbook.ts";
import { moduleName, platformJson, pythonModules, type PythonModule, stemOf } from "./platform.ts";
import { platformVersion, readChangelog, releaseNotes } from "./release-notes.ts";
import { INTEGRATION_AI_PATH, integrationAiDescription } from "./product-categories.ts";
import { runtimeFiles, runtimeWheel } from "./runtime-wheel.ts";
import { actionScript, connectorScript, jobScript } from "./scripts.ts";

/**
 * Integration package of Google SecOps SOAR, and what the platform takes beside it: the grouping rule and the playbooks. The
 * platform runs Python: thin scripts on its own SDK start the bundled plugin under the Node.js that the package carries.
 */
export const googleSecops: Target = {
  name: "google-secops",
  build: async (context) => build(context, "google-secops", [await builtNodeWheel(context)]),
};

/** The same without Node.js, for remote agents that have it. */
export const googleSecopsAgent: Target = {
  name: "google-secops-agent",
  build: (context) => build(context, "google-secops-agent", []),
};

async function build(context: BuildContext, name: string, wheels: readonly PackageFile[]): Promise<BuiltPackage[]> {
  const { manifest, groupingRules } = context.project;
  const content = await zip(await packageFiles(context, wheels));
  const playbooks = await playbookZip(manifest, context.playbooks, context.widgets);
  return [
    { path: `${packageName(manifest, name)}.zip`, content },
    ...[...groupingRules].flatMap(([file, rule]) => groupingRuleFiles(file, rule)),
    ...(playbooks === null ? [] : [playbooks]),
  ];
}

/** What says how the plugin may be used, and how it is called. */
const BESIDE_PLUGIN = ["LICENSE", "THIRD-PARTY-LICENSES.txt", HOST_CONTRACT_PATH];

/** All files of the package. The launcher finds the plugin of its own build by the name of the wheel. */
export async function packageFiles(context: BuildContext, wheels: readonly PackageFile[]): Promise<PackageFile[]> {
  const { project, bundle, documents } = context;
  const files = [...(await integrationFiles(context)), ...wheels.map(dependency)];
  const besidePlugin = documents.filter(({ path }) => BESIDE_PLUGIN.includes(path));
  const runtime = await runtimeFiles(bundle.files, besidePlugin);
  const sbom = documentText(context, "sbom.cdx.json");
  const build = contentHash([...files, ...runtime, { path: "sbom", content: sbom }]);
  const wheel = await runtimeWheel(project.manifest, runtime, build, sbom);
  return [...files, dependency(wheel), contentHashModule(project.manifest, build)];
}

/** The integration itself, with paths from the package's root: it has no top folder. */
async function integrationFiles(context: BuildContext): Promise<PackageFile[]> {
  const { manifest, mappings } = context.project;
  const releases = readChangelog(documentText(context, "CHANGELOG.md"));
  const version = platformVersion(releases, manifest);
  const logo = await readLogo();
  const families = customFamilies(mappings.values(), logo.png);
  return [
    json(`Integration-${manifest.identifier}.def`, integrationDefinition(manifest, version, logo)),
    json("RN.json", releaseNotes(releases, manifest)),
    json("DefaultMappingRules/integration_mapping_rules.json", ontologyRules(mappings.values())),
    ...(families.length > 0 ? [json("DefaultCustomFamilies/integration_families.json", families)] : []),
    ...(await Promise.all(pythonModules.map((module) => managerFile(manifest, module)))),
    ...(await Promise.all(manifest.actions.map((action) => actionFiles(context, action, version)))).flat(),
    aiDescriptions(context),
    json(INTEGRATION_AI_PATH, integrationAiDescription),
    ...manifest.connectors.flatMap((connector) => [
      json(`Connectors/${stemOf(connector.name)}.connectordef`, connectorDefinition(manifest, connector, version)),
      { path: `ConnectorsScripts/${stemOf(connector.name)}.py`, content: connectorScript(manifest, connector) },
    ]),
    ...manifest.jobs.flatMap((job) => [
      json(`Jobs/${stemOf(job.name)}.jobdef`, jobDefinition(manifest, job, version)),
      // The platform spells the folder like this.
      { path: `JobsScrips/${stemOf(job.name)}.py`, content: jobScript(manifest, job) },
    ]),
    ...widgetFiles(context),
  ];
}

/** All integrations of a platform may end up on one path, so its modules carry the integration's name. */
async function managerFile(manifest: Manifest, module: PythonModule): Promise<PackageFile> {
  const text = (await asset("python", `${module}.py`)).toString("utf8");
  const content = text.replace(/^( *)from (\w+) import /gm, (line, indent: string, name: string) => {
    const imported = [...pythonModules, "content_hash" as const].find((known) => known === name);
    return imported === undefined ? line : `${indent}from ${moduleName(manifest, imported)} import `;
  });
  return { path: `Managers/${moduleName(manifest, module)}.py`, content };
}

async function actionFiles({ project }: BuildContext, action: ManifestAction, version: number): Promise<PackageFile[]> {
  const { manifest, mappings } = project;
  const stem = stemOf(action.name);
  const about = {
    example: await exampleOf(action),
    described: aiDescription(manifest, action, mappings.values()),
  };
  return [
    json(`ActionsDefinitions/${stem}.actiondef`, actionDefinition(manifest, action, version, about)),
    { path: `ActionsScripts/${stem}.py`, content: actionScript(manifest, action) },
  ];
}

/** Written as JSON, which is YAML, like the description of the integration. */
function aiDescriptions({ project: { manifest, mappings } }: BuildContext): PackageFile {
  const entries = manifest.actions.map((action) => [action.name, aiDescription(manifest, action, mappings.values())]);
  return json(AI_DESCRIPTIONS_PATH, Object.fromEntries(entries));
}

/** The result of a real run where one is kept, else one that only shows the form. */
async function exampleOf({ name, result: { schema } }: ManifestAction): Promise<unknown> {
  try {
    return JSON.parse((await asset("examples", `${kebabCase(name)}.json`)).toString());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return sample(schema, {}, schema);
  }
}

function widgetFiles({ widgets }: BuildContext): PackageFile[] {
  return widgets.flatMap(({ stem, html, definition }) => [
    json(`Widgets/${stem}.json`, definition),
    { path: `WidgetsScripts/${stem}.html`, content: html },
  ]);
}

/** A wheel, which the platform installs beside the scripts. */
function dependency(wheel: PackageFile): PackageFile {
  return { ...wheel, path: `Dependencies/${wheel.path}` };
}

function documentText({ documents }: BuildContext, path: string): string {
  const document = documents.find((candidate) => candidate.path === path);
  if (document === undefined) throw new Error(`${path} is missing.`);
  return Buffer.from(document.content).toString("utf8");
}

async function readLogo(): Promise<Logo> {
  const [svg, png] = await Promise.all([asset("assets", "logo.svg"), asset("assets", "logo.png")]);
  return { svg: svg.toString("utf8"), png: png.toString("base64") };
}

function asset(folder: string, name: string): Promise<Buffer> {
  return readFile(join(import.meta.dirname, folder, name));
}

function json(path: string, value: unknown): PackageFile {
  return { path, content: platformJson(value) };
}
