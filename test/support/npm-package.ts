import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { COMMAND_LINE, npmTarball } from "../../src/packaging/npm.ts";
import { filesInTarball } from "../../src/packaging/tarball.ts";
import type { PackageFile } from "../../src/packaging/target.ts";
import { builtNpmFolder, rootDir } from "./package.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

export interface NpmPackage {
  /** What `npm run package` writes. */
  tarball: Uint8Array;
  /** The files in it. */
  paths: string[];
  /** A project that has the package and the dependencies that it names installed. */
  project: string;
}

/** Packs the project as `npm run package` does, and installs the result without a network. */
export async function packNpmPackage(): Promise<NpmPackage> {
  const tarball = await npmTarball(rootDir, await builtFiles());
  const project = temporaryFolder();
  const installed = join(project, "node_modules/attack-path-analysis");
  await mkdir(installed, { recursive: true });
  const file = join(project, "package.tgz");
  await writeFile(file, tarball);
  await run("tar", ["-xzf", file, "-C", installed, "--strip-components=1"]);
  await linkDependencies(installed);
  return { tarball, paths: filesInTarball(tarball).map(({ path }) => relative("package", path)), project };
}

async function builtFiles(): Promise<PackageFile[]> {
  const folder = await builtNpmFolder();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => ({
      path: relative(folder, path),
      content: await readFile(path),
      executable: path.endsWith(COMMAND_LINE),
    })),
  );
}

/** Links to the installed packages, so that what package.json does not name cannot be imported. */
async function linkDependencies(installed: string): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  await mkdir(join(installed, "node_modules"));
  for (const name of Object.keys(dependencies)) {
    await symlink(join(rootDir, "node_modules", name), join(installed, "node_modules", name), "dir");
  }
}
