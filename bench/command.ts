import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { runBench } from "./bench.ts";
import { benchConsole, CONSOLE_EVENTS, consoleTable } from "./console.ts";
import { writeDocumentation } from "./documentation.ts";
import { commandsTable, growthTable, machineLine } from "./tables.ts";
import { baselineLine, remarks, stateRemarks } from "./remarks.ts";
import { terminalTable } from "./terminal-table.ts";
import { rowIds, type RowId } from "./targets.ts";

interface Options {
  only: RowId[];
  rounds: number;
  quick: boolean;
  full: boolean;
  /** false: `--no-baseline`. */
  baseline?: string | false;
  json?: string;
  writeDocs: boolean;
  console: boolean;
}

function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("A whole number of at least 1 is expected.");
  return Number(text);
}

const command = new Command("npm run bench --")
  .description(
    "Measures whole processes of the built package against a simulated tenant: requests, connections, time, memory, bytes, each next to its target and to the figures of an earlier commit.",
  )
  .addOption(
    new Option("--only <row...>", "rows to measure, without growth and command line")
      .choices(rowIds)
      .default(rowIds, "all"),
  )
  .option("--rounds <number>", "runs of each row; the figures are their medians", count, 5)
  .option("--quick", "one run of each row, no growth, no command line", false)
  .option("--full", "growth and the command line up to a million findings, growth up to a thousand environments", false)
  .option(
    "--baseline <git ref>",
    "commit to compare with, measured in turns in the same run (default: the one before the latest change of src)",
  )
  .option("--no-baseline", "compare with no other commit")
  .option("--json <file>", "write all figures to a file")
  .option("--console", "measures only what the pages of the console ask for, with 100,000 events", false)
  .option("--write-docs", "write the figures into docs/; those of growth and the command line only with --full", false);
const { only, rounds, quick, full, baseline, json, writeDocs, ...options } = command.parse().opts<Options>();
if (options.console) {
  console.log(consoleTable(await benchConsole(CONSOLE_EVENTS)));
  process.exit(0);
}

const partial = quick || only.length < rowIds.length;
const result = await runBench({
  rows: only,
  rounds: quick ? 1 : rounds,
  commandLine: partial ? "none" : full ? "full" : "short",
  growth: partial ? "none" : full ? "full" : "short",
  baseline: baseline === false ? null : baseline,
  tell: (text) => process.stderr.write(`${text}\n`),
});
const head = [machineLine(result.machine), ...baselineLine(result.baseline)];
console.log(
  [...head, "", terminalTable(result.rows), "", ...remarks(result.rows), ...stateRemarks(result.rows)].join("\n"),
);
if (result.growth !== null) {
  console.log(["", growthTable(result.growth.byFindings), "", growthTable(result.growth.byEnvironments)].join("\n"));
}
if (result.commands !== null) console.log(`\n${commandsTable(result.commands)}`);
if (json !== undefined) await writeFile(json, `${JSON.stringify(result, null, 2)}\n`);
if (writeDocs) {
  const documented = full ? result : { ...result, growth: null, commands: null };
  await writeDocumentation(resolve(import.meta.dirname, ".."), documented);
}
