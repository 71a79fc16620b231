import { rmSync } from "node:fs";
import { cp, mkdtemp, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { mutate, type Mutant } from "./mutant.ts";

export const root = resolve(import.meta.dirname, "../..");

/** What unit tests and simulation are made of. */
const COPIED = [
  "actions",
  "connectors",
  "docs",
  "integration.json",
  "jest.config.js",
  "jobs",
  "mappings",
  "package.json",
  "sandbox",
  "src",
  "test",
  "tsconfig.json",
];

/** A temporary copy of the sources: bugs never get into the working tree, even when the process is killed. */
export class SourceCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<SourceCopy> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "mutants-")));
    process.once("exit", () => {
      rmSync(folder, { recursive: true, force: true });
    });
    for (const name of COPIED) await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    return new SourceCopy(folder);
  }

  /** Runs the task while the bug is in the copy. */
  async withBug<T>(mutant: Mutant, task: () => Promise<T>): Promise<T> {
    const file = join(this.folder, mutant.file);
    const source = await readFile(file, "utf8");
    const mutated = mutate(source, mutant);
    if (mutated === null) throw new Error(`The place of "${mutant.name}" in ${mutant.file} is not unique.`);
    await writeFile(file, mutated);
    try {
      return await task();
    } finally {
      await writeFile(file, source);
    }
  }
}
