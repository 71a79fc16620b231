import { isBuiltin } from "node:module";
import { join, relative } from "node:path";
import { build as esbuild, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import type { Manifest } from "../manifest/manifest.ts";
import { entrySource, N8N_WORKFLOW, n8nSource } from "./entry.ts";
import { manifestModule } from "../codegen/manifest.ts";
import { leaveOutForN8n, leaveOutUnused } from "./slim.ts";

/** A file of a program. */
export interface BundledFile {
  /** With forward slashes. */
  path: string;
  content: Uint8Array;
}

/** A program for Node 20 and later, with its production dependencies inside. */
export interface Bundle {
  /** The file that Node starts, and those that it loads, with paths relative to it. */
  files: readonly BundledFile[];
  /** Source files that are in the bundle, by path relative to the project, with the ones that each imports. */
  sources: ReadonlyMap<string, readonly string[]>;
  /** What each file holds and which others it loads, by path relative to the project. */
  outputs: Metafile["outputs"];
}

/** CommonJS dependencies ask for Node's own modules with `require`, which an ES module does not have. */
const requireShim = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

/** Identifiers are kept, so that a stack trace can be read; lines are short, since Node prints the whole line that threw. */
const settings = {
  // A node_modules that is a link, as in a git worktree, is named by its place in the project.
  preserveSymlinks: true,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: "eof",
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "silent",
} as const satisfies BuildOptions;

/**
 * Bundles the plugin of a manifest: `plugin.mjs`, which Node starts, and the files in `plugin/` that it loads when a run needs them. Node
 * parses a file before anything in it runs, which would be a third of a short run if there were only one.
 *
 * @param entry - source of the module that begins it
 */
export function bundlePlugin(rootDir: string, manifest: Manifest, entry = entrySource(manifest)): Promise<Bundle> {
  return bundle(rootDir, {
    ...inFiles("plugin"),
    stdin: { contents: entry, resolveDir: rootDir, sourcefile: "plugin.ts", loader: "ts" },
    plugins: [manifestPlugin(rootDir, manifest), leaveOutUnused()],
    banner: { js: requireShim },
  });
}

/** Bundles the nodes for n8n, which loads CommonJS, has n8n-workflow, and sends their requests. @param file - its name */
export function bundleN8n(rootDir: string, manifest: Manifest, file: string): Promise<Bundle> {
  return bundle(
    rootDir,
    {
      outfile: join(OUT, file),
      stdin: { contents: n8nSource(manifest), resolveDir: rootDir, sourcefile: "plugin.ts", loader: "ts" },
      plugins: [manifestPlugin(rootDir, manifest), leaveOutUnused(), leaveOutForN8n()],
      format: "cjs",
      external: [N8N_WORKFLOW],
    },
    [N8N_WORKFLOW],
  );
}

/** Bundles the command line in the same way as the plugin: `cli.mjs`, and the files in `cli/`. */
export function bundleCommandLine(rootDir: string): Promise<Bundle> {
  return bundle(rootDir, {
    ...inFiles("cli"),
    entryPoints: ["scripts/cli.ts"],
    plugins: [leaveOutUnused()],
    banner: { js: `#!/usr/bin/env node\n${requireShim}` },
  });
}

/** Bundles the library, which imports the dependencies that package.json names. */
export async function bundleLibrary(rootDir: string): Promise<Uint8Array> {
  const options: BuildOptions = { entryPoints: [LIBRARY], packages: "external", outfile: join(OUT, "index.mjs") };
  const [output] = (await run(rootDir, options)).outputFiles;
  if (output === undefined) throw new Error("esbuild wrote no bundle");
  return output.contents;
}

/** What the library exports. */
export const LIBRARY = "src/client/index.ts";

/** Where esbuild would write. */
const OUT = "bundle";

/** `<name>.mjs`, which loads the others from the folder `<name>/`. */
function inFiles(name: string): BuildOptions {
  return {
    splitting: true,
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
    entryNames: name,
    chunkNames: `${name}/[name]-[hash]`,
  };
}

/** @param provided - packages that the host has */
async function bundle(rootDir: string, options: BuildOptions, provided: readonly string[] = []): Promise<Bundle> {
  const { outputFiles, metafile } = await run(rootDir, options);
  const folder = join(rootDir, OUT);
  const files = outputFiles.map(({ path, contents }) => ({
    path: relative(folder, path).replaceAll("\\", "/"),
    content: contents,
  }));
  return { files, sources: sourcesOf(metafile, provided), outputs: metafile.outputs };
}

async function run(rootDir: string, options: BuildOptions) {
  const result = await esbuild({ ...settings, ...options, absWorkingDir: rootDir, write: false, metafile: true });
  const [warning] = result.warnings;
  if (warning !== undefined)
    throw new Error(`The bundle may not run: ${warning.text} (${warning.location?.file ?? "?"})`);
  return result;
}

/** The bundle carries the manifest that it is built for, whatever `src/generated` holds. */
function manifestPlugin(rootDir: string, manifest: Manifest): Plugin {
  const path = join(rootDir, "src", "generated", "manifest.ts");
  return {
    name: "manifest",
    setup(build) {
      build.onLoad({ filter: /[\\/]generated[\\/]manifest\.ts$/ }, (source) =>
        source.path === path ? { contents: manifestModule(manifest), loader: "ts" } : undefined,
      );
    },
  };
}

function sourcesOf(metafile: Metafile, provided: readonly string[] = []): Map<string, string[]> {
  const outputs = Object.values(metafile.outputs);
  const foreign = outputs
    .flatMap(({ imports }) => imports)
    .find(({ path }) => !isBuiltin(path) && !provided.includes(path) && !Object.hasOwn(metafile.outputs, path));
  if (foreign !== undefined) throw new Error(`${foreign.path} is imported by the bundle, and not inside it`);
  const inside = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  const imports = (path: string) => metafile.inputs[path]?.imports.map((imported) => imported.path) ?? [];
  return new Map(inside.map(([path]) => [path, imports(path)]));
}
