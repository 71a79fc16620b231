import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { withinPatience } from "../clock.ts";
import { arrivalOf, nowSeconds, type PollContext, type PollItem, type PollSource } from "./poll-items.ts";
import { pollTime } from "./time.ts";
import { type AnalysisEvidence, readEnvironment } from "./read-environment.ts";
import { scopeOf, startingAt } from "./scope.ts";
import { wantsEvidence } from "./skip.ts";

/** How long a tenant that does not offer the time of its analysis is not asked for it again. */
const ASK_AGAIN_SECONDS = 24 * 3600;

/**
 * Lists the environments and gives a source for each selected one. When the list does not arrive in time, the
 * environments of the last run are read meanwhile; when it cannot be loaded, or not to its end, they are read before the
 * error is thrown.
 */
export async function* readTenant(context: PollContext): AsyncGenerator<PollItem | PollSource[], void, undefined> {
  const { service, state, clock, patienceMs } = context;
  const known = state.knownEnvironments();
  const analysis = analysisTime(context, known);
  const listing = service.environments.list();
  const first = await arrivalOf(listing, context);
  const evidence = await withinPatience(analysis, patienceMs, clock);
  const time = pollTime(state.clock, clock.now(), service.time());
  yield {
    kind: "start",
    time,
    offersAnalysisTime: evidence !== "late" && typeof evidence.offered === "boolean" ? evidence.offered : null,
  };

  const sourceOf = (environment: Environment): PollSource => ({
    subject: { kind: "environment", environment },
    read: () => readEnvironment(context, environment, time, evidence === "late" ? NO_ANSWER : evidence),
  });
  const inOrder = (environments: readonly Environment[]): Environment[] =>
    startingAt(environments, ({ id }) => id === state.next?.environmentId);
  const begun = new Set<string>();
  // A service that responds, but cannot list its environments, may still deliver their findings.
  const failed = first !== "listed" && first !== "late";
  if (first === "late" || (failed && service.responded && !endsTheRun(first.error))) {
    for (const { id } of known) begun.add(id);
    yield inOrder(known).map(sourceOf);
  }
  const { environments: listed, unreadable, incomplete } = await listing;
  const missing = incomplete === undefined ? [] : known.filter(({ id }) => !listed.some((each) => each.id === id));
  const scope = scopeOf([...listed, ...missing], context.selectedEnvironments, unreadable);
  const selected = inOrder(scope.selected);
  yield { kind: "scope", scope: { ...scope, selected } };
  yield selected.filter(({ id }) => !begun.has(id)).map(sourceOf);
  if (incomplete !== undefined) throw incomplete;
}

const NOT_ASKED: AnalysisEvidence = { analysis: null, isRunning: false, offered: null };
const NO_ANSWER: AnalysisEvidence = { analysis: null, isRunning: false, offered: "no_answer" };

/** Asks for the time of the last analysis if it could save requests. A failed request counts as no answer. */
async function analysisTime(context: PollContext, known: readonly Environment[]): Promise<AnalysisEvidence> {
  const { service, state } = context;
  const now = nowSeconds(context);
  const declinedAt = state.noAnalysisTimeAt;
  const declined = declinedAt !== undefined && declinedAt <= now && now - declinedAt < ASK_AGAIN_SECONDS;
  if (declined || !known.some(({ id }) => wantsEvidence(state.environment(id)))) return NOT_ASKED;
  try {
    const status = await service.analysis.status();
    return { analysis: status?.completedAt ?? null, isRunning: status?.idle === false, offered: status !== null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return NO_ANSWER;
  }
}
