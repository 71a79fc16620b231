import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bundle } from "./bundle.ts";

/** An npm package that the bundle holds code of. */
export interface BundledPackage {
  /** Folder relative to the project, such as `node_modules/axios`. */
  folder: string;
  name: string;
  version: string;
  /** SPDX licence expression. */
  licence: string;
  /** Package URL, such as `pkg:npm/axios@1.2.3`. */
  purl: string;
  /** SHA-512 of the published archive in hexadecimal, as the lock file pins it. */
  sha512: string;
  /** Folders of the bundled packages that it imports. */
  imports: string[];
}

export interface BundledPackages {
  /** Sorted by package URL. */
  packages: BundledPackage[];
  /** Folders of the packages that the plugin's own code imports. */
  direct: string[];
}

/** Finds the packages of a bundle from the files that are really in it. */
export async function bundledPackages(rootDir: string, bundle: Pick<Bundle, "sources">): Promise<BundledPackages> {
  const imports = new Map<string, Set<string>>();
  for (const [source, targets] of bundle.sources) {
    const folder = packageFolder(source);
    const known = imports.get(folder) ?? new Set();
    imports.set(folder, known);
    for (const target of targets) {
      const other = packageFolder(target);
      if (other !== folder && other !== OWN && bundle.sources.has(target)) known.add(other);
    }
  }
  const lock = JSON.parse(await readFile(join(rootDir, "package-lock.json"), "utf8")) as LockFile;
  const folders = [...imports.keys()].filter((folder) => folder !== OWN);
  const packages = await Promise.all(
    folders.map((folder) => describe(rootDir, folder, lock, [...(imports.get(folder) ?? [])].sort())),
  );
  return {
    packages: packages.sort((a, b) => (a.purl < b.purl ? -1 : 1)),
    direct: [...(imports.get(OWN) ?? [])].sort(),
  };
}

/** The plugin's own code. */
const OWN = "";

interface LockFile {
  packages: Record<string, { integrity?: string } | undefined>;
}

/** `node_modules/a/node_modules/@b/c/lib/d.js` belongs to `node_modules/a/node_modules/@b/c`. */
function packageFolder(source: string): string {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? OWN;
}

async function describe(rootDir: string, folder: string, lock: LockFile, imports: string[]): Promise<BundledPackage> {
  const text = await readFile(join(rootDir, folder, "package.json"), "utf8");
  const { name, version, license } = JSON.parse(text) as { name: string; version: string; license?: unknown };
  if (typeof license !== "string") throw new Error(`${folder}/package.json names no licence as an SPDX expression`);
  const integrity = lock.packages[folder]?.integrity;
  if (!integrity?.startsWith("sha512-")) throw new Error(`package-lock.json does not pin ${folder} by SHA-512`);
  return {
    folder,
    name,
    version,
    licence: license,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    sha512: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex"),
    imports,
  };
}
