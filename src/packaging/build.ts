import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSourceProject } from "../manifest/project.ts";
import { bundlePlugin } from "./bundle.ts";
import { replaceFile, sha256 } from "./files.ts";
import { thirdPartyLicences } from "./licences.ts";
import { readDocuments } from "./documents.ts";
import { bundledPackages } from "./packages.ts";
import { billOfMaterials } from "./sbom.ts";
import type { BuildContext, PackageFile, Target } from "./target.ts";

export interface BuildOptions {
  /** The project. */
  rootDir: string;
  /** Where the packages go; it is made when it does not exist. */
  outDir: string;
  targets: readonly Target[];
}

export interface Artefact {
  path: string;
  bytes: number;
  /** SHA-256 in hexadecimal. */
  sha256: string;
}

/** Builds the packages of the targets, all or none; the same sources give the same bytes. */
export async function buildPackages(options: BuildOptions): Promise<Artefact[]> {
  const context = await prepare(options);
  // Two packages for one platform bring the same files along.
  const files = new Map<string, Uint8Array>();
  for (const target of options.targets) {
    for (const { path, content } of await target.build(context)) files.set(join(options.outDir, path), content);
  }
  const artefacts: Artefact[] = [];
  for (const [path, content] of files) {
    await replaceFile(path, content);
    artefacts.push({ path, bytes: content.byteLength, sha256: sha256(content) });
  }
  return artefacts;
}

async function prepare({ rootDir }: BuildOptions): Promise<BuildContext> {
  const project = await readSourceProject(rootDir);
  const bundle = await bundlePlugin(rootDir, project.manifest);
  const packages = await bundledPackages(rootDir, bundle);
  const read = async (path: string): Promise<PackageFile> => ({ path, content: await readFile(join(rootDir, path)) });
  const documents = [
    ...(await readDocuments(rootDir)),
    { path: "THIRD-PARTY-LICENSES.txt", content: await thirdPartyLicences(rootDir, "plugin.mjs", packages.packages) },
    { path: "sbom.cdx.json", content: billOfMaterials(project.manifest, packages) },
  ];
  const playbooks = await Promise.all(project.manifest.playbooks.map(read));
  return { rootDir, project, bundle, packages, documents, playbooks };
}
