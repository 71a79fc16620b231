import { existsSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { Command } from "commander";
import { root } from "./source-copy.ts";

/** The suites that judge a folder before those of the folder that mirrors it, as globs: the first test that notices a change is the last that runs. */
const MORE_SUITES: Readonly<Record<string, readonly string[]>> = {
  "src/investigation": ["test/actions/**/*.test.ts"],
  "src/packaging": ["test/packaging/google-secops/small-package.test.ts", "test/deploy/playbook.test.ts"],
};
const SUITES_LEFT_OUT = [
  // They start processes: an instrumented source does not get into them.
  "test/runtime/main.test.ts",
  "test/cli/documentation.test.ts",
  // It weighs the bundle, which Stryker's counters make larger.
  "test/cli/start.test.ts",
  // Modules are loaded in real time here, which their clocks do not wait for.
  "test/actions/*rate-limit.test.ts",
  // Each change of poll would be tried in hundreds of runs and processes.
  "test/cli/poll/processes.test.ts",
];
const LEFT_OUT = [
  // It looks at each of millions of characters: with Stryker's counters in that loop, one run of its tests takes minutes.
  "src/investigation/result/fit-result.ts",
  // It runs `npm ci`, which empties the project's node_modules when a change takes away the name of the folder.
  "src/packaging/google-secops/node-binary.ts",
];
const LEAST_SCORE = 80;

interface Options {
  jobs: string;
  tests?: string[];
  incremental?: string;
}

/**
 * Lets Stryker change the sources of folders, one place at a time, and checks that their tests notice it.
 *
 * @returns the exit code: 1 when they notice less than 80 % of the changes
 */
export async function main(argv: readonly string[]): Promise<number> {
  const command = new Command("npm run mutation --")
    .description("Changes folders or files of src in every way that Stryker knows, and lists what no test notices.")
    .argument("<paths...>", "folders or files, as src/runtime or src/runtime/lists.ts")
    .option("--jobs <number>", "changes that are tried at a time", "2")
    .option("--tests <files...>", "only these test files; default: all that judge the folder")
    .option("--incremental <file>", "keeps the results in this file, and tries again only what has changed since")
    .parse([...argv]);
  const { jobs, tests, incremental } = command.opts<Options>();
  const paths = command.args.map((path) => path.replace(/\/$/, ""));
  for (const path of paths) {
    if (!path.startsWith("src/") || !existsSync(join(root, path)))
      command.error(`error: ${path} is not a folder or file of src.`);
  }
  const files = paths.flatMap(filesOf).filter((file) => !LEFT_OUT.includes(file));
  process.env["MUTATED_FILES"] = JSON.stringify(files);
  const [first = ""] = paths;
  const report = `dist/mutation/${first.replace(/^src\//, "").replaceAll("/", "-")}`;
  await new Stryker({
    mutate: files,
    testRunner: "mocha",
    testRunnerNodeArgs: ["--import", "tsx", "--import", join(import.meta.dirname, "mocha/register.js")],
    mochaOptions: {
      file: [join(import.meta.dirname, "mocha/preload.js")],
      spec: tests ?? [...new Set(paths.flatMap(suitesOf))],
      ignore: SUITES_LEFT_OUT,
    },
    coverageAnalysis: "perTest",
    // What runs when a module is loaded cannot be assigned to tests: each such change would need all of them.
    ignoreStatic: true,
    concurrency: Number(jobs),
    // On a busy machine, a slow run must not pass for a change that was noticed.
    timeoutFactor: 3,
    ignorePatterns: ["dist", ".sandbox"],
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

/** The sources in a folder, or the file. */
function filesOf(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = readdirSync(join(root, path), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts")).map((name) => join(path, name));
}

/** The files with the tests of a source, as globs. */
function suitesOf(path: string): string[] {
  const folder = path.split("/").slice(0, 2).join("/");
  return [...(MORE_SUITES[folder] ?? []), `${folder.replace(/^src/, "test")}/**/*.test.ts`];
}
