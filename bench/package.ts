import { join, resolve } from "node:path";
import { unpackPackage } from "../sandbox/soar/index.ts";
import { buildPortable } from "../src/packaging/portable.ts";

const rootDir = resolve(import.meta.dirname, "..");

/** Builds the portable package and unpacks it below `folder`, as a host would; returns where `plugin.mjs` lies. */
export async function installPackage(folder: string): Promise<string> {
  const { path } = await buildPortable(rootDir, join(folder, "dist"));
  return (await unpackPackage(path, join(folder, "packages"))).folder;
}
