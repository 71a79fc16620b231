import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootDir } from "../support/built-package.ts";
import { runMatrix } from "./matrix.ts";
import { isFalseSuccess, type RowOutcome } from "./row.ts";

const BEGIN = "<!-- faults:begin (npm run faults writes this part) -->";
const END = "<!-- faults:end -->";
const README = join(rootDir, "README.md");

/** The matrix as one table in markdown: what anyone can read, and a test compares with a run. */
export function tableOf(outcomes: readonly RowOutcome[]): string {
  const rows = outcomes.map(({ row, under, missing, clean, repeated, told }) => {
    const total = under.delivered + missing.under;
    const recognised = under.recognised + clean.recognised;
    return [
      row.fault,
      `${under.delivered} of ${total}`,
      `${clean.delivered} more`,
      String(missing.clean),
      recognised === 0 ? String(repeated) : `${repeated} (${recognised} recognised)`,
      `**${under.status}** ${told}`,
    ];
  });
  const summary = [
    `${outcomes.length} faults`,
    `${sum(outcomes.map(({ missing }) => missing.clean))} findings lost`,
    `${sum(outcomes.map(({ repeated }) => repeated))} repeated`,
    `${outcomes.filter(isFalseSuccess).length} false successes`,
  ];
  const heading = ["fault", "delivered under it", "by the clean run", "lost", "repeated", "what the analyst is told"];
  const lines = [heading, heading.map(() => "---"), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`,
  );
  return [`<details><summary>${summary.join(", ")}</summary>`, "", ...lines, "", "</details>"].join("\n");
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The table that the README shows. */
export async function tableInReadme(): Promise<string> {
  const { table } = split(await readFile(README, "utf8"));
  return table;
}

/** Runs the matrix and writes its table into the README. */
export async function writeReadme(): Promise<string> {
  const table = tableOf(await runMatrix());
  const { before, after } = split(await readFile(README, "utf8"));
  await writeFile(README, `${before}${table}${after}`);
  return table;
}

/** The table stands between the marks, which keep the formatter away from it. */
function split(readme: string): { before: string; table: string; after: string } {
  const begin = `${BEGIN}\n<!-- prettier-ignore-start -->\n\n`;
  const end = `\n\n<!-- prettier-ignore-end -->\n${END}`;
  const from = readme.indexOf(begin) + begin.length;
  const to = readme.indexOf(end, from - 2);
  if (from < begin.length || to < 0) throw new Error(`README.md has no part between ${BEGIN} and ${END}.`);
  return { before: readme.slice(0, from), table: readme.slice(from, to), after: readme.slice(to) };
}
