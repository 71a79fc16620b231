import { shortHash } from "../hash.ts";
import type { EventField, Severity } from "../runtime/protocol.ts";
import type { FindingChange, FindingRecord, PrincipalRecord } from "./finding-record.ts";

/** The version of the Open Cybersecurity Schema Framework (https://schema.ocsf.io) whose attributes this file writes. */
const OCSF_VERSION = "1.8.0";

const CLASS = { uid: 2004, name: "Detection Finding" } as const;

const ACTIVITIES: Readonly<Record<FindingChange, Choice>> = {
  created: { id: 1, caption: "Create" },
  updated: { id: 2, caption: "Update" },
  closed: { id: 3, caption: "Close" },
};

const SEVERITIES: Readonly<Record<Severity, Choice>> = {
  critical: { id: 5, caption: "Critical" },
  high: { id: 4, caption: "High" },
  moderate: { id: 3, caption: "Medium" },
  low: { id: 2, caption: "Low" },
  unknown: { id: 0, caption: "Unknown" },
};

const NEW: Choice = { id: 1, caption: "New" };
const SUPPRESSED: Choice = { id: 3, caption: "Suppressed" };
const RESOLVED: Choice = { id: 4, caption: "Resolved" };

const TARGET: Choice = { id: 1, caption: "Target" };
const ACTOR: Choice = { id: 2, caption: "Actor" };

/** One of the values that the schema lists for an attribute. */
interface Choice {
  readonly id: number;
  readonly caption: string;
}

/** JSON that leaves out what is undefined. */
type OcsfValue = EventField | undefined | readonly OcsfValue[] | { readonly [attribute: string]: OcsfValue };
export type OcsfEvent = Readonly<Record<string, OcsfValue>>;

export function ocsfLine(record: FindingRecord): string {
  return JSON.stringify(ocsfEvent(record));
}

/** One finding as an event of the class Detection Finding. The same finding gives the same event. */
export function ocsfEvent(record: FindingRecord): OcsfEvent {
  const activity = ACTIVITIES[record.change];
  const severity = SEVERITIES[record.severity];
  const status = statusOf(record);
  return {
    activity_id: activity.id,
    activity_name: activity.caption,
    category_uid: 2,
    category_name: "Findings",
    class_uid: CLASS.uid,
    class_name: CLASS.name,
    type_uid: CLASS.uid * 100 + activity.id,
    type_name: `${CLASS.name}: ${activity.caption}`,
    time: instant(record.change === "created" ? record.start : record.end),
    start_time: instant(record.start),
    end_time: instant(record.end),
    severity_id: severity.id,
    severity: severity.caption,
    status_id: status.id,
    status: status.caption,
    status_detail: text(record.reason),
    is_alert: record.change === "created" && !record.accepted,
    message: messageOf(record),
    impact_score: record.impact === undefined ? undefined : Math.round(Math.min(100, Math.max(0, record.impact))),
    metadata: {
      version: OCSF_VERSION,
      product: { name: record.product, vendor_name: record.vendor },
      original_event_uid: text(record.id),
    },
    finding_info: findingInfo(record),
    resources: nonEmpty([
      ...(record.target === undefined ? [] : [resourceOf(record.target, TARGET)]),
      ...(record.source === undefined ? [] : [resourceOf(record.source, ACTOR)]),
    ]),
    remediation: remediationOf(record),
    unmapped: Object.fromEntries([
      ["environment_name", text(record.environment.name)],
      ...record.rest.map(([name, value]) => [name.toWellFormed(), typeof value === "string" ? text(value) : value]),
    ]) as Record<string, OcsfValue>,
  };
}

/**
 * The identity of a finding across runs, commands and changes: it depends on the environment, the finding type, and the finding, which is its
 * id together with its principals.
 */
function uidOf({ environment, findingType, id, source, target }: FindingRecord): string {
  const identity = [environment.id, findingType, id, source?.objectId ?? "", target?.objectId ?? ""];
  return shortHash(JSON.stringify(identity), 27);
}

function statusOf({ change, accepted }: FindingRecord): Choice {
  if (change === "closed") return RESOLVED;
  return accepted ? SUPPRESSED : NEW;
}

function findingInfo(record: FindingRecord): OcsfValue {
  const { findingType, title, technique } = record;
  return {
    uid: uidOf(record),
    title: text(title),
    desc: text(record.description),
    types: [text(findingType)],
    analytic: { type_id: 1, type: "Rule", uid: text(findingType), name: text(title) },
    created_time: record.hasCreationTime ? instant(record.start) : undefined,
    modified_time: record.hasChangeTime ? instant(record.end) : undefined,
    data_sources: [text(record.environment.name)],
    src_url: text(record.url ?? record.findingUrl),
    attacks: technique === undefined ? undefined : [attackOf(technique)],
    attack_graph: graphOf(record),
  };
}

/** The finding as a directed graph: an edge between the two principals, or the exposed principal alone. */
function graphOf({ source, target, findingType, title }: FindingRecord): OcsfValue {
  if (target === undefined) return undefined;
  const [from, to] = [source === undefined ? undefined : nodeId(source), nodeId(target)];
  const ends = source === undefined || from === to ? [target] : [source, target];
  return {
    name: text(title),
    is_directed: true,
    nodes: ends.map((end) => ({
      uid: nodeId(end),
      name: text(end.name),
      type: text(end.kind),
      data: end.tierZero === undefined ? undefined : { tier_zero: end.tierZero },
    })),
    edges:
      from === undefined
        ? undefined
        : [{ source: from, target: to, name: text(findingType), relation: text(findingType), is_directed: true }],
  };
}

function nodeId({ objectId, name = "" }: PrincipalRecord): string {
  return (objectId ?? name).toWellFormed();
}

function resourceOf({ objectId, name, kind, tierZero }: PrincipalRecord, role: Choice): OcsfValue {
  return {
    uid: text(objectId),
    name: text(name),
    type: text(kind),
    role_id: role.id,
    role: role.caption,
    labels: tierZero === true ? ["Tier Zero"] : undefined,
  };
}

function remediationOf({ remediation, findingUrl }: FindingRecord): OcsfValue {
  if (remediation === undefined) return undefined;
  return { desc: text(remediation), references: findingUrl === undefined ? undefined : [text(findingUrl)] };
}

function messageOf({ name, source, target }: FindingRecord): string {
  const ends = [source, target].flatMap((end) => end?.name ?? end?.objectId ?? []);
  return `${name}${ends.length === 0 ? "" : `: ${ends.join(" → ")}`}`.toWellFormed();
}

/** T1021.003 is a sub-technique of T1021, and has the page T1021/003. */
function attackOf(id: string): OcsfValue {
  const referenceOf = (uid: string) => ({
    uid,
    src_url: `https://attack.mitre.org/techniques/${uid.replace(".", "/")}/`,
  });
  const [technique = id] = id.split(".");
  return { technique: referenceOf(technique), sub_technique: id === technique ? undefined : referenceOf(id) };
}

/** The schema counts in whole milliseconds. */
function instant(ms: number): number {
  return Math.trunc(ms);
}

/** JSON may carry halves of characters, which many readers refuse. */
function text(value: string | undefined): string | undefined {
  return value?.toWellFormed();
}

function nonEmpty(list: readonly OcsfValue[]): OcsfValue {
  return list.length === 0 ? undefined : list;
}
