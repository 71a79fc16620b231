import type { ResultTable } from "../../runtime/protocol.ts";
import { flatCounts } from "./entity-facts.ts";
import type { Counts } from "./promised-counts.ts";
import type { Asset } from "./read-asset.ts";
import { resultTable } from "../result/result-table.ts";
import { listed } from "../../text.ts";

const COLUMNS = ["Name", "Kind", "Object Id", "Result", "Tier Zero", "Counts", "Related"];

const MOST_COUNTS = 5;
const MOST_NAMED = 3;

/** One row per asset: what it is, its largest counts, and the first names of each list of related objects. */
export function assetTable(assets: readonly Asset[]): ResultTable {
  return resultTable("Assets", COLUMNS, assets.map(row));
}

function row({ objectId, status, kind, name, error, tierZero, counts, related }: Asset): string[] {
  const result = { found: "read", not_found: "not found", failed: error ?? "failed" }[status];
  return [
    name ?? "",
    kind ?? "",
    objectId,
    result,
    // Empty where nothing says it.
    tierZero === undefined ? "" : tierZero ? "yes" : "no",
    countsOf(counts as Counts),
    relatedOf(related),
  ];
}

/** The largest counts first, without zeros. A count that could not be read is listed as unknown. */
function countsOf(counts: Counts): string {
  const entries = Object.entries(flatCounts(counts));
  const read = entries.flatMap(([name, count]) => (count === null || count === 0 ? [] : [{ name, count }]));
  const largest = read.sort((a, b) => b.count - a.count).slice(0, MOST_COUNTS);
  const unread = entries.filter(([, count]) => count === null).map(([name]) => `${name} unknown`);
  return [...largest.map(({ name, count }) => `${name} ${count}`), ...unread].join(", ");
}

function relatedOf(related: Asset["related"]): string {
  return Object.entries(related)
    .flatMap(([list, { total, items }]) => {
      if (items === null) return [`${list}: could not be read`];
      if (items.length === 0) return [];
      const names = items.map(({ name, objectId }) => name ?? objectId ?? "");
      const known = listed(names, MOST_NAMED, total ?? items.length);
      return [`${list}: ${known}${total === null ? " (total not known)" : ""}`];
    })
    .join("; ");
}
