import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootDir } from "../support/package.ts";
import { isFalseSuccess, type RowOutcome } from "./row.ts";

const BEGIN = "<!-- faults:begin (npm run faults writes this part) -->";
const END = "<!-- faults:end -->";
const DOCUMENT = join(rootDir, "docs", "reliability.md");

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
  const heading = ["fault", "delivered under it", "by the clean run", "lost", "repeated", "status and message"];
  const lines = [heading, heading.map(() => "---"), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`,
  );
  return [`<details><summary>${summary.join(", ")}</summary>`, "", ...lines, "", "</details>"].join("\n");
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The table as it is documented. */
export async function documentedTable(): Promise<string> {
  const { table } = split(await readFile(DOCUMENT, "utf8"));
  return table;
}

/** Writes the table into the documentation. */
export async function writeTable(table: string): Promise<void> {
  const { before, after } = split(await readFile(DOCUMENT, "utf8"));
  await writeFile(DOCUMENT, `${before}${table}${after}`);
}

/** The table stands between the marks, which keep the formatter away from it. */
function split(text: string): { before: string; table: string; after: string } {
  const begin = `${BEGIN}\n<!-- oxfmt-ignore-start -->\n\n`;
  const end = `\n\n<!-- oxfmt-ignore-end -->\n${END}`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from - 2);
  if (from < begin.length || to < 0) throw new Error(`docs/reliability.md has no part between ${BEGIN} and ${END}.`);
  return { before: text.slice(0, from), table: text.slice(from, to), after: text.slice(to) };
}
