import { readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { readSourceProject } from "../manifest/project.ts";
import { bundlePlugin } from "./bundle.ts";
import { checksums, replaceFile, replaceFolder, sha256 } from "./files.ts";
import { buildWidgets } from "./google-secops/widgets.ts";
import { thirdPartyLicences } from "./licences.ts";
import { readDocuments } from "./documents.ts";
import { bundledPackages } from "./bundled-packages.ts";
import { billOfMaterials } from "./sbom.ts";
import type { BuildContext, BuiltPackage, PackageFile, Target } from "./target.ts";

export interface BuildOptions {
  /** The project. */
  rootDir: string;
  /** Where the packages go; it is made when it does not exist. */
  outDir: string;
  targets: readonly Target[];
}

export interface Artefact {
  /** A folder ends with a separator. */
  path: string;
  bytes: number;
  /** SHA-256 in hexadecimal; of a folder, over the checksums of its files as `sha256sum` writes them. */
  sha256: string;
}

/** Builds the packages of the targets, all or none; the same sources give the same bytes. */
export async function buildPackages(options: BuildOptions): Promise<Artefact[]> {
  const context = await prepare(options);
  // Two packages for one platform bring the same files along.
  const files = new Map<string, Uint8Array>();
  const folders = new Map<string, BuiltPackage[]>();
  for (const target of options.targets) {
    const built = await target.build(context);
    const folder = target.folder?.(context.project.manifest);
    if (folder !== undefined) folders.set(join(options.outDir, folder), built);
    else for (const { path, content } of built) files.set(join(options.outDir, path), content);
  }
  const artefacts: Artefact[] = [];
  for (const [path, content] of files) {
    await replaceFile(path, content);
    artefacts.push({ path, bytes: content.byteLength, sha256: sha256(content) });
  }
  for (const [path, built] of folders) {
    await replaceFolder(path, built);
    const bytes = built.reduce((sum, { content }) => sum + content.byteLength, 0);
    artefacts.push({ path: `${path}${sep}`, bytes, sha256: sha256(checksums(built)) });
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
    {
      path: "THIRD-PARTY-LICENSES.txt",
      content: await thirdPartyLicences(rootDir, "plugin.mjs and the files in plugin/", packages.packages),
    },
    { path: "sbom.cdx.json", content: billOfMaterials(project.manifest, packages) },
  ];
  const playbooks = await Promise.all(project.manifest.playbooks.map(read));
  return { rootDir, project, bundle, packages, documents, playbooks, widgets: await buildWidgets(rootDir) };
}
