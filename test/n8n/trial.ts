import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type DatasetOptions, startTenant, type Tenant } from "../../sandbox/tenant/index.ts";
import { CANARY } from "../support/canary.ts";
import { type Clock, systemClock } from "../../src/clock.ts";
import type { Workflow } from "./api.ts";
import type { InstalledN8n } from "./install.ts";

const run = promisify(execFile);

/** The project. */
export const rootDir = resolve(import.meta.dirname, "../..");
const TOKEN = { id: "5bd1c8a0-6c04-4d0c-9d6f-0f9be6f4a001", key: CANARY };

/** What every trial needs. */
export interface Trial {
  installed: InstalledN8n;
  /** Path of the package. */
  tarball: string;
  say: (line: string) => void;
}

/** Lends a tenant whose token key is the canary. */
export async function withTenant(
  dataset: DatasetOptions,
  use: (tenant: Tenant) => Promise<void>,
  clock: Clock = systemClock,
): Promise<void> {
  const tenant = await startTenant({ dataset, tokens: [TOKEN], clock });
  try {
    await use(tenant);
  } finally {
    await tenant.close();
  }
}

/** The fields of the credential. */
export function credentialData({ url, tokenId, tokenKey }: Tenant) {
  return { server: url, tokenId, tokenKey };
}

/** An example workflow of the package. */
export async function exampleWorkflow(name: string): Promise<Workflow> {
  return JSON.parse(await readFile(join(rootDir, `src/packaging/n8n/workflows/${name}.json`), "utf8")) as Workflow;
}

/** The same package under a higher version. */
export async function nextVersion(tarball: string): Promise<string> {
  const folder = dirname(tarball);
  await run("tar", ["-xzf", tarball, "-C", folder]);
  const path = join(folder, "package/package.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as { version: string };
  await writeFile(path, JSON.stringify({ ...manifest, version: "99.0.0" }));
  const { stdout } = await run("npm", ["pack", "--silent", join(folder, "package")], { cwd: folder });
  return join(folder, stdout.trim());
}
