import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { manifest } from "../../src/generated/manifest.ts";
import { bundleEmbedded } from "../../src/packaging/bundle.ts";
import { kept, rootDir } from "./package.ts";
import type { Program } from "./plugin-run.ts";

const FILE = "program.mjs";

/**
 * The program that `plugin.mjs` holds, bundled in the same way, for runs in this process: such a run takes a fraction of the
 * processor time that it takes to start Node.
 */
export async function builtProgram(): Promise<Program> {
  const folder = await kept("program", async (aside) => {
    await writeFile(join(aside, FILE), (await bundleEmbedded(rootDir, manifest)).code);
  });
  return (await import(pathToFileURL(join(folder, FILE)).href)) as Program;
}
