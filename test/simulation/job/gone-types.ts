import type { JobAlert } from "../../../src/runtime/protocol.ts";
import type { Random } from "../random.ts";
import type { Span } from "../scenario.ts";
import { DAY, HOUR } from "../world.ts";
import { isPair } from "./finding-types.ts";
import type { JobHost } from "./host.ts";
import type { JobScenario, ScenarioAlert, ScenarioEnvironment, ScenarioFinding, ScenarioRun } from "./scenario.ts";
import type { Truth } from "./truth.ts";

/**
 * A type with many findings vanishes, while the list of another one with a finding that was fixed before cannot be read for a
 * while. The job runs several times until the next analysis.
 */
export function withGoneType(scenario: JobScenario, random: Random): JobScenario {
  const [environment] = scenario.environments;
  const [goneType, other] = environment?.types ?? [];
  const before = scenario.analyses.filter(([, end]) => end > 2 * DAY && end < scenario.quietFrom - 2 * DAY);
  if (!random.chance(0.15) || environment === undefined || other === undefined || before.length === 0) return scenario;
  if (environment.removedTypes.some(({ type }) => type === goneType)) return scenario;
  const [at, end] = random.pick(before);
  const until = Math.min(scenario.quietFrom, end + random.spread(HOUR, 8 * HOUR));
  const fixed = at - random.int(15, 40) * HOUR;
  const findings = Array.from({ length: random.int(11, 25) }, () => goneType!);
  const added = [...findings, other].map((type, index): ScenarioFinding => {
    const key = `${environment.id}/gone ${index}`;
    const target = `${environment.id}-${5000 + index}`;
    const real: Span[] = [[-30 * DAY, type === other ? fixed : Number.MAX_SAFE_INTEGER]];
    const source = isPair(type) ? `${environment.id}-500` : null;
    const rest = { zone: "1", flaps: [], unlisted: [], accepted: [] };
    return { key, environment: environment.id, type, source, target, real, ...rest };
  });
  const alerts = added.map(({ key, type }): ScenarioAlert => ({
    id: `alert-${key}`,
    environment: environment.id,
    type,
    findings: [key],
    from: 0,
    priority: 80,
  }));
  const runs = Array.from({ length: random.int(2, 10) }, (_, index): ScenarioRun => ({ at: end + (index + 1) * HOUR }));
  const changed: ScenarioEnvironment = {
    ...environment,
    removedTypes: [...environment.removedTypes, { type: goneType!, at }],
    failingTypes: [{ type: other, span: [at, until] }],
  };
  return {
    ...scenario,
    environments: [changed, ...scenario.environments.slice(1)],
    findings: [...scenario.findings, ...added],
    alerts: [...scenario.alerts, ...alerts],
    runs: [...scenario.runs, ...runs].sort((a, b) => a.at - b.at),
  };
}

/**
 * Whether so many findings of an alert's environment are of types that are gone that a run may close nothing there. It can know
 * that once an analysis has ended since, and until the findings count as withdrawn after a week.
 *
 * @param run - the alerts that the host sent, and when the run began
 */
export function hasGoneTypes(
  truth: Truth,
  host: JobHost,
  { environmentId }: JobAlert,
  { alerts, start }: { readonly alerts: readonly JobAlert[]; readonly start: number },
): boolean {
  const own = alerts.filter((alert) => alert.environmentId === environmentId);
  const gone = truth.environment(environmentId).removedTypes.filter(({ at }) => {
    return start - at < 6 * DAY && truth.analysesBefore(start).some(([, end]) => end > at);
  });
  const open = own.filter(({ alertId, status, findingType }) => {
    const { touched, closings } = host.alerts.get(alertId)!;
    return status === "open" && !touched && closings === 0 && gone.some(({ type }) => type === findingType);
  });
  return countOf(open) > mostAtOnce({ length: countOf(own) });
}

function countOf(alerts: readonly JobAlert[]): number {
  const keys = alerts.flatMap(({ findingType, findings }) => findings.map(({ target }) => `${findingType} ${target}`));
  return new Set(keys).size;
}

/** How many of some findings may vanish at once before nothing is closed. */
export function mostAtOnce({ length }: { readonly length: number }): number {
  return Math.max(10, 0.3 * length);
}
