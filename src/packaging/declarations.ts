import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { LIBRARY } from "./bundle.ts";

const COMPILER = "node_modules/typescript-7/bin/tsc";

/**
 * The type declarations of the library and of what they refer to, by path relative to `src`.
 *
 * @throws Error when the sources do not compile
 */
export async function declarations(rootDir: string): Promise<Map<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "declarations-"));
  try {
    const emitted = join(folder, "emitted");
    const config = join(folder, "tsconfig.json");
    await writeFile(config, JSON.stringify(configOf(rootDir, emitted)));
    await promisify(execFile)(process.execPath, [join(rootDir, COMPILER), "--project", config]);
    return reachable(await filesBelow(emitted), relative("src", LIBRARY).replace(/\.ts$/, ".d.ts"));
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    throw stdout === undefined ? error : new Error(stdout.trim());
  } finally {
    await rm(folder, { recursive: true });
  }
}

function configOf(rootDir: string, outDir: string): object {
  return {
    extends: join(rootDir, "tsconfig.json"),
    compilerOptions: {
      ...{ types: ["node"], typeRoots: [join(rootDir, "node_modules", "@types")] },
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true },
      ...{ rootDir: join(rootDir, "src"), outDir },
    },
    files: [join(rootDir, LIBRARY)],
    // Some dependencies have no types of their own: ours are found by their place only.
    include: [join(rootDir, "src/**/*.d.ts")],
    exclude: [],
  };
}

async function filesBelow(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const declared = names.filter((name) => name.endsWith(".d.ts"));
  return new Map(
    await Promise.all(
      declared.map(
        async (name) =>
          [name.split(sep).join("/"), withEmittedNames(await readFile(join(folder, name), "utf8"))] as const,
      ),
    ),
  );
}

/** `./errors.ts` has become `./errors.d.ts`, which imports name `./errors.js`. */
function withEmittedNames(text: string): string {
  return text.replace(/(["'])(\.\.?\/[^"']+)\.ts\1/g, "$1$2.js$1");
}

/** The files that a file refers to, directly or not, and itself. */
function reachable(files: ReadonlyMap<string, string>, start: string): Map<string, string> {
  const found = new Map<string, string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = files.get(path);
    if (text === undefined) throw new Error(`The types refer to ${path}, which does not exist`);
    found.set(path, text);
    for (const [, target = ""] of text.matchAll(/["'](\.\.?\/[^"']+)\.js["']/g)) {
      const file = `${new URL(target, `file:///${path}`).pathname.slice(1)}.d.ts`;
      if (!found.has(file)) waiting.push(file);
    }
  }
  return found;
}
