import type { Alert, Severity } from "../../runtime/protocol.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import type { Batch } from "../read-stream.ts";
import type { Description } from "../descriptions.ts";
import { type FindingEvent, eventOf } from "./event.ts";
import { type AlertSubject, type EventLabels, flatten } from "./flatten.ts";
import { findingUrl } from "./links.ts";
import { priorityOf } from "../../findings/severity.ts";
import { techniqueOf } from "./techniques.ts";
import { firstText } from "../../findings/principal.ts";
import { shortHash } from "../../hash.ts";
import { oneLine, shortened } from "../../text.ts";
import { worstOf } from "../../runtime/severity.ts";

/** What all alerts of a run share. */
export interface AlertLabels extends EventLabels {
  /** Of the tenant, for links. */
  readonly origin: string;
}

/** Platforms cut longer names. */
const LONGEST_NAME = 250;
const LONGEST_DOMAIN = 100;
const LONGEST_TEXT = 60_000;

/**
 * The alert of one batch.
 *
 * @param batch - with at least one finding
 * @param now - epoch milliseconds of the run
 */
export function alertOf(
  batch: Pick<Batch, "stream" | "findings">,
  description: Description,
  labels: AlertLabels,
  now: number,
): Alert {
  const { environment, findingType } = batch.stream;
  const { origin, ...fields } = labels;
  const context = { environmentName: environment.name, origin, now };
  const events = batch.findings.map((finding) => eventOf(finding, context));
  const type = shortened(findingType, LONGEST_TEXT);
  const title = firstText(...[description.title, type].map((text) => oneLine(text, LONGEST_NAME - 1))) ?? "Attack path";
  const severity = severityOfAll(events);
  const url = findingUrl(origin, environment.id, findingType);
  const technique = techniqueOf(findingType);
  const subject: AlertSubject = { ...fields, environment, findingType, title, findingUrl: url, technique };
  return {
    id: alertId(environment.id, findingType, events),
    name: nameOf(title, environment),
    severity,
    priority: priorityOf(severity),
    startTime: events.reduce((earliest, { start }) => Math.min(earliest, start), Infinity),
    endTime: events.reduce((latest, { end }) => Math.max(latest, end), -Infinity),
    sourceGroupingIdentifier: environment.id,
    environmentId: environment.id,
    environmentName: shortened(environment.name ?? environment.id, LONGEST_NAME),
    findingType: type,
    title,
    description: shortened(description.short_description, LONGEST_TEXT),
    product: labels.product,
    vendor: labels.vendor,
    tags: ["attack-path", type],
    extensions: extensionsOf(description, url, technique),
    events: events.map((event) => flatten(event, subject)),
  };
}

/** Title and domain: a list of alerts shows nothing else of them. A title that is too long is cut, and not the domain. */
function nameOf(title: string, { id, name = "" }: Environment): string {
  const ending = ` in ${firstText(oneLine(name, LONGEST_DOMAIN)) ?? oneLine(id, LONGEST_DOMAIN)}`;
  return `${shortened(title, LONGEST_NAME - ending.length - 1)}${ending}`;
}

/** Accepted findings do not raise the severity; an alert of nothing else is low. */
function severityOfAll(events: readonly FindingEvent[]): Severity {
  const open = events.filter(({ accepted }) => !accepted);
  return open.length === 0 ? "low" : worstOf(open.map(({ severity }) => severity));
}

/** The same findings give the same id in any order, so that a host recognises an alert that it already has. */
function alertId(environmentId: string, findingType: string, events: readonly FindingEvent[]): string {
  const content = JSON.stringify([environmentId, findingType, ...events.map(({ occurrence }) => occurrence).sort()]);
  return shortHash(content, 27);
}

function extensionsOf(
  { short_remediation, long_remediation }: Description,
  url: string,
  technique: string | undefined,
): Record<string, string> {
  const extensions: Record<string, string> = { finding_url: shortened(url, LONGEST_TEXT) };
  if (technique !== undefined) extensions["attack_technique"] = technique;
  if (short_remediation !== "") extensions["short_remediation"] = shortened(short_remediation, LONGEST_TEXT);
  if (long_remediation !== "") extensions["long_remediation"] = shortened(long_remediation, LONGEST_TEXT);
  return extensions;
}
