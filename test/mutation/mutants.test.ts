import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { transform } from "esbuild";
import { mutate, occurrences } from "./mutant.ts";
import { mutants } from "./mutants.ts";

const root = resolve(import.meta.dirname, "../..");
const files = [...new Set(mutants.map(({ file }) => file))];

describe("every deliberate bug can be put into the sources", () => {
  test.each(files)("%s", async (file) => {
    const source = await readFile(resolve(root, file), "utf8");
    const here = mutants.filter((mutant) => mutant.file === file);
    const misplaced = here.filter(({ find }) => occurrences(source, find) !== 1);
    const idle = here.filter((mutant) => mutate(source, mutant) === source);
    expect({ misplaced, idle }).toEqual({ misplaced: [], idle: [] });
    const mutated = here.map((mutant) => mutate(source, mutant) ?? "");
    await Promise.all(mutated.map((text) => transform(text, { loader: "ts", sourcefile: file })));
  });

  test("each has a name of its own", () => {
    const names = mutants.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(mutants.length).toBeGreaterThanOrEqual(75);
  });
});
