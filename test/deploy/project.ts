import { aiDescription } from "../../src/packaging/google-secops/ai-descriptions.ts";
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { loadGroupingRule } from "../../src/manifest/load.ts";
import { readProject } from "../../src/manifest/project.ts";
import { type Artefacts, playbooksIn } from "../../src/deploy/artefacts.ts";
import { unzip } from "../../src/deploy/archive.ts";
import { readContents } from "../../src/deploy/package-contents.ts";
import { contentHash, contentHashModule } from "../../src/packaging/google-secops/content-hash.ts";
import {
  actionDefinition,
  connectorDefinition,
  integrationDefinition,
} from "../../src/packaging/google-secops/definitions.ts";
import { platformJson, stemOf } from "../../src/packaging/google-secops/platform.ts";
import { type PlatformPlaybook, playbookZip } from "../../src/packaging/google-secops/playbook.ts";
import { widgetDefinition } from "../../src/packaging/google-secops/widgets.ts";
import type { PackageFile } from "../../src/packaging/target.ts";
import { zip } from "../../src/packaging/zip.ts";
import { rootDir } from "../support/package.ts";

export const playbookFile = "playbooks/attack-path-triage.json";

export const read = (path: string): Promise<string> => readFile(resolve(rootDir, path), "utf8");

export const { manifest, groupingRules } = await readProject(rootDir);
export const groupingRule = loadGroupingRule(await read("grouping-rules/source-domain.json"));

export const NODE_WHEEL = "Dependencies/attack_path_analysis_node-22.20.0-py3-none-any.whl";
export const WIDGET = "Widgets/fetch_assets.json";
export const MAPPING = "DefaultMappingRules/integration_mapping_rules.json";

/** A widget for each action, without the scripts of the real ones: a deployment only carries them. */
const widgets = manifest.actions.map((action) => ({
  stem: stemOf(action.name),
  html: `<p>${action.name}</p>`,
  definition: widgetDefinition(manifest, action),
}));
const playbooks = await playbooksOf([playbookFile]);

/** Built playbooks. */
export async function playbooksOf(files: readonly string[]): Promise<PlatformPlaybook[]> {
  const sources = await Promise.all(files.map(async (path) => ({ path, content: await read(path) })));
  const built = await playbookZip(manifest, sources, widgets);
  return playbooksIn(Buffer.from(built!.content), "playbooks.zip");
}

/** Files by path. */
export type Files = Record<string, string>;

/** A package with everything that a deployment reads, and some of what a platform does not export. */
export function packageFiles(version = 1): Files {
  return {
    [`Integration-${manifest.identifier}.def`]: platformJson(
      integrationDefinition(manifest, version, { svg: "<svg/>", png: "iVBORw0KGgo=" }),
    ),
    ...Object.fromEntries(
      manifest.actions.flatMap((action) => [
        [
          `ActionsDefinitions/${stemOf(action.name)}.actiondef`,
          platformJson(
            actionDefinition(manifest, action, version, {
              example: {},
              described: aiDescription(manifest, action, []),
            }),
          ),
        ],
        [`ActionsScripts/${stemOf(action.name)}.py`, `# ${action.name}\nprint("run")\n`],
      ]),
    ),
    ...Object.fromEntries(
      manifest.connectors.flatMap((connector) => [
        [
          `Connectors/${stemOf(connector.name)}.connectordef`,
          platformJson(connectorDefinition(manifest, connector, version)),
        ],
        [`ConnectorsScripts/${stemOf(connector.name)}.py`, `# ${connector.name}\n`],
      ]),
    ),
    "Managers/AttackPathAnalysisLauncher.py": "def run():\n    pass\n",
    "Dependencies/attack_path_analysis_runtime_00000007-1.0.0-py3-none-any.whl": "the plugin",
    [WIDGET]: "{}",
    "WidgetsScripts/fetch_assets.html": "<!doctype html>",
    [MAPPING]: "[]",
    "RN.json": "[]",
  };
}

/** The zip of a package, as the build makes it. */
export function packageZip(files: Files = packageFiles()): Promise<Buffer> {
  const list: PackageFile[] = Object.entries(files).map(([path, content]) => ({ path, content }));
  return zip([...list, contentHashModule(manifest, contentHash(list))]);
}

let usual: Promise<Artefacts> | undefined;

/** What is deployed, with the given package: its files, or its zip. */
export function artefacts(given?: Files | Buffer): Promise<Artefacts> {
  return given === undefined ? (usual ??= artefactsWith(packageFiles())) : artefactsWith(given);
}

async function artefactsWith(given: Files | Buffer): Promise<Artefacts> {
  const integration = Buffer.isBuffer(given) ? given : await packageZip(given);
  return {
    integration: {
      zip: integration,
      file: "package.zip",
      contents: readContents(await unzip(integration, "package.zip"), "package.zip"),
    },
    families: [{ source: manifest.identifier, product: manifest.product, family: "Attack Path Findings" }],
    groupingRules: new Map([...groupingRules].map(([file, rule]) => [basename(file, ".json"), rule])),
    playbooks,
  };
}
