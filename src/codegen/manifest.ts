import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadManifest } from "../manifest/load.ts";
import type { Manifest } from "../manifest/manifest.ts";

/** Writes `manifest.ts`: integration.json as a literal, so that names and parameter types can be derived from it. */
export async function generateManifest(rootDir: string, outDir: string): Promise<void> {
  const manifest = loadManifest(await readFile(join(rootDir, "integration.json"), "utf8"));
  await writeFile(join(outDir, "manifest.ts"), `// Generated from integration.json.\n${manifestModule(manifest)}`);
}

/** The module that the plugin imports its manifest from. */
export function manifestModule(manifest: Manifest): string {
  return `export const manifest = ${JSON.stringify(manifest, null, 2)} as const;\n`;
}
