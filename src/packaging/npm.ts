import { chmod, readdir, readFile, rm, stat } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { bundleCommandLine, bundleLibrary } from "./bundle.ts";
import { declarations } from "./declarations.ts";
import { thirdPartyLicences } from "./licences.ts";
import { bundledPackages } from "./bundled-packages.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { readSourceProject } from "../manifest/project.ts";
import { replaceFile } from "./files.ts";
import { billOfMaterials } from "./sbom.ts";
import { tarball } from "./tarball.ts";
import { type PackageFile, packageName, type Target } from "./target.ts";

/** The file of the command line that Node starts, and the folder with those that it loads. */
export const COMMAND_LINE = "cli.mjs";
const LOADED = "cli";

/** Where package.json expects what is built. */
const BUILT = "dist/npm";

/** What `npm install --global` takes: the command line and the library. */
export const npm: Target = {
  name: "npm",
  async build({ rootDir, project }) {
    const content = await npmTarball(rootDir, await npmFiles(rootDir, project.manifest));
    return [{ path: `${packageName(project.manifest)}.tgz`, content }];
  },
};

/**
 * The npm package, with the files that `npm pack` would take; the same files give the same bytes.
 *
 * @param built - see `npmFiles`
 */
export async function npmTarball(rootDir: string, built: readonly PackageFile[]): Promise<Buffer> {
  const { files } = JSON.parse(await readFile(join(rootDir, "package.json"), "utf8")) as { files: string[] };
  const named = ["README.md", "LICENSE", ...files.filter((path) => path !== BUILT)];
  const sources = (await Promise.all(named.map((path) => filesAt(rootDir, path)))).flat();
  sources.push({
    path: "package.json",
    content: withoutOurWork(await readFile(join(rootDir, "package.json"), "utf8")),
  });
  const inPlace = built.map((file) => ({ ...file, path: posix.join(BUILT, file.path) }));
  return tarball([...sources, ...inPlace].map((file) => ({ ...file, path: posix.join("package", file.path) })));
}

/** npm warns about scripts of a package that is installed, and nobody who installs this one has the files that they need. */
function withoutOurWork(packageJson: string): string {
  const { scripts, devDependencies, workspaces, ...published } = JSON.parse(packageJson) as Record<string, unknown>;
  return `${JSON.stringify(published, null, 2)}\n`;
}

/** Writes what the npm package holds besides the files that package.json names: library, types and command line. */
export async function buildNpmFiles(rootDir: string, outDir: string): Promise<void> {
  const { manifest } = await readSourceProject(rootDir);
  const files = await npmFiles(rootDir, manifest);
  // Files of an earlier build have other names.
  for (const folder of ["types", LOADED]) await rm(join(outDir, folder), { recursive: true, force: true });
  for (const { path, content } of files) await replaceFile(join(outDir, path), content);
  await chmod(join(outDir, COMMAND_LINE), 0o755);
}

/** Library, types, command line, and what is in it, with paths from the folder that they are built into. */
async function npmFiles(rootDir: string, manifest: Manifest): Promise<PackageFile[]> {
  const commandLine = await bundleCommandLine(rootDir);
  const bundled = await bundledPackages(rootDir, commandLine);
  const types = [...(await declarations(rootDir))].map(([path, content]) => ({
    path: posix.join("types", path),
    content,
  }));
  const licences = await thirdPartyLicences(rootDir, `${COMMAND_LINE} and the files in ${LOADED}/`, bundled.packages);
  return [
    ...types,
    { path: "index.mjs", content: await bundleLibrary(rootDir) },
    { path: "THIRD-PARTY-LICENSES.txt", content: licences },
    { path: "sbom.cdx.json", content: billOfMaterials(manifest, bundled) },
    ...commandLine.files.map((file) => ({ ...file, executable: file.path === COMMAND_LINE })),
  ];
}

async function filesAt(rootDir: string, path: string): Promise<PackageFile[]> {
  if (!(await stat(join(rootDir, path))).isDirectory()) return [await fileAt(rootDir, path)];
  const entries = await readdir(join(rootDir, path), { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const prefix = join(rootDir, sep);
  return Promise.all(found.map((file) => fileAt(rootDir, file.slice(prefix.length).split(sep).join(posix.sep))));
}

async function fileAt(rootDir: string, path: string): Promise<PackageFile> {
  return { path, content: await readFile(join(rootDir, path)), executable: path.endsWith(".sh") };
}
