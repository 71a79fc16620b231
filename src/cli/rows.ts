import { stringify } from "csv-stringify/sync";
import type { Output } from "./output/output.ts";
import { type Cell, cellText, type Column, type Row, tableLines } from "./drawing/table.ts";

export type { Cell, Column, Row } from "./drawing/table.ts";
export type RowFormat = "table" | "ndjson" | "csv";

/** Without a format of their own, lists are tables. */
type Listing =
  | { readonly format: "table"; readonly columns: readonly Column[] }
  | {
      readonly format: RowFormat;
      /** What a table shows. The other forms have every field. */
      readonly columns: readonly Column[];
      /** All of them, which a CSV names even if there is no row. */
      readonly fields: readonly string[];
    };

/** Written together, so that a long list costs few writes and little memory. */
const BATCH_CHARACTERS = 65_536;

/**
 * Writes the rows as they come.
 *
 * @returns how many there were
 */
export async function writeRows(
  output: Output,
  listing: Listing,
  rows: Iterable<Row> | AsyncIterable<Row>,
): Promise<number> {
  let count = 0;
  const counting = counted(rows, () => count++);
  await writeLines(output, linesOf(output, listing, counting));
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

async function* linesOf(output: Output, listing: Listing, rows: AsyncIterable<Row>): AsyncGenerator<string> {
  if (listing.format === "table") yield* tableLines(output, listing.columns, rows);
  else if (listing.format === "csv") yield* csvLines(rows, listing.fields);
  else for await (const row of rows) yield JSON.stringify(row);
}

/** RFC 4180. A spreadsheet would run a text that begins like a formula, so an apostrophe comes before it. */
async function* csvLines(rows: AsyncIterable<Row>, fields: readonly string[]): AsyncGenerator<string> {
  let hasHeader = false;
  for await (const row of rows) {
    if (!hasHeader) yield csvLine(fields);
    hasHeader = true;
    yield csvLine(fields.map((key) => row[key]));
  }
  // Programs that read a CSV take one without a header for broken.
  if (!hasHeader) yield csvLine(fields);
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
