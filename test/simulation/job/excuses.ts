import { DAY, inSpan } from "../world.ts";
import { mostAtOnce } from "./gone-types.ts";
import type { HostedAlert, JobHost } from "./host.ts";
import type { ScenarioFinding } from "./scenario.ts";
import type { Truth } from "./truth.ts";

export const ACCEPTED_PRIORITY = 40;

/** Type or zone are not there, or an environment is not, with which anything may have been hidden. */
export function isExcused(truth: Truth, { plan }: HostedAlert, end: number): boolean {
  const { hiddenZones } = truth.environment(plan.environment);
  return (
    truth.scenario.environments.some((environment) => !truth.isListed(environment, end)) ||
    truth.isTypeRemoved(plan.environment, plan.type, end) ||
    hiddenZones.some(({ span }) => inSpan(end, span))
  );
}

/** Whether the pause cannot hold, however the losses of the environment fall together, and something of it is left. */
export function isLossKnown(
  truth: Truth,
  { plan }: HostedAlert,
  { isEmptied }: { readonly isEmptied: boolean },
): boolean {
  const { findings } = truth.scenario;
  const own = findings.filter(({ environment }) => environment === plan.environment);
  const { deadCollector, deadSessions, hiddenZones, removedTypes } = truth.environment(plan.environment);
  const lost = own.filter(
    ({ real, flaps, unlisted, type, zone }) =>
      real.length > 1 ||
      flaps.length + unlisted.length > 0 ||
      (real[0]?.[1] ?? 0) < 1e15 ||
      hiddenZones.some((hidden) => hidden.zone === zone) ||
      removedTypes.some((removed) => removed.type === type),
  );
  const most = mostAtOnce(own);
  const isOnlyFixed = hiddenZones.length + removedTypes.length === 0 && own.every(isFixedAtMost);
  const mayVanishAtOnce = deadCollector.length + deadSessions.length > 0 || isEmptied;
  if (isOnlyFixed && !mayVanishAtOnce) return mostTogether(lost.map(({ real }) => real[0]?.[1] ?? 0)) <= most;
  if (mayVanishAtOnce && own.length > most) return false;
  return lost.length <= most;
}

function isFixedAtMost({ real, flaps, unlisted }: ScenarioFinding): boolean {
  return real.length === 1 && flaps.length + unlisted.length === 0;
}

/** Twice the time in which a loss counts as one: outages and clocks may put off when a run sees it. */
const TOGETHER_MS = 16 * DAY;

/** How many of these moments lie together at most. */
function mostTogether(moments: readonly number[]): number {
  const counts = moments.map((from) => moments.filter((at) => at >= from && at - from <= TOGETHER_MS).length);
  return Math.max(0, ...counts);
}

/** Whether the tenant, or the sparkline of another type with an open alert that no person has taken over, tells of the last analysis. */
export function isAnalysisTold(truth: Truth, host: JobHost, { plan: { environment } }: HostedAlert): boolean {
  const { reportsAnalysis, silentFrom, end } = truth.scenario;
  const last = truth.analysesBefore(end).at(-1);
  const open = [...host.alerts.values()].filter(({ status, touched }) => status === "open" && !touched);
  const types = open.flatMap(({ plan }) => (plan.environment === environment ? [plan.type] : []));
  return (
    (reportsAnalysis && silentFrom === undefined) ||
    (last !== undefined &&
      types.some((type) => !truth.isTypeRemoved(environment, type, end) && truth.hasPoint(environment, type, last)))
  );
}

/**
 * Whether a finding may be listed no more because somebody accepted its risk, and no graph shows it, nor another one of an alert
 * whose priority the job lowered because all of them were accepted.
 */
export function mayBeLeftOut({ priority }: HostedAlert, findings: readonly ScenarioFinding[]): boolean {
  const singles = findings.filter(({ source }) => source === null);
  const wasAccepted = ({ accepted }: ScenarioFinding): boolean => accepted.length > 0;
  return (
    singles.some(wasAccepted) || (priority === ACCEPTED_PRIORITY && singles.length > 0 && findings.some(wasAccepted))
  );
}
