import type { AlertEvent, EventField } from "../../runtime/protocol.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import type { FindingEvent } from "./event.ts";
import type { Principal } from "../../findings/principal.ts";
import { shortened } from "../../text.ts";

/** What the whole run says about every event. */
export interface EventLabels {
  readonly product: string;
  readonly vendor: string;
  /** Name of the field that holds the product on every event. */
  readonly productField: string;
  /** Name of the field that holds the event's name on every event. */
  readonly eventField: string;
}

/** What all events of an alert say besides their finding. */
export interface AlertSubject extends EventLabels {
  readonly environment: Environment;
  readonly findingType: string;
  readonly title: string;
  /** Of the page with all findings of the type. */
  readonly findingUrl: string;
  /** Of MITRE ATT&CK, where one is known for the finding type. */
  readonly technique: string | undefined;
}

/** Characters of one field, which no name or id comes near: an alert of many events must stay within a platform's limit. */
const LONGEST_FIELD = 1_000;
const LONGEST_NAME = 100;
/** Characters of all fields of the service that have no field of ours, with their names. */
const MOST_REMAINING = 10_000;
/** Of the properties of a relationship. */
const MOST_PROPERTIES = 25;
const LONGEST_PROPERTY = 500;

/** Fields while they are built. JSON leaves out those that are undefined. */
type EventFields = Record<string, EventField | undefined>;

/**
 * One event as flat fields, so that any platform's mapping can name them. Fields that the finding does not have are
 * undefined, which JSON leaves out; times are epoch milliseconds in `start_time` and `end_time` and the service's own text
 * elsewhere.
 */
export function flatten(event: FindingEvent, subject: AlertSubject): AlertEvent {
  const { environment } = subject;
  const { finding, source, target } = event;
  // An object literal of one shape: taking fields out of it or adding them one by one takes several times as long.
  const flat: EventFields = {
    finding_id: field(event.id),
    finding_type: field(subject.findingType),
    title: field(subject.title),
    environment_id: field(environment.id),
    environment_name: field(environment.name),
    environment_type: field(environment.type),
    source_domain: field(environment.name ?? environment.id),
    severity: field(event.severity),
    impact_percentage: field(event.impact),
    impact_count: field(finding.ImpactCount),
    exposure_percentage: field(event.exposure),
    exposure_count: field(finding.ExposureCount),
    source_principal_name: field(source.name),
    source_principal_kind: field(source.kind),
    source_object_id: field(source.objectId),
    source_tier_zero: field(source.tierZero),
    source_user: field(source.role === "user" ? source.name : undefined),
    source_host: field(source.role === "host" ? source.name : undefined),
    source_group: field(source.role === "group" ? source.name : undefined),
    source_other_id: field(otherId(source)),
    target_principal_name: field(target.name),
    target_principal_kind: field(target.kind),
    target_object_id: field(target.objectId),
    target_tier_zero: field(target.tierZero),
    target_user: field(target.role === "user" ? target.name : undefined),
    target_host: field(target.role === "host" ? target.name : undefined),
    target_group: field(target.role === "group" ? target.name : undefined),
    target_other_id: field(otherId(target)),
    target_domain: field(event.targetDomain),
    start_time: field(event.start),
    end_time: field(event.end),
    created_at: field(event.createdAt),
    updated_at: field(event.updatedAt),
    accepted: field(finding.Accepted),
    accepted_until: field(event.acceptedUntil),
    attack_technique: subject.technique,
    device_product: field(subject.product),
    device_vendor: field(subject.vendor),
    url: field(event.url),
    finding_url: field(subject.findingUrl),
  };
  addRemaining(flat, finding, environment.id);
  addRelationship(flat, finding.RelProps);
  setIfFree(flat, subject.productField, subject.product);
  setIfFree(flat, subject.eventField, subject.findingType);
  return flat as AlertEvent;
}

/** A user or a host is an entity by its name. Its id would be a second entity, and platforms limit their number. */
function otherId({ role, objectId }: Principal): string | undefined {
  return role === "user" || role === "host" ? undefined : objectId;
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

/**
 * Adds the service's scalars that have no field of ours and say more than the environment, under the service's names, as
 * long as there is room.
 */
function addRemaining(flat: EventFields, finding: object, environmentId: string): void {
  const record = finding as Record<string, unknown>;
  let left = MOST_REMAINING;
  // A loop over Object.entries would cost most of a large run.
  for (const name in record) {
    if (record[name] === environmentId || mapped.has(name)) continue;
    const short = shortened(name, LONGEST_NAME);
    const value = field(record[name]);
    left -= value === undefined ? 0 : short.length + String(value).length;
    if (left < 0) return;
    setIfFree(flat, short, value);
  }
}

/** Adds the relationship's own properties; nested values stand as JSON text. They never replace a field. */
function addRelationship(flat: EventFields, properties: Readonly<Record<string, unknown>> = {}): void {
  let left = MOST_PROPERTIES;
  for (const name in properties) {
    const value = properties[name];
    if (value === null || left-- <= 0) continue;
    const scalar = typeof value === "object" ? jsonText(value) : value;
    const short = typeof scalar === "string" ? shortened(scalar, LONGEST_PROPERTY) : scalar;
    setIfFree(flat, `relationship_${shortened(name, LONGEST_NAME)}`, short);
  }
}

/** JSON may be read that is nested too deeply to be written. */
function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** The name may be any text, `constructor` or `__proto__` too. */
function setIfFree(flat: EventFields, name: string, raw: unknown): void {
  const value = field(raw);
  if (value === undefined || (Object.hasOwn(flat, name) && flat[name] !== undefined)) return;
  if (name !== "__proto__") flat[name] = value;
  // An assignment would set the object's prototype.
  else Object.defineProperty(flat, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The value as an event can carry it; JSON has no text for the infinite number that a text such as 1e999 becomes. */
function field(value: unknown): EventField | undefined {
  if (typeof value === "string") return shortened(value, LONGEST_FIELD) || undefined;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "boolean" ? value : undefined;
}
