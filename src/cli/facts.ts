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
const NARROWEST = 20;

/** Writes what is known about one thing as a table, a long value on several lines of a terminal. Facts without a value are left out. */
export async function writeFacts(
  output: Output,
  facts: readonly (readonly [fact: string, value: unknown])[],
): Promise<void> {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const longest = known.reduce((most, [fact]) => Math.max(most, fact.length), 0);
  const room = output.width === null ? null : Math.max(NARROWEST, output.width - longest - GAP);
  const rows = known.flatMap(([fact, value]) =>
    wrapped(oneLine(typeof value === "string" ? value : JSON.stringify(value)), room).map((line, index) => ({
      fact: index === 0 ? fact : "",
      value: line,
    })),
  );
  await writeRows(output, { format: "table", columns }, rows);
}
