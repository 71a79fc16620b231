import type { NullableInt64, NullableTime, Unwrapped } from "../responses/nullables.ts";

/** Free-form properties of a graph object, under the service's own names (`name`, `objectid`, `system_tags`, …). */
export type ObjectProperties = Record<string, unknown>;

/**
 * An item of `details`: one attack path occurrence (BloodHound API, docs/openapi.json). A relationship finding leads
 * from one principal to another; a list finding names one exposed principal and has no exposure. Percentages are
 * fractions from 0 to 1. Instants are RFC 3339 texts with up to nine fraction digits.
 */
export interface WireFinding {
  /** int32; some services send a text. */
  id?: number | string;
  created_at?: string;
  updated_at?: string;
  deleted_at?: NullableTime;
  /** Finding type, such as T0GenericAll. */
  Finding?: string;
  /** Id of the environment. */
  DomainSID?: string;
  PrincipalHash?: string;
  /** 0001-01-01T00:00:00Z when the risk was never accepted. */
  AcceptedUntil?: string;
  Accepted?: boolean;
  /** critical, high, moderate, low, or empty. */
  Severity?: string;
  /** Share of the environment that the exposed principal can control, 0 to 1. */
  ImpactPercentage?: number;
  /** Number of objects that the exposed principal can control. */
  ImpactCount?: number;
  /** Share of the environment that can use the path, 0 to 1. */
  ExposurePercentage?: number;
  /** Number of objects that can use the path. */
  ExposureCount?: number;
  /** Object id of the principal that the path starts from. */
  FromPrincipal?: string;
  FromPrincipalKind?: string;
  FromPrincipalName?: string;
  FromPrincipalProps?: ObjectProperties;
  FromEnvironment?: string;
  FromEnvironmentID?: string;
  /** Object id of the principal that the path leads to. */
  ToPrincipal?: string;
  ToPrincipalKind?: string;
  ToPrincipalName?: string;
  ToPrincipalProps?: ObjectProperties;
  ToEnvironment?: string;
  ToEnvironmentID?: string;
  /** Properties of the relationship between the two principals. */
  RelProps?: ObjectProperties;
  ComboGraphRelationID?: NullableInt64;
  /** Object id of the exposed principal of a list finding. */
  Principal?: string;
  PrincipalKind?: string;
  PrincipalName?: string;
  /** Properties of the exposed principal of a list finding. */
  Props?: ObjectProperties;
  Environment?: string;
  EnvironmentID?: string;
  IsInherited?: boolean | string;
}

/** One attack path occurrence. Every field is optional; fields that the service adds later are kept. */
export type Finding = Unwrapped<WireFinding>;

/** An item of `sparkline`: the state of one environment after one analysis (BloodHound API, docs/openapi.json). */
export interface WireSparklinePoint {
  id?: number;
  created_at?: string;
  updated_at?: string;
  deleted_at?: NullableTime;
  /** Risk of the finding type, 0 to 100. */
  CompositeRisk?: number;
  FindingCount?: number;
  ImpactedAssetCount?: number;
  DomainSID?: string;
}
export type SparklinePoint = Unwrapped<WireSparklinePoint>;
