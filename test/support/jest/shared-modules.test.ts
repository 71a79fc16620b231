import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { temporaryFolder } from "../temporary-folder.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Says what it finds, then leaves something behind wherever a suite can. */
const suite = `
import { appendFileSync } from "node:fs";
import { test } from "@jest/globals";
import { counter as source } from "../source.mjs";
import { counter as helper } from "./helper.mjs";

// A suite may import while it is loaded, also after the tests of another one.
await import("../" + import.meta.url.replace(/.*\\/(\\w+)\\.test\\.mjs$/, "$1.mjs"));

test("leaves something behind", () => {
  const found = { source: ++source.uses, helper: ++helper.uses, left: [globalThis.left, process.env.LEFT, typeof setTimeout] };
  appendFileSync(new URL("../found.jsonl", import.meta.url), JSON.stringify(found) + "\\n");
  globalThis.left = process.env.LEFT = "left";
  globalThis.setTimeout = undefined;
});
`;

it("suites of a worker share the sources, and nothing that a suite leaves behind", async () => {
  const folder = temporaryFolder();
  await mkdir(join(folder, "test"));
  const module = "export const counter = { uses: 0 };\n";
  const config = {
    rootDir: folder,
    testMatch: ["**/*.test.mjs"],
    testEnvironment: join(root, "test/support/jest/environment.js"),
    runtime: join(root, "test/support/jest/runtime.cjs"),
    transform: {},
  };
  const files = {
    "source.mjs": module,
    "test/helper.mjs": module,
    "first.mjs": "",
    "second.mjs": "",
    "test/first.test.mjs": suite,
    "test/second.test.mjs": suite,
    "jest.config.json": JSON.stringify(config),
  };
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const jest = ["--experimental-vm-modules", join(root, "node_modules/jest/bin/jest.js"), "--runInBand"];
  await promisify(execFile)(process.execPath, [...jest, "--config", join(folder, "jest.config.json")]);
  const found = (await readFile(join(folder, "found.jsonl"), "utf8")).trim().split("\n");
  expect(found.map((line) => JSON.parse(line) as unknown)).toEqual([
    { source: 1, helper: 1, left: [null, null, "function"] },
    { source: 2, helper: 1, left: [null, null, "function"] },
  ]);
});
