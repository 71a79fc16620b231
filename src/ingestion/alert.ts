import { createHash } from "node:crypto";
import type { Alert, AlertEvent, Severity } from "../runtime/protocol.ts";
import type { FindingTexts } from "./documents.ts";
import type { EventFrame } from "./event.ts";
import { priorityOf, worst } from "./severity.ts";

/**
 * The alert of one environment and finding type.
 *
 * @param events - at least one, made with the same frame
 */
export function alertOf(events: AlertEvent[], frame: EventFrame, texts: FindingTexts): Alert {
  const { environment, findingType, title } = frame;
  const severity = worst(events.map((event) => event["severity"] as Severity));
  return {
    id: alertId(environment.id, findingType, events),
    name: title,
    severity,
    priority: priorityOf(severity),
    startTime: events.reduce((earliest, event) => Math.min(earliest, Number(event["start_time"])), Infinity),
    endTime: events.reduce((latest, event) => Math.max(latest, Number(event["end_time"])), -Infinity),
    sourceGroupingIdentifier: environment.id,
    environmentId: environment.id,
    environmentName: environment.name ?? environment.id,
    findingType,
    title,
    description: texts.shortDescription,
    product: frame.product,
    vendor: frame.vendor,
    tags: ["attack-path", findingType],
    extensions: extensionsOf(texts),
    events,
  };
}

/** The same findings give the same id, so that a host recognises an alert that it already holds. */
function alertId(environmentId: string, findingType: string, events: AlertEvent[]): string {
  const hash = createHash("sha256").update(JSON.stringify([environmentId, findingType]));
  for (const event of events) hash.update(`\n${String(event["finding_id"])}`);
  return hash.digest("base64url").slice(0, 27);
}

function extensionsOf(texts: FindingTexts): Record<string, string> {
  const extensions: Record<string, string> = {};
  if (texts.shortRemediation !== "") extensions["short_remediation"] = texts.shortRemediation;
  if (texts.longRemediation !== "") extensions["long_remediation"] = texts.longRemediation;
  return extensions;
}
