import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe } from "@jest/globals";
import { readSourceProject } from "../../src/manifest/project.ts";
import { googleSecops } from "../../src/targets/google-secops/index.ts";
import type { BuildContext } from "../../src/targets/target.ts";
import { rootDir } from "../support/built-package.ts";
import { readZip, unzip, type ZipEntry } from "../support/unzip.ts";

/** The Python that runs the scripts; null when this machine has none. */
export const python = findPython();

function findPython(): string | null {
  const found = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return found.status === 0 ? found.stdout.trim() : null;
}

/** `describe`, skipped with a message where python3 is missing. */
export const describeWithPython = python === null ? describe.skip : describe;
if (python === null) console.warn("python3 is not installed: the tests that run Python scripts are skipped.");

/** What the target builds from, with any plugin instead of the bundled one. */
export async function buildContext(plugin: string | Uint8Array, options = {}): Promise<BuildContext> {
  const changelog = await readFile(join(rootDir, "CHANGELOG.md"));
  return {
    rootDir,
    project: await readSourceProject(rootDir),
    bundle: { code: Buffer.from(plugin), sources: new Map() },
    packages: { packages: [], direct: [] },
    playbooks: [],
    documents: [
      { path: "CHANGELOG.md", content: changelog },
      { path: "LICENSE", content: "Apache-2.0" },
      { path: "THIRD-PARTY-LICENSES.txt", content: "" },
    ],
    options,
  };
}

/** The package's bytes. */
export async function buildZip(context: BuildContext): Promise<Buffer> {
  const built = await googleSecops.build(context);
  const zip = built.find(({ path }) => path.endsWith("-google-secops.zip"));
  if (zip === undefined) throw new Error(`No package among ${built.map(({ path }) => path).join(", ")}`);
  return Buffer.from(zip.content);
}

/** The files in the package. */
export async function packageEntries(context: BuildContext): Promise<ZipEntry[]> {
  return withFile(await buildZip(context), readZip);
}

/** The files in a zip or a wheel. */
export async function entriesOf(content: string | Uint8Array): Promise<Map<string, ZipEntry>> {
  const entries = await withFile(Buffer.from(content), readZip);
  return new Map(entries.map((entry) => [entry.path, entry]));
}

async function withFile<T>(content: Buffer, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "google-secops-"));
  try {
    const file = join(folder, "content.zip");
    await writeFile(file, content);
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The package as the platform installs it: scripts, managers in the working directory, wheels in site-packages. */
export interface Installation {
  folder: string;
  sitePackages: string;
  script(kind: "action" | "connector", stem: string): string;
  remove(): Promise<void>;
}

let built: Promise<ZipEntry[]> | undefined;

/** Installs the package with this plugin in it. */
export async function install(plugin: string | Uint8Array): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), "attack_path_analysis_V1-"));
  const sitePackages = join(folder, "lib", "python3", "site-packages");
  built ??= buildContext("").then(packageEntries);
  for (const { path, content } of await built) {
    if (path.endsWith(".whl")) await withFile(content, (file) => unzip(file, sitePackages));
    else await put(join(folder, path.replace(/^Managers\//, "")), content);
  }
  await writeFile(join(sitePackages, "attack_path_analysis_runtime", "plugin.mjs"), plugin);
  return {
    folder,
    sitePackages,
    script: (kind, stem) => join(folder, kind === "action" ? "ActionsScripts" : "ConnectorsScripts", `${stem}.py`),
    remove: () => rm(folder, { recursive: true }),
  };
}

async function put(file: string, content: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
