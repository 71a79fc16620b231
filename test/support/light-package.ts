import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { builtPackage } from "./package.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { zipOf } from "./zip.ts";

/** The files of the built package without their checksums, by path. */
export async function packagedFiles(): Promise<Map<string, string>> {
  const { folder } = await builtPackage();
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const held = paths.filter((path) => path !== "SHA256SUMS" && statSync(join(folder, path)).isFile());
  return new Map(held.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** The text of a manifest with short schemas of results. A host compiles the schemas when it reads a manifest, which takes most of a short run. */
export function withShortSchemas(manifest: string): string {
  const parsed = JSON.parse(manifest) as { actions: { result: object }[] };
  const actions = parsed.actions.map((action) => ({
    ...action,
    result: { ...action.result, schema: { type: "object" } },
  }));
  return JSON.stringify({ ...parsed, actions });
}

/** The path of the built package with short schemas of results, for suites that start many hosts. */
export async function lightPackage(): Promise<string> {
  const files = await packagedFiles();
  files.set("integration.json", withShortSchemas(files.get("integration.json")!));
  const path = join(temporaryFolder(), basename((await builtPackage()).zip));
  writeFileSync(path, zipOf(files));
  return path;
}
