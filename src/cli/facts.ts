import { oneLine } from "../text.ts";
import type { Output } from "./output/output.ts";
import { writeRows } from "./rows.ts";
import { wrapped } from "./drawing/wrap.ts";

const columns = [
  { key: "fact", title: "Fact" },
  { key: "value", title: "Value" },
] as const;

/** Between the columns of a table. */
const GAP = 2;
/** A column of values that is narrower would hold few of them on one line. */
const NARROWEST = 20;

/**
 * Writes what is known about one thing as a table, a long value on several lines of a terminal. Where there is no room beside the facts, the
 * values stand below them. Facts without a value are left out.
 */
export async function writeFacts(
  output: Output,
  facts: readonly (readonly [fact: string, value: unknown])[],
): Promise<void> {
  const known = facts
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([fact, value]) => [fact, oneLine(typeof value === "string" ? value : JSON.stringify(value))] as const);
  const longest = known.reduce((most, [fact]) => Math.max(most, fact.length), 0);
  const { width } = output;
  if (width !== null && width - longest - GAP < NARROWEST) return writeBelow(output, width, known);
  const room = width === null ? null : width - longest - GAP;
  const rows = known.flatMap(([fact, text]) =>
    wrapped(text, room).map((line, index) => ({ fact: index === 0 ? fact : "", value: line })),
  );
  await writeRows(output, { format: "table", columns }, rows);
}

async function writeBelow(
  output: Output,
  width: number,
  facts: readonly (readonly [fact: string, text: string])[],
): Promise<void> {
  const lines = facts.flatMap(([fact, text]) => [
    ...wrapped(fact, width).map((line) => output.style("bold", line)),
    ...wrapped(text, width - GAP).map((line) => `${" ".repeat(GAP)}${line}`),
  ]);
  if (lines.length > 0) await output.write(`${lines.join("\n")}\n`);
}
