import type { Alert, AlertEvent, JobAlert, JobFinding } from "./protocol.ts";

/** What a job learns of an alert, beside whether it is open and who closed it. */
export type FollowedAlert = Omit<JobAlert, "status" | "closedBy" | "closedAt" | "reopenedBy">;

/** The alert as the connector delivered it, in the words of a job's request. */
export function followedAlert(
  alert: Pick<Alert, "id" | "environmentId" | "findingType" | "events"> & Partial<Alert>,
): FollowedAlert {
  const { id, environmentId, findingType, severity, priority, events } = alert;
  return {
    alertId: id,
    environmentId,
    findingType,
    ...(severity !== undefined && { severity }),
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

/** Origin of the tenant that an alert is about; null when its events do not say. */
export function originOf({ events }: Pick<Alert, "events">): string | null {
  const [url] = events.flatMap((event) => event["finding_url"] ?? []);
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : null;
}
