import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildContext, packageEntries } from "../support/google-secops-package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { needs } from "../support/tools.ts";
import { readZip, unzip, type ZipEntry } from "../support/unzip.ts";

/** The Python that runs the scripts. */
export const python = needs("python3");

/** The SDK that the scripts import: a stand-in, unless SOAR_SDK_PATH names the folder of another one. */
export const soarSdk = process.env["SOAR_SDK_PATH"] ?? join(import.meta.dirname, "soar_sdk_stand_in");

/** The package as the platform installs it: scripts, managers in the working directory, wheels in site-packages. */
export interface Installation {
  folder: string;
  sitePackages: string;
  script(kind: "action" | "connector", stem: string): string;
}

let built: Promise<ZipEntry[]> | undefined;

/** Installs the package without Node.js, with this plugin in it. */
export async function install(plugin: string | Uint8Array): Promise<Installation> {
  built ??= buildContext("").then(packageEntries);
  const installation = await installEntries(await built);
  await writeFile(join(installation.sitePackages, "attack_path_analysis_runtime", "plugin.mjs"), plugin);
  return installation;
}

/** Installs a package that was built. */
export async function installZip(zip: string): Promise<Installation> {
  return installEntries(await readZip(zip));
}

async function installEntries(entries: readonly ZipEntry[]): Promise<Installation> {
  const folder = temporaryFolder("attack_path_analysis_V1-");
  const sitePackages = join(folder, "lib", "python3", "site-packages");
  for (const { path, content } of entries) {
    if (path.endsWith(".whl")) await unzip(content, sitePackages);
    else await put(join(folder, path.replace(/^Managers\//, "")), content);
  }
  return {
    folder,
    sitePackages,
    script: (kind, stem) => join(folder, kind === "action" ? "ActionsScripts" : "ConnectorsScripts", `${stem}.py`),
  };
}

async function put(file: string, content: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
