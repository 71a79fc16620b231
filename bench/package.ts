import { join, resolve } from "node:path";
import { unpackPackage } from "../sandbox/soar/index.ts";
import { buildPackages } from "../src/packaging/build.ts";
import { portable } from "../src/packaging/portable.ts";

const rootDir = resolve(import.meta.dirname, "..");

/** Builds the portable package and unpacks it below `folder`, as a host would; returns where `plugin.mjs` lies. */
export async function installPackage(folder: string): Promise<string> {
  const [artefact] = await buildPackages({ rootDir, outDir: join(folder, "dist"), targets: [portable] });
  if (artefact === undefined) throw new Error("The build made no package.");
  return (await unpackPackage(artefact.path, join(folder, "packages"))).folder;
}
