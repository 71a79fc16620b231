import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadManifest } from "../manifest/load.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { replaceFile } from "../packaging/files.ts";

/**
 * Writes `manifest.ts`, integration.json as a literal, so that names and parameter types can be derived from it; and `modules.ts`,
 * the entry points that it declares.
 */
export async function generateManifest(rootDir: string, outDir: string): Promise<void> {
  const manifest = loadManifest(await readFile(join(rootDir, "integration.json"), "utf8"));
  await Promise.all([
    replaceFile(join(outDir, "manifest.ts"), HEADER + manifestModule(manifest)),
    replaceFile(join(outDir, "modules.ts"), HEADER + modulesModule(manifest)),
  ]);
}

const HEADER = "// Generated from integration.json.\n";

function modulesModule(manifest: Manifest): string {
  return `import type { PluginModules } from "../runtime/modules.ts";

export const modules: PluginModules = ${modulesLiteral(manifest, "../..")};
`;
}

/**
 * An object that imports each declared entry point when it is asked for.
 *
 * @param root - the project's root, as the module that holds the object names it
 */
export function modulesLiteral({ actions, connectors, jobs }: Manifest, root: string): string {
  return `{ actions: ${imports(actions, root)}, connectors: ${imports(connectors, root)}, jobs: ${imports(jobs, root)} }`;
}

function imports(declared: readonly { name: string; entry: string }[], root: string): string {
  const lines = declared.map(
    ({ name, entry }) => `${JSON.stringify(name)}: () => import(${JSON.stringify(`${root}/${entry}`)})`,
  );
  return `{ ${lines.join(", ")} }`;
}

/** The module that the plugin imports its manifest from. */
export function manifestModule(manifest: Manifest): string {
  return `export const manifest = ${JSON.stringify(manifest, null, 2)} as const;\n`;
}
