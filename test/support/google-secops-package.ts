import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HOST_CONTRACT_PATH } from "../../src/codegen/record-types.ts";
import { readSourceProject } from "../../src/manifest/project.ts";
import { googleSecopsAgent } from "../../src/packaging/google-secops/index.ts";
import { buildWidgets } from "../../src/packaging/google-secops/widgets.ts";
import type { BuildContext } from "../../src/packaging/target.ts";
import { rootDir } from "./package.ts";
import { readZip, type ZipEntry } from "./unzip.ts";

/** What the target builds from, with any plugin instead of the bundled one. */
export async function buildContext(plugin: string | Uint8Array): Promise<BuildContext> {
  const changelog = await readFile(join(rootDir, "CHANGELOG.md"));
  return {
    rootDir,
    project: await readSourceProject(rootDir),
    bundle: { files: [{ path: "plugin.mjs", content: Buffer.from(plugin) }], sources: new Map(), outputs: {} },
    packages: { packages: [], direct: [] },
    playbooks: [],
    widgets: await buildWidgets(rootDir),
    documents: [
      { path: "CHANGELOG.md", content: changelog },
      { path: "LICENSE", content: "Apache-2.0" },
      { path: HOST_CONTRACT_PATH, content: "{}" },
      { path: "THIRD-PARTY-LICENSES.txt", content: "" },
      { path: "sbom.cdx.json", content: '{"bomFormat":"CycloneDX"}' },
    ],
  };
}

/** The bytes of the package without Node.js. */
export async function buildZip(context: BuildContext): Promise<Buffer> {
  const built = await googleSecopsAgent.build(context);
  const zip = built.find(({ path }) => path.endsWith("-google-secops-agent.zip"));
  if (zip === undefined) throw new Error(`No package among ${built.map(({ path }) => path).join(", ")}`);
  return Buffer.from(zip.content);
}

/** The files in the package. */
export async function packageEntries(context: BuildContext): Promise<ZipEntry[]> {
  return readZip(await buildZip(context));
}

/** The files in a zip or a wheel, by path. */
export async function entriesOf(content: string | Uint8Array): Promise<Map<string, ZipEntry>> {
  const entries = await readZip(Buffer.from(content));
  return new Map(entries.map((entry) => [entry.path, entry]));
}
