import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../src/packaging/files.ts";
import type { BuiltPackage } from "../contract/index.ts";
import { Refusal } from "./problems.ts";

/** Zips of the portable target; those for a platform say so behind the version. */
const PORTABLE = /^[a-z0-9-]+?-(\d+\.\d+\.\d+(?:-[0-9a-z.]+)?)\.zip$/;
const FOR_A_PLATFORM = /google-secops/;

async function portableZips(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => PORTABLE.test(name) && !FOR_A_PLATFORM.test(name));
}

/** The built packages in a folder, the newest first. */
export async function builtPackages(folder: string): Promise<BuiltPackage[]> {
  const built = await Promise.all(
    (await portableZips(folder)).map(async (file) => {
      const path = join(folder, file);
      const [{ mtimeMs }, content] = await Promise.all([stat(path), readFile(path)]);
      const version = PORTABLE.exec(file)?.[1] ?? "";
      return { file, version, sha256: sha256(content), bytes: content.length, builtAt: Math.round(mtimeMs) };
    }),
  );
  return built.sort((a, b) => b.builtAt - a.builtAt);
}

/** The bytes of an upload, or of a built package by its name. */
export async function archiveOf(folder: string, built: string | undefined, upload: Blob | null): Promise<Buffer> {
  if (upload !== null) return Buffer.from(await upload.arrayBuffer());
  if (built === undefined) throw new Refusal(400, "Choose a zip to upload, or one that is built.");
  if (!(await portableZips(folder)).includes(built))
    throw new Refusal(404, `There is no built package ${built.slice(0, 100)}. Run npm run package.`);
  return readFile(join(folder, built));
}
