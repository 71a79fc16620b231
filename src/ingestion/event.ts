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
  const { environment } = frame;
  const { created_at, updated_at } = finding;
  const created = epochMs(created_at);
  const updated = updated_at === created_at ? created : epochMs(updated_at);
  const start = created ?? updated ?? now;
  const { ExposurePercentage: exposure, ImpactPercentage: impact } = finding;
  const source = sourceOf(finding);
  const target = targetOf(finding);
  const event = withoutGaps({
    finding_id: identity,
    finding_type: frame.findingType,
    title: frame.title,
    environment_id: environment.id,
    environment_name: environment.name,
    environment_type: environment.type,
    source_domain: environment.name ?? environment.id,
    severity: severityOf(finding.Severity, exposure, impact),
    impact_percentage: percent(impact),
    impact_count: finding.ImpactCount,
    exposure_percentage: percent(exposure),
    exposure_count: finding.ExposureCount,
    source_principal_name: source.name,
    source_principal_kind: source.kind,
    source_object_id: source.id,
    source_tier_zero: source.tierZero,
    source_user: source.role === "user" ? source.name : undefined,
    source_host: source.role === "host" ? source.name : undefined,
    source_group: source.role === "group" ? source.name : undefined,
    target_principal_name: target.name,
    target_principal_kind: target.kind,
    target_object_id: target.id,
    target_tier_zero: target.tierZero,
    target_user: target.role === "user" ? target.name : undefined,
    target_host: target.role === "host" ? target.name : undefined,
    target_group: target.role === "group" ? target.name : undefined,
    target_domain: foreignDomain(finding, environment.name),
    start_time: start,
    end_time: Math.max(start, updated ?? start),
    created_at,
    updated_at,
    accepted: finding.Accepted,
    accepted_until: finding.AcceptedUntil === NEVER ? undefined : finding.AcceptedUntil,
    device_product: frame.product,
    device_vendor: frame.vendor,
    url: findingUrl(frame.origin, finding),
  });
  addRemaining(event, finding, environment.id);
  event[frame.productField] ??= frame.product;
  event[frame.eventField] ??= frame.findingType;
  return event;
}

interface Principal {
  id: string | undefined;
  kind: string | undefined;
  name: string | undefined;
  tierZero: boolean | undefined;
  /** What platforms have an entity for. */
  role: "user" | "host" | "group" | undefined;
}

function sourceOf(finding: Finding): Principal {
  const { FromPrincipal, FromPrincipalKind, FromPrincipalName, FromPrincipalProps } = finding;
  return principal(FromPrincipal, FromPrincipalKind, FromPrincipalName, FromPrincipalProps);
}

/** A list finding names one principal, the exposed one: it is the target. */
function targetOf(finding: Finding): Principal {
  return principal(
    finding.ToPrincipal ?? finding.Principal,
    finding.ToPrincipalKind ?? finding.PrincipalKind,
    finding.ToPrincipalName ?? finding.PrincipalName,
    finding.ToPrincipalProps ?? finding.Props,
  );
}

function principal(
  objectId: string | undefined,
  kind: string | undefined,
  name: string | undefined,
  props: ObjectProperties | undefined,
): Principal {
  const id = objectId ?? string(props?.["objectid"]);
  return {
    id,
    kind,
    name: string(props?.["name"]) ?? string(name) ?? id,
    tierZero: tierZero(props),
    role: kind === undefined ? undefined : roles[kind],
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

/** Adds the service's scalars that have no field of ours and say more than the environment, under the service's names. */
function addRemaining(event: AlertEvent, finding: Finding, environmentId: string): void {
  const fields = finding as Record<string, unknown>;
  for (const key in fields) {
    const value = fields[key];
    if (isField(value) && value !== environmentId && !mapped.has(key)) event[key] ??= value;
  }
}

function withoutGaps(fields: Record<string, EventField | undefined>): AlertEvent {
  const event: AlertEvent = {};
  // A loop over Object.entries would cost most of a large run.
  for (const key in fields) {
    const value = fields[key];
    if (isField(value)) event[key] = value;
  }
  return event;
}

/** JSON has no text for the infinite number that a text such as 1e999 becomes. */
function isField(value: unknown): value is EventField {
  if (typeof value === "number") return Number.isFinite(value);
  return (typeof value === "string" && value !== "") || typeof value === "boolean";
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
