import type { Random } from "../random.ts";
import type { Span } from "../scenario.ts";
import { DAY, HOUR } from "../world.ts";
import { isPair } from "./finding-types.ts";
import type { JobScenario, ScenarioAlert, ScenarioEnvironment, ScenarioFinding, ScenarioRun } from "./scenario.ts";

const FINDINGS = 50;
const FIXES = 24;
const FIX_EVERY_MS = 1.4 * DAY;

/**
 * Half of the findings of an environment are fixed one by one, over weeks. Meanwhile, runs miss some of its alerts, or another environment. However
 * many have been fixed in the end, that is no mass loss.
 */
export function withGradualFixes(scenario: JobScenario, random: Random): JobScenario {
  const { environments, reportsAnalysis, silentFrom, mostPerSecond } = scenario;
  const [first, ...others] = environments;
  const isPlain = reportsAnalysis && silentFrom === undefined && mostPerSecond === undefined;
  if (!random.chance(0.05) || first === undefined || !isPlain) return scenario;
  const lasts = (FIXES + 1) * FIX_EVERY_MS;
  const later = lasts + 2 * DAY - scenario.quietFrom;
  const environment = calm(first);
  const findings = Array.from({ length: FINDINGS }, (_, index) => findingOf(environment, index, random));
  const isOther = (each: { readonly environment: string }): boolean => each.environment !== first.id;
  return {
    ...scenario,
    environments: [environment, ...others, missedAtTimes(lasts, random)],
    findings: [...findings, ...scenario.findings.filter(isOther)],
    alerts: [...alertsOf(findings, random), ...scenario.alerts.filter(isOther)],
    acts: [],
    analyses: [...scenario.analyses, ...analysesAfter(scenario, later)],
    runs: runsOf(scenario, later, random),
    quietFrom: scenario.quietFrom + later,
    end: scenario.end + later,
  };
}

function calm({ id, name, types }: Pick<ScenarioEnvironment, "id" | "name" | "types">): ScenarioEnvironment {
  const nothing = { hidden: [], deadCollector: [], deadSessions: [], hiddenZones: [], removedTypes: [] };
  return { id, name, types, zones: ["1"], removedAt: null, ...nothing };
}

/** Another environment, which the token does not see for hours now and then. */
function missedAtTimes(until: number, random: Random): ScenarioEnvironment {
  const hidden: Span[] = [];
  for (let at = random.spread(DAY, 9 * DAY); at < until; at += random.spread(DAY, 9 * DAY))
    hidden.push([at, at + random.int(1, 20) * HOUR]);
  return { ...calm({ id: "S-1-5-21-9-22-33", name: "CORP9.TEST", types: [] }), hidden };
}

function findingOf({ id, types }: ScenarioEnvironment, index: number, random: Random): ScenarioFinding {
  const type = random.pick(types);
  const fixedAt = index < FIXES ? (index + 1) * FIX_EVERY_MS + random.int(0, 8 * HOUR) : Number.MAX_SAFE_INTEGER;
  return {
    key: `${id}/gradual ${index}`,
    environment: id,
    type,
    source: isPair(type) ? `${id}-500` : null,
    target: `${id}-${7000 + index}`,
    zone: "1",
    real: [[-30 * DAY, fixedAt]],
    flaps: [],
    unlisted: [],
    accepted: [],
  };
}

/** Alerts of one finding each, and of most findings of a type. */
function alertsOf(findings: readonly ScenarioFinding[], random: Random): ScenarioAlert[] {
  const large = random.chance(0.5);
  const byType = new Map<string, ScenarioFinding[]>();
  for (const finding of findings) byType.set(finding.type, [...(byType.get(finding.type) ?? []), finding]);
  return [...byType.values()].flatMap((own) => {
    const together = large ? own.slice(0, Math.floor(own.length * 0.6)) : [];
    const groups = [...(together.length > 0 ? [together] : []), ...own.slice(together.length).map((each) => [each])];
    return groups.map((group): ScenarioAlert => {
      const [{ environment, type, key }] = group as [ScenarioFinding];
      return { id: `alert-${key}`, environment, type, findings: group.map((each) => each.key), from: 0, priority: 80 };
    });
  });
}

function analysesAfter({ analyses }: JobScenario, later: number): Span[] {
  const last = analyses.at(-1)?.[1] ?? 0;
  const days = Math.ceil(later / DAY);
  return Array.from({ length: days }, (_, day): Span => {
    const at = last + (day + 1) * DAY;
    return [at, at + HOUR / 2];
  });
}

function runsOf({ runs, quietFrom }: JobScenario, later: number, random: Random): ScenarioRun[] {
  const plain = runs.map(({ at, killAfter, closes }): ScenarioRun => ({
    at,
    ...(killAfter !== undefined && { killAfter }),
    ...(closes !== undefined && { closes }),
  }));
  const before = plain.filter(({ at }) => at < quietFrom);
  const between: ScenarioRun[] = [];
  for (let at = quietFrom; at < quietFrom + later; at += random.int(5, 9) * HOUR)
    between.push({ at, ...(random.chance(0.15) && { omits: { percent: 40, seed: random.int(1, 1e9) } }) });
  const quiet = plain.filter(({ at }) => at >= quietFrom).map((run) => ({ ...run, at: run.at + later }));
  return [...before, ...between, ...quiet];
}
