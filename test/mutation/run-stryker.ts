import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { Command } from "commander";
import { root } from "./source-copy.ts";

/** The suites that judge a folder beside the one that mirrors it. */
const MORE_SUITES: Readonly<Record<string, readonly string[]>> = {
  "src/investigation": ["test/actions"],
};
/** Suites that start processes: an instrumented source does not get into them. */
const WITH_PROCESSES = ["test/runtime/main.test.ts"];
/** It looks at each of millions of characters: with Stryker's counters in that loop, one run of its tests takes minutes. */
const LEFT_OUT = ["src/investigation/result/fit-result.ts"];
const LEAST_SCORE = 80;

interface Options {
  jobs: string;
  incremental?: string;
}

/**
 * Lets Stryker change the sources of a folder, one place at a time, and checks that the tests of the folder notice it.
 *
 * @returns the exit code: 1 when they notice less than 80 % of the changes
 */
export async function main(argv: readonly string[]): Promise<number> {
  const command = new Command("npm run mutation --")
    .description("Changes a folder or file of src in every way that Stryker knows, and lists what no test notices.")
    .argument("<path>", "folder or file, as src/runtime or src/runtime/lists.ts")
    .option("--jobs <number>", "changes that are tried at a time", "2")
    .option("--incremental <file>", "keeps the results in this file, and tries again only what has changed since")
    .parse([...argv]);
  const { jobs, incremental } = command.opts<Options>();
  const path = (command.args[0] ?? "").replace(/\/$/, "");
  if (!path.startsWith("src/") || !existsSync(join(root, path))) {
    command.error(`error: ${path} is not a folder or file of src.`);
  }
  const files = statSync(join(root, path)).isDirectory() ? `${path}/**/*.ts` : path;
  const report = `dist/mutation/${path.replace(/^src\//, "").replaceAll("/", "-")}`;
  await new Stryker({
    mutate: [files, ...LEFT_OUT.map((file) => `!${file}`)],
    testRunner: "mocha",
    testRunnerNodeArgs: ["--import", "tsx", "--import", join(import.meta.dirname, "mocha/register.js")],
    mochaOptions: { spec: suitesOf(path).map((suite) => `${suite}/**/*.test.ts`), ignore: WITH_PROCESSES },
    coverageAnalysis: "perTest",
    // What runs when a module is loaded cannot be assigned to tests: each such change would need all of them.
    ignoreStatic: true,
    concurrency: Number(jobs),
    // On a busy machine, a slow run must not pass for a change that was noticed.
    timeoutFactor: 3,
    ignorePatterns: ["dist", "docs", ".sandbox"],
    disableTypeChecks: false,
    tempDirName: join(tmpdir(), "mutation"),
    reporters: ["clear-text", "html", "json", process.stdout.isTTY ? "progress" : "progress-append-only"],
    clearTextReporter: { reportTests: false, logTests: false, allowColor: process.stdout.isTTY },
    htmlReporter: { fileName: `${report}.html` },
    jsonReporter: { fileName: `${report}.json` },
    thresholds: { high: LEAST_SCORE, low: LEAST_SCORE, break: LEAST_SCORE },
    allowEmpty: true,
    ...(incremental === undefined ? {} : { incremental: true, incrementalFile: resolve(incremental) }),
  }).runMutationTest();
  return process.exitCode === undefined ? 0 : Number(process.exitCode);
}

/** The folders with the tests of a source. */
function suitesOf(path: string): string[] {
  const folder = path.split("/").slice(0, 2).join("/");
  return [folder.replace(/^src/, "test"), ...(MORE_SUITES[folder] ?? [])];
}
