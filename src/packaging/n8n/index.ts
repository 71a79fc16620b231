import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { kebabCase } from "../../manifest/rules.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { bundleN8n } from "../bundle.ts";
import { withoutDeadLinks } from "../documents.ts";
import { N8N_WORKFLOW } from "../entry.ts";
import { thirdPartyLicences } from "../licences.ts";
import { bundledPackages } from "../bundled-packages.ts";
import { billOfMaterials } from "../sbom.ts";
import { tarball } from "../tarball.ts";
import type { BuildContext, PackageFile, Target } from "../target.ts";

/** The community package for n8n: a credential, a node and a trigger, with the plugin inside. */
export const n8n: Target = {
  name: "n8n",
  async build(context) {
    const { manifest } = context.project;
    const files = await packageFiles(context);
    const content = await tarball(files.map((file) => ({ ...file, path: posix.join("package", file.path) })));
    return [{ path: `${packageNameOf(manifest)}-${manifest.version}.tgz`, content }];
  },
};

const BUNDLE = "dist/plugin.js";
const ICON = "attack-path-analysis.svg";
const NODES = "dist/nodes/AttackPathAnalysis";
const CREDENTIALS = "dist/credentials";

/** n8n loads a file and takes the class that has its name. */
const loaded = {
  nodes: [`${NODES}/AttackPathAnalysis.node.js`, `${NODES}/AttackPathAnalysisTrigger.node.js`],
  credentials: [`${CREDENTIALS}/AttackPathAnalysisApi.credentials.js`],
};

/** n8n recognises community packages by this prefix. */
function packageNameOf({ identifier }: Manifest): string {
  return `n8n-nodes-${kebabCase(identifier)}`;
}

async function packageFiles({ rootDir, project: { manifest }, documents }: BuildContext): Promise<PackageFile[]> {
  const bundle = await bundleN8n(rootDir, manifest, BUNDLE);
  const packages = await bundledPackages(rootDir, bundle);
  const icon = await readFile(join(rootDir, "src/packaging/google-secops/assets/logo.svg"));
  const text = (name: string) => documents.filter(({ path }) => path === name);
  const guide = withoutDeadLinks([...text("docs/n8n.md")]).map((file) => ({ ...file, path: "README.md" }));
  return [
    { path: "package.json", content: json(packageJson(manifest)) },
    ...guide,
    ...text("LICENSE"),
    ...text("CHANGELOG.md"),
    {
      path: "THIRD-PARTY-LICENSES.txt",
      content: await thirdPartyLicences(rootDir, "The files in dist/", packages.packages),
    },
    { path: "sbom.cdx.json", content: billOfMaterials(manifest, packages) },
    ...bundle.files,
    ...[...loaded.nodes, ...loaded.credentials].map(classFile),
    ...loaded.nodes.map((path) => codexFile(manifest, path)),
    ...[NODES, CREDENTIALS].map((folder) => ({ path: `${folder}/${ICON}`, content: icon })),
    ...(await workflowFiles(rootDir)),
  ];
}

function packageJson(manifest: Manifest) {
  return {
    name: packageNameOf(manifest),
    version: manifest.version,
    description: manifest.description,
    license: "Apache-2.0",
    keywords: ["n8n-community-node-package"],
    homepage: manifest.documentationUrl,
    files: ["dist", "workflows", "THIRD-PARTY-LICENSES.txt", "sbom.cdx.json"],
    n8n: { n8nNodesApiVersion: 1, ...loaded },
    peerDependencies: { [N8N_WORKFLOW]: "*" },
  };
}

/** All classes are in one bundle, so that the plugin is in memory once. */
function classFile(path: string): PackageFile {
  const [name = ""] = posix.basename(path).split(".");
  const bundle = posix.relative(posix.dirname(path), BUNDLE);
  return { path, content: `"use strict";\nexports.${name} = require("./${bundle}").${name};\n` };
}

/** How the node is found in the editor. */
function codexFile(manifest: Manifest, path: string): PackageFile {
  const [name = ""] = posix.basename(path).split(".");
  const documentation = [{ url: manifest.documentationUrl }];
  const codex = {
    node: `${packageNameOf(manifest)}.${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    nodeVersion: "1.0",
    codexVersion: "1.0",
    categories: ["Development", "Analytics"],
    alias: [manifest.vendor, "BloodHound", "Active Directory", "Security", "SOAR", "Tier Zero", ...manifest.categories],
    resources: { credentialDocumentation: documentation, primaryDocumentation: documentation },
  };
  return { path: path.replace(/\.js$/, ".json"), content: json(codex) };
}

/** Workflows to import. */
async function workflowFiles(rootDir: string): Promise<PackageFile[]> {
  const folder = join(rootDir, "src/packaging/n8n/workflows");
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => ({ path: `workflows/${name}`, content: await readFile(join(folder, name)) })),
  );
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
