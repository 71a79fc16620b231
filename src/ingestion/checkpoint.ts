import type { JsonObject } from "../runtime/protocol.ts";
import type { PollContext } from "./poll-items.ts";
import { type EnvironmentReport, isComplete, isDone, type StreamReport } from "./report/run-summary.ts";
import type { SummaryBuilder } from "./report/summary-builder.ts";
import { environmentAfterRun } from "./skip-decision.ts";
import type { StateStore } from "./state/state-store.ts";
import { owing } from "./state/transitions.ts";
import { secondsOf } from "./time.ts";

/** Brings the state up to date once everything is delivered. */
export function checkpoint(summary: SummaryBuilder, context: PollContext, state: StateStore): JsonObject {
  const { descriptions, routes, pace, service } = context;
  const now = secondsOf(context.clock.now());
  for (const report of summary.environments.values()) {
    const { environment, item } = report;
    if (item?.decision === "skip") continue;
    // If the service still has a finding type that its list omits, the next run must not skip the environment.
    const evidence = unlistedStreams(report, state).length > 0 ? {} : (item?.evidence ?? {});
    const outcome = { decision: item?.decision ?? null, complete: isComplete(report), evidence };
    state.setEnvironment(environment, environmentAfterRun(state.environment(environment.id), outcome, now));
    if (item?.decision !== "read_all") continue;
    // Only streams that are not done: a search of the whole history that takes longer than a run must come to its end.
    const isRead = (type: string): boolean => isDone(report.streams.get(type) ?? report);
    for (const findingType of state.knownTypes(environment.id)) {
      const stream = { environment, findingType };
      if (!isRead(findingType)) state.keep(stream, owing(state.stream(stream) ?? {}));
    }
  }
  state.learn({
    dialect: service.dialect,
    next: summary.nextStart(state.begin),
    pageSize: service.findings.pageSize,
    rate: pace.next({ refusal: summary.refusal, wasServed: summary.wasServed }),
    refused: routes.toState(),
    descriptions: descriptions.bounded(),
  });
  return state.toJson();
}

/** Streams that were read, although the environment's list lacks their finding type, and that the service did not deny. */
export function unlistedStreams({ types, streams }: EnvironmentReport, state: StateStore): StreamReport[] {
  const unlisted = (types?.unlisted ?? []).flatMap((type) => streams.get(type) ?? []);
  return unlisted.filter((report) => isDone(report) && state.stream(report.stream)?.goneSince === undefined);
}
