import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../../manifest/manifest.ts";
import { sha256 } from "../files.ts";
import type { PackageFile } from "../target.ts";
import { makeWheel } from "./wheel.ts";

const INIT = '"""The plugin as one JavaScript module, and what starts it under Node.js."""\n';

/**
 * The wheel that carries the plugin. Its version changes with its content, since pip keeps an installed wheel of the same
 * version: a post-release whose number is a part of the content's hash.
 */
export async function runtimeWheel(
  manifest: Manifest,
  plugin: Uint8Array,
  licences: readonly PackageFile[],
  sbom: string | Uint8Array,
): Promise<PackageFile> {
  const files: PackageFile[] = [
    { path: "__init__.py", content: INIT },
    { path: "start.cjs", content: await readFile(join(import.meta.dirname, "python", "start.cjs")) },
    { path: "plugin.mjs", content: plugin },
    ...licences,
  ];
  const hashed = [...files, { path: "sbom", content: sbom }];
  const hash = sha256(hashed.map(({ path, content }) => `${sha256(content)} ${path}\n`).join(""));
  return makeWheel({
    name: `${manifest.identifier}_runtime`,
    version: `${manifest.version}.post${parseInt(hash.slice(0, 8), 16)}`,
    platform: "any",
    summary: `What ${manifest.name} runs under Node.js`,
    license: "Apache-2.0",
    files,
    sbom,
  });
}
