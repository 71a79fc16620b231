import type { FindingEvent } from "../ingestion/mapping/event.ts";
import { environmentName, type Stream } from "../ingestion/scope.ts";
import type { Severity } from "../runtime/protocol.ts";

/**
 * A finding as the library and the command line give it, under the names that the events of an alert have. What the service does not
 * say is null.
 */
export type FindingRecord = Readonly<{
  /** The same text for the same finding in every response. */
  finding_id: string;
  environment_id: string;
  /** The id where no name is known. */
  environment_name: string;
  finding_type: string;
  /** The service's own word, or what follows from exposure or impact where it has none. */
  severity: Severity;
  source_principal_name: string | null;
  source_principal_kind: string | null;
  source_object_id: string | null;
  target_principal_name: string | null;
  target_principal_kind: string | null;
  target_object_id: string | null;
  /** Share of the environment that the exposed principal can control, 0 to 100. */
  impact_percentage: number | null;
  /** Share of the environment that can use the path, 0 to 100. */
  exposure_percentage: number | null;
  /** RFC 3339 instant. */
  created_at: string | null;
  /** RFC 3339 instant. */
  updated_at: string | null;
  /** Whether the risk was accepted. */
  accepted: boolean;
  /** RFC 3339 instant. */
  accepted_until: string | null;
  /** Page of the path in the tenant. */
  finding_url: string | null;
}>;

/** Pure. */
export function findingRecord(event: FindingEvent, { environment, findingType }: Stream): FindingRecord {
  const { id, severity, source, target, impact, exposure } = event;
  return {
    finding_id: id,
    environment_id: environment.id,
    environment_name: environmentName(environment),
    finding_type: findingType,
    severity,
    source_principal_name: source.name ?? null,
    source_principal_kind: source.kind ?? null,
    source_object_id: source.objectId ?? null,
    target_principal_name: target.name ?? null,
    target_principal_kind: target.kind ?? null,
    target_object_id: target.objectId ?? null,
    impact_percentage: impact ?? null,
    exposure_percentage: exposure ?? null,
    created_at: event.createdAt ?? null,
    updated_at: event.updatedAt ?? null,
    accepted: event.accepted,
    accepted_until: event.acceptedUntil ?? null,
    finding_url: event.url ?? null,
  };
}

/** Their names, in the order of a record. */
export const findingFields: readonly string[] = Object.keys(
  findingRecord({ source: {}, target: {} } as FindingEvent, { environment: { id: "" }, findingType: "" }),
);
