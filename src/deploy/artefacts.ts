import { readFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import yauzl from "yauzl";
import type { GroupingRule } from "../manifest/manifest.ts";
import { loadGroupingRule, loadManifest } from "../manifest/load.ts";
import { packageName } from "../packaging/target.ts";
import { PLAYBOOKS_PATH, type PlatformPlaybook } from "../packaging/google-secops/playbook.ts";
import { DeployError } from "./failures.ts";

/** What is deployed. */
export interface Artefacts {
  integration: { zip: Buffer; file: string; identifier: string; version: number; isCustom: boolean };
  groupingRules: readonly GroupingRule[];
  /** Null when the project has none. */
  playbooks: { zip: Buffer; fileName: string; playbooks: readonly PlatformPlaybook[] } | null;
}

export interface ArtefactPlaces {
  /** The project. */
  rootDir: string;
  /** Where `npm run package` put its output. */
  outDir: string;
  /** Another package than the one of this version in the output folder. */
  packageFile?: string;
}

/** @throws DeployError when something was not built, or is no package */
export async function readArtefacts({ rootDir, outDir, packageFile }: ArtefactPlaces): Promise<Artefacts> {
  const manifest = loadManifest(await readFile(join(rootDir, "integration.json"), "utf8"));
  const file = packageFile ?? join(outDir, `${packageName(manifest, "google-secops")}.zip`);
  const rules = manifest.groupingRules.map(async (path) =>
    loadGroupingRule(await readFile(join(rootDir, path), "utf8"), path),
  );
  return {
    integration: await readIntegration(file),
    groupingRules: await Promise.all(rules),
    playbooks: manifest.playbooks.length === 0 ? null : await readPlaybooks(join(outDir, PLAYBOOKS_PATH)),
  };
}

async function readIntegration(file: string): Promise<Artefacts["integration"]> {
  const zip = await readBuilt(file);
  const definition = (await unzip(zip, file)).find(({ path }) => /^Integration-[^/]+\.def$/.test(path));
  if (definition === undefined) {
    throw new DeployError(`${named(file)} is no integration package: no Integration-….def lies in its root.`);
  }
  const { Identifier, Version, IsCustom } = parseJson(definition.content, definition.path) as {
    Identifier: string;
    Version: number;
    IsCustom?: boolean;
  };
  return { zip, file: named(file), identifier: Identifier, version: Version, isCustom: IsCustom ?? false };
}

async function readPlaybooks(file: string): Promise<Artefacts["playbooks"]> {
  const zip = await readBuilt(file);
  return { zip, fileName: basename(file), playbooks: await playbooksIn(zip, file) };
}

/**
 * The playbooks in a zip of ours or of the platform.
 * @throws DeployError for a zip that cannot be read; what is no playbook in it is left out
 */
export async function playbooksIn(zip: Buffer, file: string): Promise<PlatformPlaybook[]> {
  const values = (await unzip(zip, file)).map(({ path, content }) => parseJson(content, `${path} in ${file}`));
  return values.filter(isPlaybook);
}

function isPlaybook(value: unknown): value is PlatformPlaybook {
  const { Definition } = (value ?? {}) as { Definition?: { Steps?: unknown; Triggers?: unknown } };
  return [Definition?.Steps, Definition?.Triggers].every(Array.isArray);
}

function parseJson(content: Buffer, place: string): unknown {
  try {
    return JSON.parse(content.toString("utf8"));
  } catch {
    throw new DeployError(`${place} is no JSON.`);
  }
}

async function readBuilt(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new DeployError(`${named(file)} cannot be read. Run "npm run package" first.`);
  }
}

async function unzip(zip: Buffer, file: string): Promise<{ path: string; content: Buffer }[]> {
  try {
    const archive = await yauzl.fromBufferPromise(zip, { lazyEntries: true });
    const entries: { path: string; content: Buffer }[] = [];
    for await (const entry of archive.eachEntry()) {
      if (!/\.(def|json)$/.test(entry.fileName)) continue;
      entries.push({ path: entry.fileName, content: await buffer(await archive.openReadStreamPromise(entry)) });
    }
    return entries;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DeployError(`${named(file)} is no zip that can be read (${reason}).`);
  }
}

function named(file: string): string {
  return relative(process.cwd(), file);
}
