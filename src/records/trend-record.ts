import type { SparklinePoint } from "../service/resources/findings.records.ts";

/** A finding type of an environment after one analysis, as the library and the command line give it. */
export type TrendRecord = Readonly<{
  /** RFC 3339 instant. */
  created_at: string | null;
  finding_count: number | null;
  impacted_asset_count: number | null;
  /** Risk of the finding type, 0 to 100. */
  composite_risk: number | null;
}>;

/** Pure. */
export function trendRecord(point: SparklinePoint): TrendRecord {
  return {
    created_at: point.created_at ?? null,
    finding_count: point.FindingCount ?? null,
    impacted_asset_count: point.ImpactedAssetCount ?? null,
    composite_risk: point.CompositeRisk ?? null,
  };
}
