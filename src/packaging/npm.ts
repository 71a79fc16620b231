import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { bundleCommandLine, bundleLibrary } from "./bundle.ts";
import { declarations } from "./declarations.ts";
import { thirdPartyLicences } from "./licences.ts";
import { bundledPackages } from "./packages.ts";
import { replaceFile } from "./files.ts";

/** The file of the command line that Node starts, and the folder with those that it loads. */
export const COMMAND_LINE = "cli.mjs";
const LOADED = "cli";

/** Writes what the npm package holds besides the files that package.json names: library, types and command line. */
export async function buildNpmFiles(rootDir: string, outDir: string): Promise<void> {
  const commandLine = await bundleCommandLine(rootDir);
  const { packages } = await bundledPackages(rootDir, commandLine);
  const types = declarations(rootDir);
  await rm(join(outDir, "types"), { recursive: true, force: true });
  for (const [path, content] of types) await replaceFile(join(outDir, "types", path), content);
  await replaceFile(join(outDir, "index.mjs"), await bundleLibrary(rootDir));
  await replaceFile(
    join(outDir, "THIRD-PARTY-LICENSES.txt"),
    await thirdPartyLicences(rootDir, COMMAND_LINE, packages),
  );
  // Files of an earlier build have other names.
  await rm(join(outDir, LOADED), { recursive: true, force: true });
  for (const [path, content] of commandLine.files) await replaceFile(join(outDir, path), content);
  await chmod(join(outDir, COMMAND_LINE), 0o755);
}
