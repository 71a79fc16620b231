import { isObject } from "../json.ts";
import { counted } from "../text.ts";
import { isSeverity, worstOf } from "./severity.ts";
import type { Alert, AlertChangeMessage, AlertEvent, JobAlert, JobFinding } from "./protocol.ts";

/** Whether an alert is open, and who closed and reopened it. */
export type Standing = Pick<JobAlert, "status" | "closedBy" | "closedAt" | "reopenedBy">;

/** What a job learns of an alert, beside its standing. */
export type FollowedAlert = Omit<JobAlert, keyof Standing>;

/** The status of an alert after a change; unchanged if the change does not affect it. */
export function standingAfter({ change }: Pick<AlertChangeMessage, "change">, before: Standing, now: number): Standing {
  if (change === "close") return { status: "closed", closedBy: "job", closedAt: now, reopenedBy: null };
  if (change === "reopen") return { ...before, status: "open", reopenedBy: "job" };
  return before;
}

/** Whether a value looks like an alert of the connector, enough for `followedAlert`. What that makes of it is still to be checked. */
export function isAlert(value: unknown): value is Alert {
  return (
    isObject(value) &&
    typeof value["id"] === "string" &&
    Array.isArray(value["events"]) &&
    value["events"].every(isObject)
  );
}

/** The alert as the connector delivered it, in the words of a job's request. */
export function followedAlert(
  alert: Pick<Alert, "id" | "environmentId" | "findingType" | "events"> & Partial<Alert>,
): FollowedAlert {
  const { id, environmentId, findingType, severity, priority, events } = alert;
  // The alert is low if its findings were accepted when it was delivered.
  const own = events.map((event) => event["severity"]).filter(isSeverity);
  const worst = own.length === 0 ? severity : worstOf(own);
  return {
    alertId: id,
    environmentId,
    findingType,
    ...(worst !== undefined && { severity: worst }),
    ...(priority !== undefined && { priority }),
    findings: events.map(findingOf),
  };
}

function findingOf(event: AlertEvent): JobFinding {
  const source = event["source_object_id"];
  return {
    id: String(event["finding_id"]),
    source: source === undefined ? null : String(source),
    target: String(event["target_object_id"] ?? ""),
    createdAt: event["created_at"] === undefined ? 0 : Number(event["start_time"]),
  };
}

/**
 * @param tenant - the address of a tenant, with its path prefix if it has one
 * @param unlinked - whether an alert without links counts as one about it; default: yes
 */
export function isAbout({ events }: Pick<Alert, "events">, tenant: string, unlinked = true): boolean {
  const [link] = events.flatMap((event) => event["finding_url"] ?? []);
  // A tenant under a path prefix has the same beginning as one without, up to its pages.
  return typeof link === "string" && URL.canParse(link) ? link.startsWith(`${tenant}/ui/`) : unlinked;
}

/** For people: how many alerts were left out because they are about another tenant. Empty for none. */
export function leftOutNote(count: number): string {
  return count === 0 ? "" : `Left out ${counted(count, "alert")} of another tenant.`;
}
