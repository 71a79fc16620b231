import { shortHash } from "../hash.ts";
import { ServiceError } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { PollContext } from "./poll-items.ts";
import { EMPTY_TREND, type Evidence, wantsEvidence } from "./skip-decision.ts";
import { cursorOf, WINDOW_HOURS } from "./state/stream-memory.ts";
import { DAY_HOURS, hourOf, hourText, type PollTime, secondsOf, timeOf } from "./time.ts";

/** A sparkline ends now by default, and a service whose clock was set back would leave out its last analysis. */
const HOURS_AHEAD = 365 * DAY_HOURS;

/** What the tenant reports about its last analysis. */
export interface AnalysisEvidence {
  /** When it completed; null when that is not known. */
  readonly analysis: string | null;
  /** Whether another one is running. */
  readonly isRunning: boolean;
  /** Whether the tenant was asked and did not answer. */
  readonly isUnknown: boolean;
}

/** Asks for the time of the last analysis if it could save requests. Never rejects with a ServiceError. */
export async function analysisEvidence(context: PollContext, known: readonly Environment[]): Promise<AnalysisEvidence> {
  const { service, routes } = context;
  const nothing = { analysis: null, isRunning: false };
  if (!known.some((environment) => isWanted(context, environment))) return { ...nothing, isUnknown: false };
  try {
    const status = await routes.ask("analysis", "", (options) => service.analysis.status(options));
    if (status.kind !== "answer") return { ...nothing, isUnknown: status.kind === "failed" };
    const { completedAt, idle } = status.value;
    return { analysis: completedAt, isRunning: !idle, isUnknown: false };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...nothing, isUnknown: true };
  }
}

/**
 * The best available evidence of whether anything is new in an environment; none where it could not lead to a skip.
 *
 * @param types - the finding types that the last runs read
 */
export async function environmentEvidence(
  context: PollContext,
  environment: Environment,
  types: readonly string[],
  { analysis, isRunning, isUnknown }: AnalysisEvidence,
  time: PollTime,
): Promise<Evidence> {
  if (isRunning) return { isRunning };
  if (analysis !== null) return { analysis, ...age([analysis], time) };
  // Without an answer, the tenant may be running an analysis, and its sparkline still shows the one before.
  if (isUnknown || !isWanted(context, environment)) return {};
  return trendEvidence(context, environment, types, time);
}

/** Where a run is short, evidence that cannot lead to a skip would take the place of requests for findings. */
function isWanted({ state, pace, clock }: PollContext, { id }: Environment): boolean {
  const isShort = pace.isShortFor(state.knownRequests());
  return wantsEvidence(state.environment(id), isShort, secondsOf(clock.now()));
}

/**
 * The fingerprint of the environment's sparkline since shortly before its newest finding. A service that does not tell its
 * time may have dated an analysis before that.
 */
async function trendEvidence(
  { service, state, routes }: PollContext,
  environment: Environment,
  types: readonly string[],
  time: PollTime,
): Promise<Evidence> {
  const [findingType] = types;
  if (findingType === undefined || service.time() === null) return {};
  const cursors = types.map((type) => cursorOf(state.stream({ environment, findingType: type }) ?? {}) ?? 0);
  const from = hourText(Math.max(0, cursors.reduce((a, b) => Math.max(a, b), 0) - WINDOW_HOURS));
  const to = hourText(hourOf(time.service) + HOURS_AHEAD);
  const query = { environmentId: environment.id, findingType, from, to };
  const sparkline = await routes.ask("sparkline", environment.id, (options) =>
    service.findings.sparkline(query, options),
  );
  if (sparkline.kind !== "answer") return {};
  const points = sparkline.value;
  const instants = points.map(({ created_at }) => created_at);
  // Evidence without a date does not show when anything changed.
  if (!instants.some((instant) => timeOf(instant) !== null)) return { trend: EMPTY_TREND };
  const trend = shortHash(JSON.stringify([findingType, from, points]), 12);
  return { trend, ...age(instants, time) };
}

/** Whether all of these instants lie before the last run. */
function age(instants: readonly (string | undefined)[], { lastRun }: PollTime): Pick<Evidence, "isOld"> {
  const isOld = lastRun !== null && instants.every((instant) => (timeOf(instant) ?? Infinity) < lastRun);
  return isOld ? { isOld } : {};
}
