import { oneLine, shortened } from "../../text.ts";
import type { Output, Style } from "../output/output.ts";

export type Cell = string | number | boolean | null | undefined;
/** One line of a list. Its keys are the columns of a CSV file and of a table, and the fields of a JSON object. */
export type Row = Readonly<Record<string, Cell | readonly string[]>>;

/** A column of a table. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly align?: "right";
  /** How people read a value that is there; default: as programs do. */
  readonly show?: (cell: Cell) => string;
  readonly style?: (cell: Cell) => Style | undefined;
  /** Characters that say enough, where a terminal has no room for all of them; default: 10. */
  readonly narrowest?: number;
  /** Columns that a narrow terminal does not show: the one with the smallest number is left out first. Default: never. */
  readonly leftOut?: number;
}

interface TableCell {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** A column that is shown, and its width in characters. */
interface Fitted {
  readonly column: Column;
  /** Place of its cells in a line. */
  readonly index: number;
  readonly width: number;
}

/** The columns are as wide as the first rows need. */
const SAMPLED = 200;
const WIDEST = 60;
const NARROWEST = 10;
const GAP = "  ";

/**
 * The lines of a table. On a terminal, columns become narrower or are left out, so that a line fits. A program gets every
 * character.
 */
export async function* tableLines(
  output: Output,
  columns: readonly Column[],
  rows: AsyncIterable<Row>,
): AsyncGenerator<string> {
  const sample: TableCell[][] = [];
  let fitted: Fitted[] | null = null;
  for await (const row of rows) {
    const cells = columns.map((column) => cellOf(column, row[column.key]));
    if (fitted !== null) {
      yield tableLine(output, fitted, cells);
      continue;
    }
    sample.push(cells);
    if (sample.length < SAMPLED) continue;
    fitted = fit(columns, sample, output.width);
    yield* sampleLines(output, fitted, sample);
  }
  if (fitted === null && sample.length > 0) yield* sampleLines(output, fit(columns, sample, output.width), sample);
}

/** A value as programs read it. */
export function cellText(value: Row[string]): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? value.join(" ") : String(value);
}

function cellOf({ show, style }: Column, value: Row[string]): TableCell {
  if (typeof value === "object" || value === undefined) return { text: oneLine(cellText(value)) };
  return { text: oneLine(show?.(value) ?? cellText(value)), style: style?.(value) };
}

function* sampleLines(output: Output, fitted: readonly Fitted[], sample: readonly TableCell[][]): Generator<string> {
  const titles: TableCell[] = [];
  for (const { column, index } of fitted) titles[index] = { text: column.title.toUpperCase() };
  yield output.style("bold", tableLine(output, fitted, titles));
  for (const cells of sample) yield tableLine(output, fitted, cells);
}

/** @param room - columns of the terminal; null for a program */
function fit(columns: readonly Column[], sample: readonly TableCell[][], room: number | null): Fitted[] {
  const natural = columns.map((column, index): Fitted => {
    const longest = sample.reduce((most, cells) => Math.max(most, cells[index]?.text.length ?? 0), column.title.length);
    return { column, index, width: Math.min(longest, room ?? WIDEST) };
  });
  return room === null ? natural : narrowed(withoutLeastImportant(natural, room), room);
}

/** Leaves out as many columns as must be, so that the others have enough room when they are narrow. */
function withoutLeastImportant(fitted: readonly Fitted[], room: number): Fitted[] {
  const order = fitted.filter(({ column }) => column.leftOut !== undefined);
  order.sort((a, b) => (a.column.leftOut ?? 0) - (b.column.leftOut ?? 0));
  let kept = [...fitted];
  for (const least of order) {
    if (widthOf(kept.map((each) => ({ ...each, width: narrowestOf(each) }))) <= room) break;
    kept = kept.filter((each) => each !== least);
  }
  return kept;
}

/** Takes from the widest column, character by character, until the line fits. */
function narrowed(fitted: readonly Fitted[], room: number): Fitted[] {
  const widths = new Map(fitted.map((each) => [each, each.width]));
  for (let over = widthOf(fitted) - room; over > 0; over -= 1) {
    const byWidth = [...fitted].sort((a, b) => (widths.get(b) ?? 0) - (widths.get(a) ?? 0));
    const widest = byWidth.find((each) => (widths.get(each) ?? 0) > narrowestOf(each)) ?? byWidth[0];
    if (widest === undefined) break;
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
  }
  return fitted.map((each) => ({ ...each, width: widths.get(each) ?? each.width }));
}

function narrowestOf({ column: { narrowest = NARROWEST, title }, width }: Fitted): number {
  return Math.min(width, Math.max(narrowest, title.length));
}

function widthOf(fitted: readonly Fitted[]): number {
  return fitted.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
}

function tableLine(output: Output, fitted: readonly Fitted[], cells: readonly TableCell[]): string {
  const { width: room } = output;
  const line = fitted.map(({ column, index, width }) => {
    const { text = "", style } = cells[index] ?? {};
    const cut = room !== null && text.length > width ? shortened(text, Math.max(0, width - 1)) : text;
    const shown = style === undefined || cut === "" ? cut : output.style(style, cut);
    const padding = " ".repeat(Math.max(0, width - cut.length));
    return column.align === "right" ? padding + shown : shown + padding;
  });
  return line.join(GAP).trimEnd();
}
