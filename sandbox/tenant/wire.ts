/**
 * The records of the Attack Path Analysis Service as they go over the wire. Nullable values are objects with a `valid`
 * flag (service API, section Nullable wrappers); times are RFC 3339 with the trailing zeros of the fraction trimmed.
 */
export interface WireNullableTime {
  time: string;
  valid: boolean;
}
export interface WireNullableInt64 {
  int64: number;
  valid: boolean;
}
export interface WireNullableInt32 {
  int32: number;
  valid: boolean;
}
export interface WireNullableString {
  string: string;
  valid: boolean;
}

export type WireProperties = Record<string, unknown>;
export type Severity = "critical" | "high" | "moderate" | "low";

/** An item of `available-domains`. */
export interface WireEnvironment {
  type: string;
  name: string;
  id: string;
  collected: boolean;
  impactValue: number;
  hygiene_attack_paths: number;
  exposures: { exposure_percent: number; asset_group_tag: { id: number; name: string } }[];
}

/** What relationship and list findings have in common. Percentages are fractions from 0 to 1. */
export interface WireFindingBase {
  id: number;
  created_at: string;
  updated_at: string;
  deleted_at: WireNullableTime;
  Finding: string;
  DomainSID: string;
  PrincipalHash: string;
  Accepted: boolean;
  AcceptedUntil: string;
  ImpactPercentage: number;
  ImpactCount: number;
  Severity: string;
}

/** A finding about an edge: one principal can attack another. */
export interface WireRelationshipFinding extends WireFindingBase {
  FromPrincipal: string;
  FromPrincipalKind: string;
  FromPrincipalProps: WireProperties;
  ToPrincipal: string;
  ToPrincipalKind: string;
  ToPrincipalProps: WireProperties;
  RelProps: WireProperties;
  ComboGraphRelationID: WireNullableInt64;
  ExposurePercentage: number;
  ExposureCount: number;
}

/** A finding about one exposed principal. */
export interface WireListFinding extends WireFindingBase {
  Principal: string;
  PrincipalKind: string;
  Props: WireProperties;
}

export type WireFinding = WireRelationshipFinding | WireListFinding;

/** A point of `sparkline`: what one analysis of an environment found for one finding type. */
export interface WireSparklinePoint {
  id: number;
  created_at: string;
  updated_at: string;
  deleted_at: WireNullableTime;
  CompositeRisk: number;
  FindingCount: number;
  ImpactedAssetCount: number;
  DomainSID: string;
  Finding: string;
}

/** What `datapipe/status` says; only the Enterprise edition has a schedule. */
export interface WireDatapipeStatus {
  status: "idle" | "ingesting" | "analyzing";
  updated_at: string;
  last_complete_analysis_at: string;
  last_analysis_run_at: string;
  next_scheduled_analysis_at?: string;
}

export interface WireError {
  http_status: number;
  timestamp: string;
  request_id: string;
  errors: { context: string; message: string }[];
}

/** The zero time of the service's own language; it stands for "never". */
export const NEVER = "0001-01-01T00:00:00Z";
export const NOT_DELETED: WireNullableTime = { time: NEVER, valid: false };
