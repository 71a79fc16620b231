import type { ServiceError } from "../../service/errors/errors.ts";
import { named } from "../../text.ts";
import {
  type EnvironmentReport,
  hasUnreadableTypes,
  isWhole,
  nameOf,
  type RunSummary,
  type StreamReport,
} from "./run-summary.ts";

/**
 * What a person must look at, one text for each. Unlike the sentences of the message, the texts stay the same from run to run until something
 * changes: they hold no figures, no times and no request ids. What the next run reads in any case is not among them.
 */
export function attentionOf(summary: RunSummary): string[] {
  const { selection, scope, environments, unofferedTypes, memory, descriptions } = summary;
  const reports = environments.flatMap((report) => [report, ...report.streams.values()]);
  const texts = [
    ...[summary.ended, summary.tenantError].flatMap((error) => (error === null ? [] : [`run: ${reasonOf(error)}`])),
    ...reports.flatMap(unreadTexts),
    ...((scope?.unreadable ?? 0) > 0 ? ["environments: unreadable"] : []),
    ...(scope?.unknown ?? []).map((name) => `${selection.nameOf("Selected Environments")}: ${named(name)}`),
    ...unofferedTypes.map((name) => `${selection.nameOf("Selected Finding Types")}: ${named(name)}`),
    ...descriptions.map(({ findingType }) => `description: ${named(findingType)}`),
    ...memory.map(({ kind }) => `state: ${kind}`),
  ];
  // Streams are read side by side, so their order may differ from run to run.
  return [...new Set(texts)].sort();
}

/** Whether a run left something out, or has something to say that a person must look at. */
export function needsAttention(summary: RunSummary): boolean {
  return !isWhole(summary) || attentionOf(summary).length > 0;
}

function unreadTexts(report: EnvironmentReport | StreamReport): string[] {
  const { outcome, error } = report;
  return [
    ...(outcome === "failed" ? [error === null ? outcome : reasonOf(error)] : []),
    ...(outcome === "unanswered" ? [outcome] : []),
    ...(hasUnreadableTypes(report) ? ["unreadable"] : []),
  ].map((reason) => `${nameOf(report)}: ${reason}`);
}

function reasonOf({ code, status }: ServiceError): string {
  return status === undefined ? code : `${code} (${status})`;
}
