import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { ends } from "./child.ts";
import type { SourceCopy } from "./source-copy.ts";

/** Where the quick tests of the core are. */
const FOLDERS = [
  "test/ingestion",
  "test/findings",
  "test/service",
  "test/connectors",
  "test/follow-up",
  "test/investigation",
];
/** And those of what it shares with the rest. */
const FILES = ["client/calls", "deadline", "text", "runtime/severity", "runtime/merge-patch"].map(
  (name) => `test/${name}.test.ts`,
);
/** A test that waits for what a bug keeps from happening must not hold up the others for a minute. */
const TEST_TIMEOUT_MS = 20_000;

/** A test that failed. */
export interface Failure {
  /** Its test file, from the copy's root. */
  readonly file: string;
  /** Its full name. */
  readonly name: string;
}

type Line =
  | { readonly type: "case"; readonly path: string; readonly name: string; readonly failed: boolean }
  | { readonly type: "file"; readonly path: string };

/** The quick unit tests of a copy. */
export class UnitTests {
  readonly #copy: SourceCopy;
  /** The files that each test file loads; all are named from the copy's root. */
  readonly #loaded: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(copy: SourceCopy, loaded: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#copy = copy;
    this.#loaded = loaded;
  }

  static async in(copy: SourceCopy): Promise<UnitTests> {
    await mkdir(join(copy.folder, "temporary"));
    const config = (await import(join(copy.folder, "jest.config.js"))) as { default: Record<string, unknown> };
    const ours = {
      ...config.default,
      maxWorkers: 1,
      reporters: ["<rootDir>/test/mutation/jest/reporter.js"],
      testSequencer: "<rootDir>/test/mutation/jest/sequencer.js",
      testTimeout: TEST_TIMEOUT_MS,
    };
    await writeFile(join(copy.folder, "jest.mutants.json"), JSON.stringify(ours));
    return new UnitTests(copy, await loadedByTests(copy.folder));
  }

  /** The test files that load a source file, those that load the least first: they are the quickest, and the nearest. */
  of(source: string): string[] {
    return [...this.#loaded]
      .filter(([, loaded]) => loaded.has(source))
      .sort(([, one], [, other]) => one.size - other.size)
      .map(([test]) => test);
  }

  /**
   * Runs test files in the given order.
   *
   * @param known - failures to pass over; the first other one ends the run. Without it every test is run
   */
  async run(files: readonly string[], known?: ReadonlySet<string>): Promise<readonly Failure[]> {
    if (files.length === 0) return [];
    const { folder } = this.#copy;
    const paths = files.map((file) => join(folder, file));
    const options = ["--config", "jest.mutants.json", "--runInBand", "--runTestsByPath", ...paths];
    const node = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
    const env = {
      ...process.env,
      TMPDIR: join(folder, "temporary"),
      TEST_ORDER: JSON.stringify(paths),
      ...(known === undefined ? {} : { KNOWN_FAILURES: JSON.stringify([...known]) }),
    };
    const child = spawn(process.execPath, [...node, ...options], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let errors = "";
    child.stderr.on("data", (piece: Buffer) => (errors = (errors + piece.toString()).slice(-2_000)));
    const failed: Failure[] = [];
    const finished = new Set<string>();
    const ended = await ends(child, (beat) => {
      createInterface(child.stdout).on("line", (text) => {
        beat();
        const line = lineOf(text);
        if (line === null) return;
        const file = relative(folder, line.path);
        if (line.type === "file") finished.add(file);
        else if (line.failed && known?.has(line.name) !== true) failed.push({ file, name: line.name });
      });
    });
    // A test that hangs, or that ends the whole process, is a failure without a name.
    const file = files.find((path) => !finished.has(path)) ?? files.at(-1) ?? "";
    if (!ended) failed.push({ file, name: `${file} comes to an end` });
    else if (finished.size < files.length && failed.length === 0)
      failed.push({ file, name: `${file} can be run ${errors}` });
    return failed;
  }
}

/** Tests may write lines of their own. */
function lineOf(text: string): Line | null {
  try {
    return text.startsWith('{"type":') ? (JSON.parse(text) as Line) : null;
  } catch {
    return null;
  }
}

/** Jest's own search for related tests follows imports inside its roots only, and the sources are not among them. */
async function loadedByTests(folder: string): Promise<Map<string, ReadonlySet<string>>> {
  const listed = await Promise.all(FOLDERS.map((name) => testFilesIn(folder, name)));
  const tests = [...listed.flat(), ...FILES.filter((file) => existsSync(join(folder, file)))];
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: tests,
    outdir: "out",
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  });
  const loaded = new Map<string, ReadonlySet<string>>();
  for (const { entryPoint, inputs } of Object.values(metafile.outputs)) {
    if (entryPoint !== undefined) loaded.set(entryPoint, new Set(Object.keys(inputs)));
  }
  return loaded;
}

async function testFilesIn(folder: string, name: string): Promise<string[]> {
  const names = await readdir(join(folder, name), { recursive: true }).catch(() => []);
  return names.filter((file) => file.endsWith(".test.ts")).map((file) => join(name, file));
}
