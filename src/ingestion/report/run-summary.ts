import type { ServiceError } from "../../service/errors/errors.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import { named } from "../../text.ts";
import type { StreamReason } from "../skip-decision.ts";
import type { DescriptionFailure } from "../descriptions.ts";
import type { EnvironmentItem, TypesItem } from "../poll-items.ts";
import { environmentName, type Scope, type Stream, streamName } from "../scope.ts";
import type { CriterionName, LeftOut, Selection } from "../selection.ts";

/**
 * What became of an environment or a stream. `unchanged`: evidence showed that it holds nothing new. `left`: the run
 * ended before it was read to its end. `unanswered`: it kept the run waiting until the run ended.
 */
export type Outcome = "read" | "unchanged" | "failed" | "left" | "unanswered";

export interface StreamReport {
  readonly stream: Stream;
  /** Why it was read or not; null until that is known. */
  reason: StreamReason | null;
  outcome: Outcome;
  error: ServiceError | null;
  findings: number;
  alerts: number;
  /** See `LeftOut`. */
  readonly leftOut: Map<CriterionName, number>;
}

export interface EnvironmentReport {
  readonly environment: Environment;
  outcome: Outcome;
  error: ServiceError | null;
  /** Null until it is decided what to do with the environment. */
  item: EnvironmentItem | null;
  /** Null until its finding types are listed. */
  types: TypesItem | null;
  readonly streams: Map<string, StreamReport>;
}

/** What a run did, as data for the connector's message. */
export interface RunSummary {
  readonly selection: Selection;
  readonly findings: number;
  readonly alerts: number;
  /** Values that were left out of delivered findings because they are not of the documented type. */
  readonly invalidValues: number;
  /** Null when the environments could not be listed. */
  readonly scope: Scope | null;
  readonly environments: readonly EnvironmentReport[];
  /** Why the environments could not be listed. */
  readonly tenantError: ServiceError | null;
  /** What ended the run before everything was read. */
  readonly ended: ServiceError | null;
  /** Whether the run stopped because the host accepts no more alerts. */
  readonly alertsExhausted: boolean;
  /** Selected Finding Types that no environment offers; empty when not all environments could be asked. */
  readonly unofferedTypes: readonly string[];
  /** Streams that were read although the list of finding types lacks them. */
  readonly unlisted: readonly StreamReport[];
  /** Whether these are all that are selected, while others are offered, and none was ever offered: then the names are wrong. */
  readonly noTypeKnown: boolean;
  readonly descriptions: readonly DescriptionFailure[];
  /** What happened to the connector's memory; empty in most runs. */
  readonly memory: readonly MemoryNote[];
}

/**
 * `damaged` and `other_tenant`: the state was ignored. `returned`: findings may have been delivered before they were gone. The others name how many streams they concern. */
export type MemoryNote =
  | { readonly kind: "damaged" | "other_tenant"; readonly detail: string }
  | { readonly kind: "returned"; readonly findings: number }
  | {
      readonly kind: "clock_set_back" | "ids_reused" | "ids_reused_unread" | "window_cut" | "ids_cut";
      readonly streams: number;
    };

export function isDone({ outcome }: { outcome: Outcome }): boolean {
  return outcome === "read" || outcome === "unchanged";
}

/** What the criteria have left out of all streams. */
export function leftOutOf({ environments }: Pick<RunSummary, "environments">): LeftOut {
  const sums = new Map<CriterionName, number>();
  for (const { streams } of environments)
    for (const { leftOut } of streams.values())
      for (const [criterion, count] of leftOut) sums.set(criterion, (sums.get(criterion) ?? 0) + count);
  return sums;
}

/** Whether the run left nothing of an environment unread. */
export function isComplete(report: EnvironmentReport): boolean {
  const { types, streams } = report;
  return isDone(report) && (types?.unreadable ?? 0) === 0 && [...streams.values()].every(isDone);
}

/** Whether the run read everything that is selected, descriptions included. */
export function isWhole({ scope, ended, tenantError, environments, descriptions }: RunSummary): boolean {
  const listed = scope !== null && scope.unreadable === 0 && environments.length >= scope.selected.length;
  return (
    listed && ended === null && tenantError === null && environments.every(isComplete) && descriptions.length === 0
  );
}

/** Whether the list of an environment has finding types without a usable name. */
export function hasUnreadableTypes(report: EnvironmentReport | StreamReport): boolean {
  return "types" in report && (report.types?.unreadable ?? 0) > 0;
}

/** What ended the run, or else the first of the failures that did not; null when there was none. */
export function firstError({ ended, tenantError, environments }: RunSummary): ServiceError | null {
  const reports = environments.flatMap((report) => [report, ...report.streams.values()]);
  return ended ?? tenantError ?? reports.find(({ error }) => error !== null)?.error ?? null;
}

/** What people call the part of a run that a report is about. */
export function nameOf(report: EnvironmentReport | StreamReport): string {
  return named("stream" in report ? streamName(report.stream) : environmentName(report.environment));
}
