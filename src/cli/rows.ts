import { type Command, Option } from "commander";
import { oneLine, shortened } from "../text.ts";
import type { Output } from "./output.ts";

export type Cell = string | number | boolean | null | undefined;
/** One line of a list. Its keys are the columns of a CSV file and of a table, and the fields of a JSON object. */
export type Row = Readonly<Record<string, Cell | readonly string[]>>;
export type RowFormat = "table" | "ndjson" | "csv";

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly align?: "right";
}

/** Adds the options that choose the form of a list. */
export function withFormat(command: Command): Command {
  return command
    .addOption(
      new Option("--format <form>", "how to write the list").choices(["table", "ndjson", "csv"]).default("table"),
    )
    .addOption(new Option("--json", "short for --format ndjson: one JSON object a line").implies({ format: "ndjson" }));
}

interface Listing {
  readonly format: RowFormat;
  /** What a table shows. The other forms have every field. */
  readonly columns: readonly Column[];
}

/** Written together, so that a long list costs few writes and little memory. */
const BATCH_CHARACTERS = 65_536;

/**
 * Writes the rows as they come.
 *
 * @returns how many there were
 */
export async function writeRows(
  output: Output,
  { format, columns }: Listing,
  rows: Iterable<Row> | AsyncIterable<Row>,
): Promise<number> {
  let count = 0;
  let text = "";
  for await (const line of linesOf(
    output,
    format,
    columns,
    counted(rows, () => count++),
  )) {
    text += `${line}\n`;
    if (text.length < BATCH_CHARACTERS) continue;
    await output.write(text);
    text = "";
  }
  if (text !== "") await output.write(text);
  return count;
}

async function* counted(rows: Iterable<Row> | AsyncIterable<Row>, count: () => void): AsyncGenerator<Row> {
  for await (const row of rows) {
    count();
    yield row;
  }
}

async function* linesOf(
  output: Output,
  format: RowFormat,
  columns: readonly Column[],
  rows: AsyncIterable<Row>,
): AsyncGenerator<string> {
  if (format === "table") yield* tableLines(output, columns, rows);
  else if (format === "csv") yield* csvLines(rows);
  else for await (const row of rows) yield JSON.stringify(row);
}

async function* csvLines(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let keys: string[] | null = null;
  for await (const row of rows) {
    if (keys === null) {
      keys = Object.keys(row);
      yield keys.map(csvField).join(",");
    }
    yield keys.map((key) => csvField(row[key])).join(",");
  }
}

/** RFC 4180. A spreadsheet would run a text that begins like a formula, so an apostrophe comes before it. */
function csvField(value: Row[string]): string {
  const text = cellText(value);
  const isText = typeof value === "string" || typeof value === "object";
  const safe = isText && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function cellText(value: Row[string]): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? value.join(" ") : String(value);
}

/** The columns are as wide as the first rows need. */
const SAMPLED = 200;
const WIDEST = 60;

async function* tableLines(
  output: Output,
  columns: readonly Column[],
  rows: AsyncIterable<Row>,
): AsyncGenerator<string> {
  const sample: string[][] = [];
  let widths: number[] | null = null;
  for await (const row of rows) {
    const cells = columns.map(({ key }) => oneLine(cellText(row[key])));
    if (widths !== null) {
      yield tableLine(output, columns, widths, cells);
      continue;
    }
    sample.push(cells);
    if (sample.length < SAMPLED) continue;
    widths = widthsOf(columns, sample);
    yield* sampleLines(output, columns, widths, sample);
  }
  if (widths === null && sample.length > 0) yield* sampleLines(output, columns, widthsOf(columns, sample), sample);
}

function* sampleLines(
  output: Output,
  columns: readonly Column[],
  widths: readonly number[],
  sample: readonly string[][],
): Generator<string> {
  const titles = columns.map(({ title }) => title.toUpperCase());
  yield output.style("bold", tableLine(output, columns, widths, titles));
  for (const cells of sample) yield tableLine(output, columns, widths, cells);
}

function widthsOf(columns: readonly Column[], sample: readonly string[][]): number[] {
  return columns.map(({ title }, index) => {
    const longest = sample.reduce((most, cells) => Math.max(most, cells[index]?.length ?? 0), title.length);
    return Math.min(longest, WIDEST);
  });
}

/** On a terminal, a line is cut at its edge. A program gets every character. */
function tableLine(
  { width }: Output,
  columns: readonly Column[],
  widths: readonly number[],
  cells: readonly string[],
): string {
  const padded = cells.map((cell, index) => {
    const columnWidth = widths[index] ?? 0;
    return columns[index]?.align === "right" ? cell.padStart(columnWidth) : cell.padEnd(columnWidth);
  });
  const line = padded.join("  ").trimEnd();
  return width !== null && line.length > width ? shortened(line, width - 1) : line;
}
