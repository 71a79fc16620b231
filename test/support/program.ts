import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { modulesLiteral } from "../../src/codegen/manifest.ts";
import { manifest } from "../../src/generated/manifest.ts";
import { bundlePlugin } from "../../src/packaging/bundle.ts";
import { replaceFile } from "../../src/packaging/files.ts";
import { kept, rootDir } from "./package.ts";
import type { Program } from "./plugin-run.ts";

const FILE = "plugin.mjs";

/** Starts nothing, unlike the plugin's own entry. */
const SOURCE = `export { run } from "./src/runtime/run.ts";
export { manifest } from "./src/generated/manifest.ts";
export const modules = ${modulesLiteral(manifest, ".")};
`;

/**
 * The program that `plugin.mjs` holds, bundled in the same way, for runs in this process: such a run takes a fraction of the
 * processor time that it takes to start Node.
 */
export async function builtProgram(): Promise<Program> {
  const write = async (aside: string): Promise<void> => {
    const { files } = await bundlePlugin(rootDir, manifest, SOURCE);
    for (const { path, content } of files) await replaceFile(join(aside, path), content);
  };
  const folder = await kept("program", write, ["test/support/program.ts"]);
  return (await import(pathToFileURL(join(folder, FILE)).href)) as Program;
}
