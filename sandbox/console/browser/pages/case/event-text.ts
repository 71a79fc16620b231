import { visible, words } from "../../../../../widgets/shared/text.ts";
import type { AlertEvent } from "../../../../../src/runtime/protocol.ts";
import { instant } from "../../format.ts";

/** How finding types of the service are named before the relationship that they are about. */
const PREFIX = /^(?:(AzureT0)|NonT0|T0|LargeDefaultGroups|Unconstrained)(?=[A-Z])/;
/** Relationships that finding types call by another name. */
const RENAMED: Readonly<Record<string, string>> = {
  Logins: "HasSession",
  WriteDACL: "WriteDacl",
  RDP: "CanRDP",
  PSRemote: "CanPSRemote",
  Admins: "AdminTo",
  DCSyncers: "DCSync",
};
/** What a relationship allows, where it is less than to take the other object over. */
const ALLOWS: Readonly<Record<string, string>> = {
  HasSession: "exposes the credentials of",
  CanRDP: "can open a remote desktop on",
  CanPSRemote: "can run PowerShell on",
  DCSync: "can read every password hash of",
};

/** The relationship that a finding is about, as its type names it. */
export function relationOf(event: AlertEvent): string {
  const type = String(event["finding_type"] ?? "");
  const edge = type.replace(PREFIX, (_, azure?: string) => (azure === undefined ? "" : "AZ"));
  return Object.hasOwn(RENAMED, edge) ? (RENAMED[edge] ?? edge) : edge;
}

/** One end of a finding by its name; null when the event has none. */
export function nameIn(event: AlertEvent, end: "source" | "target"): string | null {
  const name = event[`${end}_principal_name`] ?? event[`${end}_object_id`];
  return typeof name === "string" && name !== "" ? visible(name) : null;
}

/** What a finding means, in one sentence. */
export function eventSentence(event: AlertEvent): string {
  const [source, target] = [nameIn(event, "source"), nameIn(event, "target")];
  const at = timeIn(event["created_at"] ?? event["start_time"]);
  const facts = [
    String(event["severity"] ?? "severity unknown"),
    ...(event["accepted"] === true ? ["accepted"] : []),
    ...(at === null ? [] : [`first seen ${at}`]),
  ].join("; ");
  if (source === null || target === null)
    return `${visible(String(event["title"] ?? "Finding"))}: ${source ?? target ?? "unnamed object"}; ${facts}.`;
  const relation = visible(relationOf(event));
  const verb = (Object.hasOwn(ALLOWS, relation) ? ALLOWS[relation] : undefined) ?? "can take over";
  return `${source} ${verb} ${target}: ${relation} on ${objectText(event)}; ${facts}.`;
}

function objectText(event: AlertEvent): string {
  const kind = String(event["target_principal_kind"] ?? "object").toLowerCase();
  return event["target_tier_zero"] === true ? `a Tier Zero ${visible(kind)}` : `the ${visible(kind)}`;
}

/** A time of an event, whether it is a number of milliseconds or a text; null when it is none. */
function timeIn(value: AlertEvent[string] | undefined): string | null {
  const at = typeof value === "string" ? Date.parse(value) : value;
  return typeof at === "number" && Number.isFinite(at) && at > 0 ? instant(at) : null;
}

const LABELS: Readonly<Record<string, string>> = {
  ComboGraphRelationID: "Relationship number",
  PrincipalHash: "Hash of the principals",
  relationship_isacl: "Is an access right",
  relationship_isinherited: "Is inherited",
  relationship_lastseen: "Relationship last seen",
  finding_url: "Page of the finding type",
  url: "Page of the path",
  source_user: "Source as user",
  target_user: "Target as user",
};

/** The name of a field as a person reads it. */
export function fieldLabel(name: string): string {
  return Object.hasOwn(LABELS, name) ? (LABELS[name] ?? name) : words(name);
}

/** The value of a field as a person reads it. */
export function fieldText(name: string, value: AlertEvent[string]): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (/(_time|_at|lastseen)$/.test(name)) return timeIn(value) ?? String(value);
  return /_percentage$/.test(name) ? `${String(value)} %` : String(value);
}
