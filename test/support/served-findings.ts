import type { Tenant, WireFinding } from "../../sandbox/tenant/index.ts";

/** Findings that the tenant serves for a stream, in the order of the column (or of their ids), without deleted ones. */
export function servedFindings(
  { data }: Tenant,
  environmentId: string,
  findingType: string,
  sort: readonly { column: string; descending: boolean }[] = [],
): WireFinding[] {
  const everything = { filters: [], sort, unsorted: "id" as const, skip: 0, limit: Number.MAX_SAFE_INTEGER };
  const { findings } = data.findings(environmentId, findingType)?.query(everything) ?? { findings: [] };
  return findings.filter(({ deleted_at }: Partial<WireFinding>) => deleted_at?.valid !== true);
}
