import type { AlertEvent, EventField } from "../runtime/protocol.ts";
import type { Environment } from "../service/records/environments.ts";
import type { Finding, ObjectProperties } from "../service/records/findings.ts";
import { parseInstant } from "../service/instants.ts";
import { findingUrl } from "./links.ts";
import { severityOf } from "./severity.ts";

/** What an event says besides its finding: the same for all findings of a pair. */
export interface EventFrame {
  environment: Environment;
  findingType: string;
  title: string;
  product: string;
  vendor: string;
  /** Origin of the tenant, for links. */
  origin: string;
  /** Names of the fields that must hold the product and the event name on every event. */
  productField: string;
  eventField: string;
}

/** `AcceptedUntil` of a finding that was never accepted (BloodHound API, Go's zero time). */
const NEVER = "0001-01-01T00:00:00Z";

/**
 * One finding as a flat event. Fields that the finding does not have are left out; times are epoch milliseconds in
 * `start_time` and `end_time` and the service's own text elsewhere; percentages run from 0 to 100.
 *
 * @param now - epoch milliseconds, the time of an event whose finding has none
 */
export function eventOf(finding: Finding, identity: string, frame: EventFrame, now: number): AlertEvent {
  const start = epochMs(finding.created_at) ?? epochMs(finding.updated_at) ?? now;
  const exposure = percent(finding.ExposurePercentage);
  const impact = percent(finding.ImpactPercentage);
  const event = withoutGaps({
    finding_id: identity,
    finding_type: frame.findingType,
    title: frame.title,
    environment_id: frame.environment.id,
    environment_name: frame.environment.name,
    environment_type: frame.environment.type,
    source_domain: frame.environment.name ?? frame.environment.id,
    severity: severityOf(finding.Severity, exposure, impact),
    impact_percentage: impact,
    impact_count: finding.ImpactCount,
    exposure_percentage: exposure,
    exposure_count: finding.ExposureCount,
    ...principals(finding),
    target_domain: foreignDomain(finding, frame.environment.name),
    start_time: start,
    end_time: Math.max(start, epochMs(finding.updated_at) ?? start),
    created_at: finding.created_at,
    updated_at: finding.updated_at,
    accepted: finding.Accepted,
    accepted_until: finding.AcceptedUntil === NEVER ? undefined : finding.AcceptedUntil,
    device_product: frame.product,
    device_vendor: frame.vendor,
    url: findingUrl(frame.origin, finding),
    ...remaining(finding, frame.environment.id),
  });
  event[frame.productField] ??= frame.product;
  event[frame.eventField] ??= frame.findingType;
  return event;
}

interface Principal {
  id: string | undefined;
  kind: string | undefined;
  name: string | undefined;
  props: ObjectProperties | undefined;
}

/** A list finding names one principal, the exposed one: it is the target. */
function principals(finding: Finding): Record<string, EventField | undefined> {
  const source = {
    id: finding.FromPrincipal,
    kind: finding.FromPrincipalKind,
    name: finding.FromPrincipalName,
    props: finding.FromPrincipalProps,
  };
  const target = {
    id: finding.ToPrincipal ?? finding.Principal,
    kind: finding.ToPrincipalKind ?? finding.PrincipalKind,
    name: finding.ToPrincipalName ?? finding.PrincipalName,
    props: finding.ToPrincipalProps ?? finding.Props,
  };
  return { ...principal("source", source), ...principal("target", target) };
}

function principal(
  side: "source" | "target",
  { id, kind, name: given, props }: Principal,
): Record<string, EventField | undefined> {
  const objectId = id ?? string(props?.["objectid"]);
  const name = string(props?.["name"]) ?? string(given) ?? objectId;
  const role = kind === undefined ? undefined : roles[kind];
  return {
    [`${side}_principal_name`]: name,
    [`${side}_principal_kind`]: kind,
    [`${side}_object_id`]: objectId,
    [`${side}_tier_zero`]: tierZero(props),
    ...(role === undefined ? {} : { [`${side}_${role}`]: name }),
  };
}

/** The domain of the target where it is not the one that the finding was made in. */
function foreignDomain(finding: Finding, name: string | undefined): string | undefined {
  const domain = string((finding.ToPrincipalProps ?? finding.Props)?.["domain"]);
  return domain?.toUpperCase() === name?.toUpperCase() ? undefined : domain;
}

/** Kinds that platforms have an entity for (node kinds: BloodHound graph schema). */
const roles: Record<string, "user" | "host" | "group" | undefined> = {
  User: "user",
  AZUser: "user",
  Computer: "host",
  AZDevice: "host",
  AZVM: "host",
  Group: "group",
  AZGroup: "group",
};

/** Tier zero is a word in `system_tags`, or a flag of its own (BloodHound API, graph nodes). */
function tierZero(props: ObjectProperties | undefined): boolean | undefined {
  if (typeof props?.["isTierZero"] === "boolean") return props["isTierZero"];
  const tags = props?.["system_tags"];
  return typeof tags === "string" ? tags.split(/[\s,]+/).includes("admin_tier_0") : undefined;
}

const mapped = new Set<string>([
  "id",
  "created_at",
  "updated_at",
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

/** The service's scalars that have no field of their own, under the service's names. */
function remaining(finding: Finding, environmentId: string): Record<string, EventField> {
  const rest: Record<string, EventField> = {};
  for (const [key, value] of Object.entries(finding) as [string, unknown][]) {
    const scalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    if (scalar && !mapped.has(key) && value !== "" && value !== environmentId) rest[key] = value;
  }
  return rest;
}

function withoutGaps(fields: Record<string, EventField | undefined>): AlertEvent {
  const event: AlertEvent = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined && value !== "") event[key] = value;
  return event;
}

/** The service gives fractions of 1 (BloodHound API, attack path details). */
function percent(fraction: number | undefined): number | undefined {
  return fraction === undefined ? undefined : Math.round(fraction * 1e6) / 1e4;
}

function epochMs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInstant(text)?.epochMs;
}

function string(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
