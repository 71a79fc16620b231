import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { GroupingRule } from "../manifest/manifest.ts";
import { readProject } from "../manifest/project.ts";
import { packageName } from "../packaging/target.ts";
import { PLAYBOOKS_PATH, type PlatformPlaybook } from "../packaging/google-secops/playbook.ts";
import { fileTitle, readJson, unzip } from "./archive.ts";
import { DeployError } from "./failures.ts";
import { type PackageContents, readContents } from "./package-contents.ts";
import type { Product } from "./platform-api.ts";
import type { Step } from "./steps.ts";

/** What is deployed: no more than the steps need. */
export interface Artefacts {
  integration: BuiltIntegration | null;
  families: readonly FamilyAssignment[];
  /** By name, such as `source-domain`; one of them may apply. */
  groupingRules: ReadonlyMap<string, GroupingRule>;
  playbooks: readonly PlatformPlaybook[] | null;
}

export interface BuiltIntegration {
  zip: Buffer;
  file: string;
  contents: PackageContents;
}

/** The visual family for the events of a product. */
export interface FamilyAssignment extends Product {
  family: string;
}

export interface ArtefactPlaces {
  /** The project. */
  rootDir: string;
  /** Where `npm run package` put its output. */
  outDir: string;
  /** Take the package for remote agents, which holds no Node.js. */
  agent: boolean;
  /** Another package than those in the output folder. */
  packageFile?: string;
  steps: ReadonlySet<Step>;
}

/** @throws DeployError when something was not built, or is no package */
export async function readArtefacts(places: ArtefactPlaces): Promise<Artefacts> {
  const { rootDir, outDir, agent, packageFile, steps } = places;
  const { manifest, mappings, groupingRules } = await readProject(rootDir);
  const name = packageName(manifest, agent ? "google-secops-agent" : "google-secops");
  return {
    integration: steps.has("package") ? await readIntegration(packageFile ?? join(outDir, `${name}.zip`)) : null,
    families: [...(steps.has("family") ? mappings.values() : [])].flatMap(({ source, product, family }) =>
      family === undefined ? [] : [{ source, product, family: family.name }],
    ),
    groupingRules: new Map(
      [...(steps.has("grouping") ? groupingRules : [])].map(([file, rule]) => [basename(file, ".json"), rule]),
    ),
    playbooks:
      steps.has("playbook") && manifest.playbooks.length > 0 ? await readPlaybooks(join(outDir, PLAYBOOKS_PATH)) : null,
  };
}

async function readIntegration(file: string): Promise<BuiltIntegration> {
  return integrationIn(await readBuilt(file), fileTitle(file));
}

async function readPlaybooks(file: string): Promise<PlatformPlaybook[]> {
  return playbooksIn(await readBuilt(file), fileTitle(file));
}

/**
 * The integration in a zip of ours or of the platform.
 *
 * @param file - its name, for the messages
 * @throws DeployError when it is no package
 */
export async function integrationIn(zip: Buffer, file: string): Promise<BuiltIntegration> {
  return { zip, file, contents: readContents(await unzip(zip, file), file) };
}

/**
 * The playbooks in a zip of ours or of the platform.
 *
 * @param name - a file, or what the zip is, for the message
 * @throws DeployError for a zip that cannot be read; what is no playbook in it is left out
 */
export async function playbooksIn(zip: Buffer, name: string): Promise<PlatformPlaybook[]> {
  const files = [...(await unzip(zip, name))].filter(([path]) => path.endsWith(".json"));
  return files.map(([path, content]) => readJson(content, `${path} in ${name}`)).filter(isPlaybook);
}

function isPlaybook(value: unknown): value is PlatformPlaybook {
  const { Definition } = (value ?? {}) as { Definition?: { Steps?: unknown; Triggers?: unknown } };
  return [Definition?.Steps, Definition?.Triggers].every(Array.isArray);
}

async function readBuilt(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new DeployError(`${fileTitle(file)} cannot be read. Run "npm run package" first.`);
  }
}
