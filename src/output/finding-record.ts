import { type Alert, type AlertEvent, type EventField, SEVERITIES, type Severity } from "../runtime/protocol.ts";

/** What became of a finding: it is new to the reader, something about it changed, or it is no longer there. */
export type FindingChange = "created" | "updated" | "closed";

/** One finding as an alert of the host contract shows it, for mappings into other formats. A text is never empty. */
export interface FindingRecord {
  readonly change: FindingChange;
  /** Why it changed, for people. */
  readonly reason: string | undefined;
  /** The service's id, or what stands for it. */
  readonly id: string;
  readonly environment: { readonly id: string; readonly name: string };
  readonly findingType: string;
  /** On one line: the title of the finding type, and the environment. */
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  /** In a sentence or two. */
  readonly remediation: string | undefined;
  /** Id in MITRE ATT&CK, such as T1649. */
  readonly technique: string | undefined;
  readonly severity: Severity;
  /** Percent, 0 to 100. */
  readonly impact: number | undefined;
  /** Where the path starts; a list finding has no such end. */
  readonly source: PrincipalRecord | undefined;
  readonly target: PrincipalRecord | undefined;
  /** Epoch milliseconds. */
  readonly start: number;
  /** Epoch milliseconds; never before `start`. */
  readonly end: number;
  /** Whether the service dates the creation, which is then `start`. */
  readonly hasCreationTime: boolean;
  /** Whether the service dates the last change, which is then `end`. */
  readonly hasChangeTime: boolean;
  readonly accepted: boolean;
  /** Of the path, if there is a page for it. */
  readonly url: string | undefined;
  /** Of all findings of the type. */
  readonly findingUrl: string | undefined;
  readonly product: string;
  readonly vendor: string;
  /** The flat fields of the event that say what nothing above says, under the names of the host contract. */
  readonly rest: readonly (readonly [name: string, value: EventField])[];
}

/** One end of a finding. It has an object id or a name. */
export interface PrincipalRecord {
  readonly objectId: string | undefined;
  readonly name: string | undefined;
  /** Such as User. */
  readonly kind: string | undefined;
  readonly tierZero: boolean | undefined;
}

/** The findings of an alert, in its order. Fields of an unexpected type are left out: the service chooses some of their names. */
export function recordsOf(alert: Alert, change: FindingChange): FindingRecord[] {
  return alert.events.map((event) => recordOf(alert, event, change));
}

function recordOf(alert: Alert, event: AlertEvent, change: FindingChange): FindingRecord {
  const start = numberIn(event, "start_time") ?? alert.startTime;
  return {
    change,
    reason: undefined,
    id: textIn(event, "finding_id") ?? "",
    environment: { id: alert.environmentId, name: alert.environmentName },
    findingType: alert.findingType,
    name: alert.name,
    title: alert.title,
    description: textOf(alert.description),
    remediation: textOf(alert.extensions["short_remediation"]),
    technique: textOf(alert.extensions["attack_technique"]),
    severity: SEVERITIES.find((severity) => severity === event["severity"]) ?? "unknown",
    impact: numberIn(event, "impact_percentage"),
    source: principalIn(event, "source"),
    target: principalIn(event, "target"),
    start,
    end: Math.max(start, numberIn(event, "end_time") ?? start),
    hasCreationTime: textIn(event, "created_at") !== undefined,
    hasChangeTime: textIn(event, "updated_at") !== undefined,
    accepted: event["accepted"] === true,
    url: textIn(event, "url"),
    findingUrl: textOf(alert.extensions["finding_url"]),
    product: alert.product,
    vendor: alert.vendor,
    rest: Object.entries(event).filter(([name]) => !MAPPED.has(name)),
  };
}

/** Fields of an event that the record has elsewhere. */
const MAPPED: ReadonlySet<string> = new Set([
  ...[
    "finding_id",
    "finding_type",
    "title",
    "severity",
    "start_time",
    "end_time",
    "attack_technique",
    "url",
    "finding_url",
  ],
  ...["environment_name", "source_domain", "device_product", "device_vendor"],
  ...["source", "target"].flatMap((end) => [
    ...["principal_name", "principal_kind", "object_id", "tier_zero", "user", "host", "group", "other_id"].map(
      (field) => `${end}_${field}`,
    ),
  ]),
]);

function principalIn(event: AlertEvent, end: "source" | "target"): PrincipalRecord | undefined {
  const objectId = textIn(event, `${end}_object_id`);
  const name = textIn(event, `${end}_principal_name`);
  if (objectId === undefined && name === undefined) return undefined;
  const tierZero = event[`${end}_tier_zero`];
  return {
    objectId,
    name,
    kind: textIn(event, `${end}_principal_kind`),
    tierZero: typeof tierZero === "boolean" ? tierZero : undefined,
  };
}

function textIn(event: AlertEvent, name: string): string | undefined {
  return textOf(event[name]);
}

function textOf(value: EventField | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberIn(event: AlertEvent, name: string): number | undefined {
  const value = event[name];
  return typeof value === "number" ? value : undefined;
}
