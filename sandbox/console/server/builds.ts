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
    (await portableZips(folder)).map(async (file): Promise<BuiltPackage | null> => {
      const path = join(folder, file);
      try {
        const { mtimeMs, size } = await stat(path);
        const version = PORTABLE.exec(file)?.[1] ?? "";
        return { file, version, sha256: await hashOf(path, size, mtimeMs), bytes: size, builtAt: Math.round(mtimeMs) };
      } catch {
        // A build may be replacing it. Many pages ask for this list, and none of them should fail because of one file.
        return null;
      }
    }),
  );
  return built.filter((known) => known !== null).sort((a, b) => b.builtAt - a.builtAt);
}

/** By path: many pages ask for the list, and a zip rarely changes. */
const hashes = new Map<string, { size: number; mtimeMs: number; hash: string }>();

async function hashOf(path: string, size: number, mtimeMs: number): Promise<string> {
  const known = hashes.get(path);
  if (known?.size === size && known.mtimeMs === mtimeMs) return known.hash;
  const hash = sha256(await readFile(path));
  hashes.set(path, { size, mtimeMs, hash });
  return hash;
}

/** The bytes of an upload, or of a built package by its name. */
export async function archiveOf(folder: string, built: string | undefined, upload: Blob | null): Promise<Buffer> {
  if (upload !== null) return Buffer.from(await upload.arrayBuffer());
  if (built === undefined) throw new Refusal(400, "Choose a zip to upload, or one that is built.");
  if (!(await portableZips(folder)).includes(built))
    throw new Refusal(404, `There is no built package ${built.slice(0, 100)}. Run npm run package.`);
  return readFile(join(folder, built));
}
