import type { JsonObject } from "../../runtime/protocol.ts";
import { listed, named } from "../../text.ts";
import type { ServiceError } from "../../service/errors/errors.ts";
import { reasonOf } from "../optional-routes.ts";
import { attentionOf } from "./attention.ts";
import {
  type EnvironmentReport,
  hasUnreadableTypes,
  isDone,
  leftOutOf,
  nameOf,
  type RunSummary,
  type StreamReport,
} from "./run-summary.ts";

/** Decisions, failures, parts that were not read, and what needs attention, each: a host that stores results does not need 100,000 of them. */
const MOST_NAMED = 1_000;

/** What the message of a run says, as figures. */
export function figures(summary: RunSummary): JsonObject {
  const { environments, scope, ended, tenantError } = summary;
  const all = environments.flatMap((report) => [...report.streams.values()]);
  const failures = [...environments, ...all].filter(({ error }) => error !== null);
  // A server that never responded fails the list and ends the run with the same error.
  const general = [...new Set([tenantError, ended])].filter((error) => error !== null);
  return {
    findings: summary.findings,
    alerts: summary.alerts,
    invalidValues: summary.invalidValues,
    leftOut: Object.fromEntries(leftOutOf(summary)),
    environments: scope?.selected.length ?? environments.length,
    environmentsSkipped: environments.filter(({ outcome }) => outcome === "unchanged").length,
    streams: all.length,
    streamsUnread: all.filter((report) => !isDone(report)).length,
    incomplete: [...environments, ...all]
      .filter((report) => !isDone(report) || hasUnreadableTypes(report))
      .slice(0, MOST_NAMED)
      .map(unreadFigures),
    environmentsUnreadable: scope?.unreadable ?? 0,
    attention: attentionOf(summary).slice(0, MOST_NAMED),
    decisions: decisions(environments).slice(0, MOST_NAMED),
    descriptionsMissing: summary.descriptions.length,
    failures: [
      ...failures.slice(0, MOST_NAMED).map((report) => ({ what: nameOf(report), error: report.error })),
      ...general.map((error) => ({ what: "run", error })),
    ]
      .map(({ what, error }) => failureFigures(what, error?.message ?? null, error))
      .concat(descriptionFigures(summary)),
  };
}

/** Why each environment was skipped, probed or read, then each stream for which there was another reason. */
function decisions(environments: readonly EnvironmentReport[]): JsonObject[] {
  const streams = environments.flatMap((report) => [...report.streams.values()]);
  return [
    ...environments.flatMap(({ environment, item }) =>
      item === null ? [] : [{ environmentId: environment.id, decision: item.decision, reason: item.reason }],
    ),
    ...streams.flatMap(({ stream: { environment, findingType }, reason }) =>
      reason === null || reason === "environment"
        ? []
        : [{ environmentId: environment.id, findingType, decision: reason === "unchanged" ? "probe" : "read", reason }],
    ),
  ];
}

function failureFigures(what: string, message: string | null, error: ServiceError | null): JsonObject {
  return {
    what,
    code: error?.code ?? null,
    status: error?.status ?? null,
    message,
    requestId: error?.requestId ?? null,
  };
}

/** One for each cause, which many finding types may share. */
function descriptionFigures({ descriptions }: RunSummary): JsonObject[] {
  return [...new Set(descriptions.map(({ why }) => why))].map((why) => {
    const types = descriptions.filter((each) => each.why === why).map(({ findingType }) => named(findingType));
    return failureFigures(`description of ${listed(types)}`, reasonOf(why), typeof why === "string" ? null : why);
  });
}

function unreadFigures(report: EnvironmentReport | StreamReport): JsonObject {
  const isStream = "stream" in report;
  return {
    environmentId: isStream ? report.stream.environment.id : report.environment.id,
    ...(isStream ? { findingType: report.stream.findingType } : {}),
    outcome: isDone(report) ? "unreadable" : report.outcome,
  };
}
