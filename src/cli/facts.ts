import type { Output } from "./output.ts";
import { writeRows } from "./rows.ts";

const columns = [
  { key: "fact", title: "Fact" },
  { key: "value", title: "Value" },
] as const;

/** Writes what is known about one thing as a table. Facts without a value are left out. */
export async function writeFacts(
  output: Output,
  facts: readonly (readonly [fact: string, value: unknown])[],
): Promise<void> {
  const rows = facts
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([fact, value]) => ({ fact, value: typeof value === "string" ? value : JSON.stringify(value) }));
  await writeRows(output, { format: "table", columns }, rows);
}
