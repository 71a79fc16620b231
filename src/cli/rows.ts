import { stringify } from "csv-stringify/sync";
import type { Output } from "./output/output.ts";
import { type Cell, cellText, type Column, type Row, tableLines } from "./drawing/table.ts";

export type { Cell, Column, Row } from "./drawing/table.ts";
export type RowFormat = "table" | "ndjson" | "csv";

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
  const counting = counted(rows, () => count++);
  await writeLines(output, linesOf(output, format, columns, counting));
  return count;
}

/**
 * Writes lines as they come.
 *
 * @param lines - without their line feeds
 */
export async function writeLines(output: Output, lines: AsyncIterable<string>): Promise<void> {
  let text = "";
  for await (const line of lines) {
    text += `${line}\n`;
    if (text.length < BATCH_CHARACTERS) continue;
    await output.write(text);
    text = "";
  }
  if (text !== "") await output.write(text);
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

/** RFC 4180. A spreadsheet would run a text that begins like a formula, so an apostrophe comes before it. */
async function* csvLines(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let keys: string[] | null = null;
  for await (const row of rows) {
    if (keys === null) {
      keys = Object.keys(row);
      yield csvLine(keys);
    }
    yield csvLine(keys.map((key) => row[key]));
  }
}

function csvLine(values: readonly Row[string][]): string {
  const cells = values.map((value) => (typeof value === "number" ? value : afterApostrophe(cellText(value))));
  return stringify([cells], { escape_formulas: true, quoted_match: /[\r\n]/, eof: false });
}

/** The library knows of each beginning of a formula but this one (OWASP, "CSV injection"). */
function afterApostrophe(text: string): string {
  return text.startsWith("\n") ? `'${text}` : text;
}

/** How a table shows a number from 0 to 100. */
export function percentage(cell: Cell): string {
  return typeof cell === "number" ? `${Math.round(cell * 10) / 10}%` : "";
}
