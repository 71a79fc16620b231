import { eventOf } from "../ingestion/mapping/event.ts";
import { newFinding } from "../ingestion/new-finding.ts";
import type { Stream } from "../ingestion/scope.ts";
import { type EnvironmentRecord, environmentRecord } from "../records/environment-record.ts";
import { type FindingRecord, findingRecord } from "../records/finding-record.ts";
import { type TrendRecord, trendRecord } from "../records/trend-record.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { Finding, SparklinePoint } from "../service/resources/findings.records.ts";

/** What a program may also need: the service's own record, with all of its fields under its names and in its units. */
interface Recorded<T> {
  readonly record: T;
}

export type ClientFinding = FindingRecord &
  Recorded<Finding> &
  Readonly<{
    /** RFC 3339 instant; an empty text when it cannot be read, null when the finding was not deleted. */
    deleted_at: string | null;
  }>;
export type ClientEnvironment = EnvironmentRecord & Recorded<Environment>;
export type ClientTrendPoint = TrendRecord & Recorded<SparklinePoint>;

/** @param origin - of the tenant, for links */
export function clientFinding(finding: Finding, stream: Stream, origin: string): ClientFinding {
  // The record holds none of the times that an event without one takes from the clock.
  const context = { environmentName: stream.environment.name, origin, now: 0 };
  const event = eventOf(newFinding(finding), context);
  return { ...findingRecord(event, stream), deleted_at: finding.deleted_at ?? null, record: finding };
}

export function clientEnvironment(environment: Environment): ClientEnvironment {
  return { ...environmentRecord(environment), record: environment };
}

export function clientTrendPoint(point: SparklinePoint): ClientTrendPoint {
  return { ...trendRecord(point), record: point };
}
