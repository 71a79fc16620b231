import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { access, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { unzip } from "./unzip.ts";

export const rootDir = resolve(import.meta.dirname, "../..");

export interface BuiltPackage {
  /** The portable zip. */
  zip: string;
  /** The same, unpacked. */
  folder: string;
  /** Path of plugin.mjs in the folder. */
  plugin: string;
}

const run = promisify(execFile);
const cache = join(rootDir, "node_modules", ".cache", "attack-path-analysis");
const PACKAGES = "packages";
const HOUR_MS = 3_600_000;

/** Runs `npm run package` with arguments; what it prints is the answer. */
export function packageCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  return script("scripts/package.ts", args, env);
}

async function script(path: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const command = ["--import", "tsx", path, ...args];
  const { stdout } = await run(process.execPath, command, { cwd: rootDir, env: { ...process.env, ...env } });
  return stdout;
}

/** Folder with all packages. Suites take theirs from it: `npm test` builds them once, before the suites start. */
export function builtPackages(): Promise<string> {
  return kept(PACKAGES, (folder) => buildInto(folder, []));
}

/**
 * The portable package, built from the sources as they are now. Test files and Jest's workers share one build: it is kept
 * under a hash of the sources.
 */
export async function builtPackage(): Promise<BuiltPackage> {
  const home = await kept("portable", async (folder) => {
    await unzip(await packageInto(folder, "portable"), join(folder, "unpacked"));
  });
  const folder = join(home, "unpacked");
  return { zip: packageIn(home, "portable"), folder, plugin: join(folder, "plugin.mjs") };
}

/** Path of the package for Google SecOps that carries Node.js, shared like the portable one. */
export async function builtGoogleSecopsZip(): Promise<string> {
  const home = await kept("google-secops", async (folder) => {
    await packageInto(folder, "google-secops");
  });
  return packageIn(home, "google-secops");
}

/** Folder of what the npm package holds in `dist/npm`, shared like the portable package. */
export function builtNpmFolder(): Promise<string> {
  return kept("npm", async (folder) => {
    const packages = await homeOf(PACKAGES);
    if (!(await exists(packages))) return buildInto(folder, [], "scripts/build.ts");
    const built = ["--strip-components=3", "package/dist/npm"];
    await run("tar", ["-xzf", packageIn(packages, "npm"), "-C", folder, ...built]);
  });
}

/** What each target writes, without the files for the platform beside it. */
const { version } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8")) as { version: string };
const FILES = {
  portable: `attack-path-analysis-${version}.zip`,
  npm: `attack-path-analysis-${version}.tgz`,
  "google-secops": `attack-path-analysis-${version}-google-secops.zip`,
  n8n: `n8n-nodes-attack-path-analysis-${version}.tgz`,
};
type PackageName = keyof typeof FILES;

/** Path of a package in a folder that it was put into. */
export function packageIn(folder: string, name: PackageName): string {
  return join(folder, FILES[name]);
}

/** Puts a package into the folder: a link to the one in the folder of all packages if that exists, else its own build. @returns its path */
export async function packageInto(folder: string, name: PackageName): Promise<string> {
  const packages = await homeOf(PACKAGES);
  const file = packageIn(folder, name);
  if (await exists(packages)) await link(packageIn(packages, name), file);
  else await buildInto(folder, ["--target", name]);
  return file;
}

async function buildInto(folder: string, args: readonly string[], path = "scripts/package.ts"): Promise<void> {
  await script(path, [...args, "--out", folder]);
}

const homes = new Map<string, Promise<string>>();

/**
 * The folder of what is built from the sources as they are when a test file first asks for it.
 *
 * @param moreSources - files and folders that it is made of besides those of a package
 */
export function kept(
  name: string,
  build: (folder: string) => Promise<void>,
  moreSources: readonly string[] = [],
): Promise<string> {
  const known = homes.get(name);
  if (known !== undefined) return known;
  const home = keptNow(name, build, moreSources);
  homes.set(name, home);
  return home;
}

/** The same, built aside and moved into place whole, so that two workers cannot see each other's halves. */
async function keptNow(
  name: string,
  build: (folder: string) => Promise<void>,
  moreSources: readonly string[],
): Promise<string> {
  const home = await homeOf(name, moreSources);
  if (await exists(home)) return home;
  await mkdir(cache, { recursive: true });
  await removeOld();
  const aside = await mkdtemp(join(cache, "building-"));
  await build(aside);
  try {
    await rename(aside, home);
  } catch (error) {
    await rm(aside, { recursive: true });
    if (!(await exists(home))) throw error;
  }
  return home;
}

/** Everything that a package is made of; what is generated is made of the rest. */
const sources = [
  "actions",
  "connectors",
  "jobs",
  "src",
  "scripts/build.ts",
  "scripts/cli.ts",
  "scripts/package.ts",
  "widgets",
  "mappings",
  "grouping-rules",
  "playbooks",
  "docs",
];
const documents = ["integration.json", "package.json", "package-lock.json", "README.md", "LICENSE", "CHANGELOG.md"];
const generated = "src/generated/";

async function homeOf(name: string, moreSources: readonly string[] = []): Promise<string> {
  return join(cache, `${await hashOf([...sources, ...documents, ...moreSources])}-${name}`);
}

async function hashOf(paths: readonly string[]): Promise<string> {
  const files = await Promise.all(paths.map((path) => filesUnder(path)));
  const hash = createHash("sha256");
  for (const file of files.flat().sort()) {
    const content = await readFile(join(rootDir, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 16);
}

async function filesUnder(path: string): Promise<string[]> {
  if (!(await stat(join(rootDir, path))).isDirectory()) return [path];
  const entries = await readdir(join(rootDir, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(rootDir.length + 1))
    .filter((file) => !file.startsWith(generated));
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    // Another worker may have removed it by now.
    const built = await stat(join(cache, basename(name))).catch(() => null);
    if (built !== null && Date.now() - built.mtimeMs > HOUR_MS)
      await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
