import { join, relative, sep } from "node:path";
import ts from "typescript";
import { LIBRARY } from "./bundle.ts";

/**
 * The type declarations of the library and of what they refer to, by path relative to `src`.
 *
 * @throws Error when the sources do not compile
 */
export function declarations(rootDir: string): Map<string, string> {
  const sources = join(rootDir, "src");
  // Some dependencies have no types of their own: ours are found by their place only.
  const ambient = ts.sys.readDirectory(sources, [".d.ts"]);
  const program = ts.createProgram([join(rootDir, LIBRARY), ...ambient], optionsOf(rootDir));
  const emitted = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (path, text) => {
    emitted.set(relative(sources, path).split(sep).join("/"), withEmittedNames(text));
  });
  const [problem] = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problem !== undefined) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
  return reachable(emitted, relative("src", LIBRARY).replace(/\.ts$/, ".d.ts"));
}

function optionsOf(rootDir: string): ts.CompilerOptions {
  const path = join(rootDir, "tsconfig.json");
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, rootDir);
  return {
    ...options,
    types: ["node"],
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(rootDir, "src"),
    outDir: join(rootDir, "src"),
  };
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
