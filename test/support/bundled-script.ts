import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { afterSuite } from "./cleanup.ts";
import { rootDir } from "./package.ts";

/** Packages with binaries of their own. */
const NATIVE = ["esbuild", "libsql"];
const CREATE_REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * A script of the project as one file of JavaScript, for suites that start it many times: each start then loads one file instead of translating
 * and resolving hundreds.
 *
 * @param path - relative to the project
 * @returns the path of the program, which is removed when the suite is over
 */
export async function bundledScript(path: string): Promise<string> {
  // Node.js looks for the packages that are not in the bundle in the folders above it.
  const cache = join(rootDir, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bundled-"));
  afterSuite(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const outfile = join(folder, `${basename(path, ".ts")}.mjs`);
  await build({
    entryPoints: [join(rootDir, path)],
    ...{ outfile, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "warning" },
    external: NATIVE,
    banner: { js: CREATE_REQUIRE },
    plugins: [foldersOfSources],
  });
  return outfile;
}

/** Sources look for files beside themselves, not beside the bundle. */
const foldersOfSources: Plugin = {
  name: "folders-of-sources",
  setup(bundle) {
    bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      return { contents: source.replaceAll("import.meta.dirname", JSON.stringify(dirname(path))), loader: "ts" };
    });
  },
};
