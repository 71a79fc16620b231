import { unlistedStreams } from "../checkpoint.ts";
import type { Descriptions } from "../descriptions.ts";
import type { PollOptions } from "../poll.ts";
import type { LoadedState } from "../state/load-state.ts";
import type { StateStore } from "../state/state-store.ts";
import type { MemoryNote, RunSummary } from "./run-summary.ts";
import type { SummaryBuilder } from "./summary-builder.ts";

/** What the run did, once its last item is delivered. */
export function runResult(
  summary: SummaryBuilder,
  { limits, selection }: PollOptions,
  { descriptions, state }: { descriptions: Descriptions; state: StateStore },
  notes: readonly MemoryNote[],
): RunSummary {
  const reports = [...summary.environments.values()];
  const offered = reports.flatMap(({ types }) => types?.offered ?? []);
  const { scope, tenantError, ended, findings, alerts, invalidValues } = summary;
  // A list that was cut short may lack what is selected.
  const isListed = scope !== null && tenantError === null;
  const allListed = isListed && reports.every(({ types, error }) => types !== null && error === null);
  const unlisted = reports.flatMap((report) => unlistedStreams(report, state));
  const known = [...offered, ...unlisted.map(({ stream }) => stream.findingType)];
  const unoffered = allListed ? selection.unoffered(known) : [];
  const selectsNothing = offered.length > 0 && unoffered.length > 0 && selection.types(offered).length === 0;
  return {
    selection,
    findings,
    alerts,
    invalidValues,
    scope,
    environments: reports,
    tenantError,
    ended,
    alertsExhausted: alerts >= (limits.maxAlerts ?? Infinity),
    unlisted,
    unofferedTypes: unoffered,
    noTypeKnown: selectsNothing && !unoffered.some((type) => state.hasKnown(type)),
    descriptions: [...descriptions.failures.values()],
    memory: [...notes, ...summary.memoryNotes(state.forgottenStreams)],
  };
}

/** Why the saved state was ignored; empty when it was not. */
export function stateNotes(loaded: LoadedState): MemoryNote[] {
  if (loaded.kind === "damaged") return [{ kind: "damaged", detail: loaded.problem }];
  return loaded.kind === "other_tenant" ? [{ kind: "other_tenant", detail: loaded.tenant }] : [];
}
