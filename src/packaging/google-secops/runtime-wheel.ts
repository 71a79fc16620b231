import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Manifest } from "../../manifest/manifest.ts";
import type { PackageFile } from "../target.ts";
import { makeWheel } from "./wheel.ts";

const INIT = '"""The plugin as JavaScript modules, and what starts it under Node.js."""\n';

/**
 * What the wheel that carries the plugin holds.
 *
 * @param plugin - files of the program
 * @param documents - stand in the same folder as the plugin
 */
export async function runtimeFiles(
  plugin: readonly PackageFile[],
  documents: readonly PackageFile[],
): Promise<PackageFile[]> {
  return [
    { path: "__init__.py", content: INIT },
    { path: "start.cjs", content: await readFile(join(import.meta.dirname, "python", "start.cjs")) },
    ...plugin,
    ...documents.map((document) => ({ ...document, path: posix.basename(document.path) })),
  ];
}

/**
 * The wheel that carries the plugin. Its name has the beginning of the build's hash: pip keeps an installed package whose version is the same
 * or later, and then the scripts would meet the plugin of another build.
 *
 * @param files - see `runtimeFiles`
 * @param build - hash over the contents of the package
 * @param sbom - bill of materials in CycloneDX JSON
 */
export async function runtimeWheel(
  manifest: Manifest,
  files: readonly PackageFile[],
  build: string,
  sbom: string | Uint8Array,
): Promise<PackageFile> {
  return makeWheel({
    name: `${manifest.identifier}_runtime_${build.slice(0, 8)}`,
    version: manifest.version,
    summary: `What ${manifest.name} runs under Node.js`,
    license: "Apache-2.0",
    files,
    sbom,
  });
}
