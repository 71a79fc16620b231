import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { builtNpmFolder, rootDir } from "./package.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

export interface NpmPackage {
  /** What `npm pack` writes. */
  tarball: Uint8Array;
  /** The files in it. */
  paths: string[];
  /** A project that has the package and the dependencies that it names installed. */
  project: string;
}

interface Packed {
  filename: string;
  files: { path: string }[];
}

const root = ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "docs"];

/** Packs the project as npm does, and installs the result without a network. */
export async function packNpmPackage(): Promise<NpmPackage> {
  const source = temporaryFolder();
  for (const path of root) await cp(join(rootDir, path), join(source, path), { recursive: true });
  await cp(await builtNpmFolder(), join(source, "dist/npm"), { recursive: true });
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--offline"], { cwd: source });
  const [packed] = JSON.parse(stdout) as [Packed];
  const tarball = join(source, packed.filename);
  const project = temporaryFolder();
  const installed = join(project, "node_modules/attack-path-analysis");
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  await linkDependencies(installed);
  return { tarball: await readFile(tarball), paths: packed.files.map(({ path }) => path), project };
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
