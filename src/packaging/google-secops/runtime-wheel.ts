import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Manifest } from "../../manifest/manifest.ts";
import type { PackageFile } from "../target.ts";
import { makeWheel } from "./wheel.ts";

const INIT = '"""The plugin as one JavaScript module, and what starts it under Node.js."""\n';

/**
 * What the wheel that carries the plugin holds, but for the build that it belongs to.
 *
 * @param documents - stand in the same folder as the plugin
 */
export async function runtimeFiles(plugin: Uint8Array, documents: readonly PackageFile[]): Promise<PackageFile[]> {
  return [
    { path: "__init__.py", content: INIT },
    { path: "start.cjs", content: await readFile(join(import.meta.dirname, "python", "start.cjs")) },
    { path: "plugin.mjs", content: plugin },
    ...documents.map((document) => ({ ...document, path: posix.basename(document.path) })),
  ];
}

/**
 * The wheel that carries the plugin. Its version changes with the build, since pip keeps an installed wheel of the same
 * version: a post-release whose number is a part of the hash.
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
    name: `${manifest.identifier}_runtime`,
    version: `${manifest.version}.post${parseInt(build.slice(0, 8), 16)}`,
    summary: `What ${manifest.name} runs under Node.js`,
    license: "Apache-2.0",
    files: [...files, { path: "build", content: build }],
    sbom,
  });
}
