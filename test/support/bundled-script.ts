import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { afterSuite } from "./cleanup.ts";
import { rootDir } from "./package.ts";

/** Packages that do not work inside a bundle: three have binaries of their own, two look for their own files. */
const OUTSIDE = ["@stryker-mutator/core", "esbuild", "libsql", "oxfmt", "typescript"];
/** A script may import the function by its own name. */
const CREATE_REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

export interface BundledScriptOptions {
  /** Modules with other contents than their files have: contents by path, relative to the project. */
  instead?: Readonly<Record<string, string>>;
}

/**
 * A script of the project as one file of JavaScript, for suites that start it many times: each start then loads one file instead of translating
 * and resolving hundreds.
 *
 * @param path - relative to the project
 * @returns the path of the program, which is removed when the suite is over
 */
export async function bundledScript(path: string, options: BundledScriptOptions = {}): Promise<string> {
  const [bundled = ""] = await bundledScripts([path], options);
  return bundled;
}

/** Several scripts, which share the code that they have in common. */
export async function bundledScripts(
  paths: readonly string[],
  { instead = {} }: BundledScriptOptions = {},
): Promise<string[]> {
  // Node.js looks for the packages that are not in the bundle in the folders above it.
  const cache = join(rootDir, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, "bundled-"));
  afterSuite(() => {
    rmSync(outdir, { recursive: true, force: true });
  });
  await build({
    entryPoints: paths.map((path) => join(rootDir, path)),
    ...{ outdir, outbase: rootDir, outExtension: { ".js": ".mjs" }, bundle: true, splitting: paths.length > 1 },
    ...{ platform: "node", format: "esm", target: "node20", logLevel: "warning" },
    external: OUTSIDE,
    banner: { js: CREATE_REQUIRE },
    plugins: [sources(instead)],
  });
  return paths.map((path) => join(outdir, path.replace(/\.ts$/, ".mjs")));
}

/** Sources look for files beside themselves, not beside the bundle. */
function sources(instead: Readonly<Record<string, string>>): Plugin {
  return {
    name: "sources",
    setup(bundle) {
      bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = instead[relative(rootDir, path)] ?? (await readFile(path, "utf8"));
        return { contents: source.replaceAll("import.meta.dirname", JSON.stringify(dirname(path))), loader: "ts" };
      });
    },
  };
}
