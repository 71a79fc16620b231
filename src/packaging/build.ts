import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readSourceProject } from "../manifest/project.ts";
import { bundlePlugin } from "./bundle.ts";
import { sha256 } from "./checksums.ts";
import { thirdPartyLicences } from "./licences.ts";
import { bundledPackages } from "./packages.ts";
import { billOfMaterials } from "./sbom.ts";
import type { BuildContext, PackageFile, Target } from "./target.ts";

export interface BuildOptions {
  /** The project. */
  rootDir: string;
  /** Where the packages go; it is made when it does not exist. */
  outDir: string;
  targets: readonly Target[];
  /** Values of the targets' own options. */
  options?: BuildContext["options"];
}

export interface Artefact {
  path: string;
  bytes: number;
  /** SHA-256 in hexadecimal. */
  sha256: string;
}

/** Builds the packages of the targets; the same sources give the same bytes. */
export async function buildPackages(options: BuildOptions): Promise<Artefact[]> {
  const context = await prepare(options);
  const artefacts: Artefact[] = [];
  for (const target of options.targets) {
    for (const { path, content } of await target.build(context)) {
      const file = join(options.outDir, path);
      await replace(file, content);
      artefacts.push({ path: file, bytes: content.byteLength, sha256: sha256(content) });
    }
  }
  return artefacts;
}

async function prepare({ rootDir, options = {} }: BuildOptions): Promise<BuildContext> {
  const project = await readSourceProject(rootDir);
  const bundle = await bundlePlugin(rootDir, project.manifest);
  const packages = await bundledPackages(rootDir, bundle);
  const read = async (path: string): Promise<PackageFile> => ({ path, content: await readFile(join(rootDir, path)) });
  const documents = [
    ...(await Promise.all(["README.md", "LICENSE", "CHANGELOG.md"].map(read))),
    { path: "THIRD-PARTY-LICENSES.txt", content: await thirdPartyLicences(rootDir, packages.packages) },
    { path: "sbom.cdx.json", content: billOfMaterials(project.manifest, packages) },
  ];
  const playbooks = await Promise.all(project.manifest.playbooks.map(read));
  return { rootDir, project, bundle, packages, documents, playbooks, options };
}

/** A reader of the file sees the old one or the new one, never half of it. */
async function replace(file: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}.partial`;
  await writeFile(partial, content);
  await rename(partial, file);
}
