import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildContext, packageEntries } from "../support/google-secops-package.ts";
import { builtPackage, kept } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { needs } from "../support/tools.ts";
import { readZip, unzip, type ZipEntry } from "../support/unzip.ts";

/** The Python that runs the scripts. */
export const python = needs("python3");

/** The SDK that the scripts import: a stand-in, unless SOAR_SDK_PATH names the folder of another one. */
export const soarSdk = process.env["SOAR_SDK_PATH"] ?? join(import.meta.dirname, "soar_sdk_stand_in");

export const isStandInSdk = process.env["SOAR_SDK_PATH"] === undefined;

export type ScriptKind = "action" | "connector" | "job";

const FOLDERS: Record<ScriptKind, string> = {
  action: "ActionsScripts",
  connector: "ConnectorsScripts",
  job: "JobsScrips",
};

/** The package as the platform installs it: scripts, managers in the working directory, wheels in site-packages. */
export interface Installation {
  folder: string;
  sitePackages: string;
  script(kind: ScriptKind, stem: string): string;
}

/** Installs the package without Node.js, with this plugin in it. */
export async function install(plugin: string | Uint8Array): Promise<Installation> {
  // Test files and runs share the package without a plugin.
  const installed = await kept("google-secops-installed", async (folder) => {
    await unpack(await packageEntries(await buildContext("")), folder);
  });
  const installation = installationIn(newFolder());
  await cp(installed, installation.folder, { recursive: true });
  await writeFile(join(await runtimeIn(installation), "plugin.mjs"), plugin);
  return installation;
}

/** Installs the same with the built plugin in it. */
export async function installBuilt(): Promise<Installation> {
  const installation = await install("");
  const { folder } = await builtPackage();
  const runtime = await runtimeIn(installation);
  for (const name of ["plugin.mjs", "plugin"]) await cp(join(folder, name), join(runtime, name), { recursive: true });
  return installation;
}

/** The folder of the Python package that holds the plugin. */
export async function runtimeIn({ sitePackages }: Installation): Promise<string> {
  const [name = ""] = (await readdir(sitePackages)).filter((each) => /_runtime_[0-9a-f]{8}$/.test(each));
  return join(sitePackages, name);
}

/** A program in the place of Node.js, for what the launcher alone decides: it keeps the request and writes what a test says. */
export interface StandInNode extends Installation {
  /** Makes the launcher take this program. */
  env: { NODE_BINARY: string };
  /** What it writes from now on. `then` is shell code that runs after that. */
  says(messages: readonly object[], then?: string): Promise<void>;
  /** The request that it was given last. */
  heard(): Promise<Record<string, unknown>>;
  /** The certificates that it was told to trust, in PEM. */
  trusted(): Promise<string>;
}

/** Installs the package without a plugin, and such a program. It takes a fraction of the processor time that Node.js takes. */
export async function installStandInNode(): Promise<StandInNode> {
  const installation = await install("");
  const folder = join(installation.folder, "stand-in-node");
  const program = join(folder, "node");
  const ready = `echo '{"type":"ready"}'`;
  const says: StandInNode["says"] = async (messages, then = "") => {
    await writeFile(join(folder, "messages"), messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    const trust = 'cat "${NODE_EXTRA_CA_CERTS:-/dev/null}" > trusted';
    const steps = ["#!/bin/sh", `cd ${folder}`, ready, "cat > request", trust, "cat messages", then, ""];
    await writeFile(program, steps.join("\n"), { mode: 0o755 });
  };
  const heard = async () => JSON.parse(await readFile(join(folder, "request"), "utf8")) as Record<string, unknown>;
  const trusted = () => readFile(join(folder, "trusted"), "utf8");
  await mkdir(folder);
  await says([]);
  return { ...installation, env: { NODE_BINARY: program }, says, heard, trusted };
}

/** Installs a package that was built. */
export async function installZip(zip: string): Promise<Installation> {
  const installation = installationIn(newFolder());
  await unpack(await readZip(zip), installation.folder);
  return installation;
}

function newFolder(): string {
  return temporaryFolder("attack_path_analysis_V1-");
}

async function unpack(entries: readonly ZipEntry[], folder: string): Promise<void> {
  const { sitePackages } = installationIn(folder);
  for (const { path, content } of entries) {
    if (path.endsWith(".whl")) await unzip(content, sitePackages);
    else await put(join(folder, path.replace(/^Managers\//, "")), content);
  }
}

function installationIn(folder: string): Installation {
  return {
    folder,
    sitePackages: join(folder, "lib", "python3", "site-packages"),
    script: (kind, stem) => join(folder, FOLDERS[kind], `${stem}.py`),
  };
}

async function put(file: string, content: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
