import type { AlertEvent, EventField } from "../../runtime/protocol.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import type { FindingEvent } from "./event.ts";
import { bounded } from "./text.ts";

/** What all events of an alert say besides their finding. */
export interface AlertSubject {
  readonly environment: Environment;
  readonly findingType: string;
  readonly title: string;
  readonly product: string;
  readonly vendor: string;
  /** Name of the field that holds the product on every event. */
  readonly productField: string;
  /** Name of the field that holds the event's name on every event. */
  readonly eventField: string;
}

/** Characters of one field: no name is as long, and a platform cuts what is longer at a place of its own. */
const LONGEST_FIELD = 4_000;
const LONGEST_NAME = 100;
/** Of the properties of a relationship. */
const MOST_PROPERTIES = 25;
const LONGEST_PROPERTY = 500;

/**
 * One event as flat fields, so that any platform's mapping can name them. Fields that the finding does not have are left
 * out; times are epoch milliseconds in `start_time` and `end_time` and the service's own text elsewhere.
 */
export function flatten(event: FindingEvent, subject: AlertSubject): AlertEvent {
  const { environment } = subject;
  const { finding, source, target } = event;
  const flat = withoutGaps({
    finding_id: event.id,
    finding_type: subject.findingType,
    title: subject.title,
    environment_id: environment.id,
    environment_name: environment.name,
    environment_type: environment.type,
    source_domain: environment.name ?? environment.id,
    severity: event.severity,
    impact_percentage: event.impact,
    impact_count: finding.ImpactCount,
    exposure_percentage: event.exposure,
    exposure_count: finding.ExposureCount,
    source_principal_name: source.name,
    source_principal_kind: source.kind,
    source_object_id: source.objectId,
    source_tier_zero: source.tierZero,
    source_user: source.role === "user" ? source.name : undefined,
    source_host: source.role === "host" ? source.name : undefined,
    source_group: source.role === "group" ? source.name : undefined,
    target_principal_name: target.name,
    target_principal_kind: target.kind,
    target_object_id: target.objectId,
    target_tier_zero: target.tierZero,
    target_user: target.role === "user" ? target.name : undefined,
    target_host: target.role === "host" ? target.name : undefined,
    target_group: target.role === "group" ? target.name : undefined,
    target_domain: event.targetDomain,
    start_time: event.start,
    end_time: event.end,
    created_at: event.createdAt,
    updated_at: event.updatedAt,
    accepted: finding.Accepted,
    accepted_until: event.acceptedUntil,
    device_product: subject.product,
    device_vendor: subject.vendor,
    url: event.url,
  });
  addRemaining(flat, finding, environment.id);
  addRelationship(flat, finding.RelProps);
  setIfFree(flat, subject.productField, subject.product);
  setIfFree(flat, subject.eventField, subject.findingType);
  return flat;
}

/** Fields of a finding that have a field of ours. */
const mapped = new Set<string>([
  "id",
  "created_at",
  "updated_at",
  "deleted_at",
  "Finding",
  "FromPrincipal",
  "FromPrincipalKind",
  "FromPrincipalName",
  "ToPrincipal",
  "ToPrincipalKind",
  "ToPrincipalName",
  "Principal",
  "PrincipalKind",
  "PrincipalName",
  "Accepted",
  "AcceptedUntil",
  "ImpactPercentage",
  "ImpactCount",
  "ExposurePercentage",
  "ExposureCount",
  "Severity",
]);

/** Adds the service's scalars that have no field of ours and say more than the environment, under the service's names. */
function addRemaining(flat: AlertEvent, finding: object, environmentId: string): void {
  const record = finding as Record<string, unknown>;
  // A loop over Object.entries would cost most of a large run.
  for (const name in record) {
    if (record[name] !== environmentId && !mapped.has(name)) setIfFree(flat, bounded(name, LONGEST_NAME), record[name]);
  }
}

/** Adds the relationship's own properties; nested values stand as JSON text. They never replace a field. */
function addRelationship(flat: AlertEvent, properties: Readonly<Record<string, unknown>> = {}): void {
  const known = Object.entries(properties).filter(([, value]) => value !== null);
  for (const [name, value] of known.slice(0, MOST_PROPERTIES)) {
    const field = typeof value === "object" ? JSON.stringify(value) : value;
    const short = typeof field === "string" ? bounded(field, LONGEST_PROPERTY) : field;
    setIfFree(flat, `relationship_${bounded(name, LONGEST_NAME)}`, short);
  }
}

/** Unlike an assignment, this makes a field of any name, `__proto__` and `constructor` too. */
function setIfFree(flat: AlertEvent, name: string, raw: unknown): void {
  const value = fieldOf(raw);
  if (value === undefined || Object.hasOwn(flat, name)) return;
  Object.defineProperty(flat, name, { value, enumerable: true, configurable: true, writable: true });
}

function withoutGaps(fields: Record<string, unknown>): AlertEvent {
  const flat: AlertEvent = {};
  for (const name in fields) {
    const value = fieldOf(fields[name]);
    if (value !== undefined) flat[name] = value;
  }
  return flat;
}

/** The value as an event can carry it; JSON has no text for the infinite number that a text such as 1e999 becomes. */
function fieldOf(value: unknown): EventField | undefined {
  if (typeof value === "string") return value === "" ? undefined : bounded(value, LONGEST_FIELD);
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "boolean" ? value : undefined;
}
