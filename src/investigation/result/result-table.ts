import type { ResultTable } from "../../runtime/protocol.ts";
import { oneLine } from "../../text.ts";

/** Tables are for people to skim, and what a platform takes of all results is limited; the JSON result has everything. */
const MOST_ROWS = 200;
const LONGEST_CELL = 200;

/** A table with as many rows as a case shows, and a note about the others. */
export function resultTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): ResultTable {
  const more = rows.length - MOST_ROWS;
  return {
    title,
    columns: [...columns],
    rows: rows.slice(0, MOST_ROWS).map((row) => row.map(cellOf)),
    ...(more > 0 && { note: `${more} of ${rows.length} rows are left out here. The JSON result has them.` }),
  };
}

function cellOf(cell: string | number): string | number {
  return typeof cell === "number" ? cell : oneLine(cell, LONGEST_CELL);
}
