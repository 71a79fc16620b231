import { Random } from "../random.ts";
import type { Span } from "../scenario.ts";
import { DAY, HOUR, MINUTE } from "../world.ts";
import { withGoneType } from "./gone-types.ts";
import { withGradualFixes } from "./gradual-fixes.ts";
import type {
  JobScenario,
  ScenarioAlert,
  ScenarioEnvironment,
  ScenarioFinding,
  ScenarioRun,
  Trouble,
} from "./scenario.ts";
import { isPair, TYPES } from "./finding-types.ts";

const TROUBLES: readonly Trouble[] = [
  "down",
  "html",
  "drop",
  "forbidden",
  "empty lists",
  "empty pair lists",
  "short lists",
  "no count",
  "other rows",
  "some sparklines fail",
  "swapped rows",
];
/** The longest wait of an alert that was reopened is 14 days. */
const QUIET_MS = 17 * DAY;

/** The same seed and number always give the same scenario. */
export function generateJobScenario(seed: number, number: number): JobScenario {
  const scenario = withShortRuns(new Draft(new Random(seed, 77, number)).scenario(), new Random(seed, 78, number));
  const rare = withOmissions(withGoneType(scenario, new Random(seed, 79, number)), new Random(seed, 80, number));
  const limited = withSilence(withRateLimit(rare, new Random(seed, 81, number)), new Random(seed, 82, number));
  return withGradualFixes(limited, new Random(seed, 83, number));
}

/** Sparklines take a request for each stream: in less time, a run may read nothing else. */
const LEAST_FOR_SPARKLINES_MS = 4_000;

/** A tenant that ceases to report its last analysis, long enough before the end for sparklines to stand for it. */
function withSilence(scenario: JobScenario, random: Random): JobScenario {
  const latest = scenario.quietFrom - 8 * DAY;
  const { timeMs = Infinity } = scenario.runs.at(-1) ?? {};
  if (!scenario.reportsAnalysis || latest < HOUR || timeMs < LEAST_FOR_SPARKLINES_MS || random.chance(0.8))
    return scenario;
  return { ...scenario, silentFrom: random.int(0, latest) };
}

/** A tenant that takes fewer requests than the job would send, from hosts that give it enough time at the end. */
function withRateLimit(scenario: JobScenario, random: Random): JobScenario {
  const isShort = scenario.runs.at(-1)?.timeMs !== undefined;
  return isShort || random.chance(0.85) ? scenario : { ...scenario, mostPerSecond: random.pick([1, 2, 5, 15]) };
}

/** Hosts that give runs so little time that many end in the middle, some of them until the end of the scenario. */
function withShortRuns(scenario: JobScenario, random: Random): JobScenario {
  if (!random.chance(0.25)) return scenario;
  const quietMs = random.chance(0.4) ? random.int(2_500, 6_000) : undefined;
  const runs = scenario.runs.map((run): ScenarioRun => {
    const timeMs = run.at >= scenario.quietFrom ? quietMs : random.chance(0.6) ? random.int(300, 3_000) : undefined;
    return timeMs === undefined ? run : { ...run, timeMs };
  });
  return { ...scenario, runs };
}

/** A host that cannot read a case leaves its alerts out of a run. */
function withOmissions(scenario: JobScenario, random: Random): JobScenario {
  if (random.chance(0.75)) return scenario;
  const runs = scenario.runs.map((run): ScenarioRun => {
    if (run.at >= scenario.quietFrom || random.chance(0.5)) return run;
    return { ...run, omits: { percent: random.pick([10, 40, 90]), seed: random.int(1, 1e9) } };
  });
  return { ...scenario, runs };
}

class Draft {
  readonly #random: Random;
  readonly #quietFrom: number;
  readonly #analyses: Span[];
  /** Most findings of an environment are lost for a while, which looks like a fix except for their number. */
  #hasMassLoss = false;

  constructor(random: Random) {
    this.#random = random;
    this.#quietFrom = random.int(6, 14) * DAY;
    this.#analyses = this.#makeAnalyses();
  }

  scenario(): JobScenario {
    const random = this.#random;
    const environments = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => this.#environment(index));
    const findings = environments.flatMap((environment) => this.#findings(environment));
    const alerts = this.#alerts(findings);
    const runs = this.#runs();
    return {
      seed: random.int(0, 1e9),
      environments,
      findings,
      alerts,
      analyses: this.#analyses,
      collectEvery: random.pick([4, 8, 12]) * HOUR,
      troubles: this.#troubles(),
      runs,
      acts: this.#acts(alerts),
      reportsAnalysis: random.chance(0.7),
      pointsApart: random.pick([0, 0, 3_000]),
      skipsEmptyTypes: random.chance(0.5),
      marksDeleted: random.chance(0.25),
      pageSize: random.pick([2, 5, 1_000, 1_000]),
      renewsIds: random.chance(0.3),
      setBack: random.chance(0.15)
        ? { at: random.int(2 * DAY, this.#quietFrom), by: random.spread(HOUR, 3 * DAY) }
        : null,
      ahead: random.chance(0.15)
        ? { span: this.#span(HOUR, 4 * DAY), by: random.spread(HOUR, 4 * DAY), who: random.pick(["service", "host"]) }
        : null,
      hostAhead: random.chance(0.3) ? random.int(-50, 50) * MINUTE : 0,
      reportsReopening: random.chance(0.7),
      reportsPriority: random.chance(0.5),
      keepsPatches: random.chance(0.8),
      quietFrom: this.#quietFrom,
      end: this.#quietFrom + QUIET_MS,
    };
  }

  #makeAnalyses(): Span[] {
    const random = this.#random;
    const every = random.pick([6, 12, 24, 24, 30]) * HOUR;
    const analyses: Span[] = [];
    for (let at = -2 * DAY; at < this.#quietFrom + QUIET_MS; at += every + random.int(-30, 40) * MINUTE) {
      if (at > 0 && at < this.#quietFrom && random.chance(0.05)) continue;
      // Some are so short that one of them fits between two requests.
      const length = random.chance(0.15) ? random.int(50, 800) : random.int(2, 60) * MINUTE;
      analyses.push([at, at + length]);
    }
    return analyses;
  }

  #environment(index: number): ScenarioEnvironment {
    const random = this.#random;
    const id = `S-1-5-21-${index + 1}-22-33`;
    const types = random.shuffled(TYPES.map(({ name }) => name)).slice(0, random.int(1, 4));
    const zones = random.chance(0.25) ? ["1", "2"] : ["1"];
    const type = types[0];
    const deadCollector = random.chance(0.2) ? [this.#span(2 * DAY, 9 * DAY)] : [];
    return {
      id,
      name: `CORP${index + 1}.TEST`,
      zones,
      types,
      hidden: random.chance(0.12) ? [this.#span(2 * HOUR, 5 * DAY)] : [],
      removedAt: random.chance(0.05) ? random.int(DAY, this.#quietFrom) : null,
      deadCollector,
      // One after the other, they would be dead for so long that it looks like a fix.
      deadSessions: deadCollector.length === 0 && random.chance(0.12) ? [this.#span(2 * DAY, 9 * DAY)] : [],
      hiddenZones: zones.length > 1 && random.chance(0.5) ? [{ zone: "2", span: this.#hiddenZone() }] : [],
      removedTypes: type !== undefined && random.chance(0.05) ? [{ type, at: random.int(DAY, this.#quietFrom) }] : [],
    };
  }

  /** For a while, or for good. */
  #hiddenZone(): Span {
    const [from, until] = this.#span(DAY, 6 * DAY);
    return [from, this.#random.chance(0.5) ? Number.MAX_SAFE_INTEGER : until];
  }

  #findings({ id, types, zones }: ScenarioEnvironment): ScenarioFinding[] {
    const random = this.#random;
    const count = random.chance(0.15) ? random.int(15, 40) : random.int(1, 8);
    const fixShare = random.pick([0, 0.2, 0.4, 0.8]);
    // At most 10 are lost like as many that are fixed: only their number shows the difference.
    const massLoss = random.chance(0.4) && count >= 15 ? this.#span(26 * HOUR, 9 * DAY) : null;
    this.#hasMassLoss ||= massLoss !== null;
    return Array.from({ length: count }, (_, index) => {
      const type = random.pick(types);
      const joinsTwo = isPair(type);
      const target = `${id}-${1000 + index}`;
      const isLost = massLoss !== null && index < count * 0.8;
      return {
        key: `${id}/${index}`,
        environment: id,
        type,
        source: joinsTwo ? `${id}-${random.int(500, 503)}` : null,
        target,
        zone: random.pick(zones),
        real: this.#real(isLost ? 0 : fixShare),
        flaps: [...this.#flaps(), ...(isLost ? [massLoss] : [])],
        unlisted: joinsTwo && random.chance(0.1) ? [this.#span(12 * HOUR, 6 * DAY)] : [],
        accepted: random.chance(0.2) ? this.#accepted() : [],
      };
    });
  }

  /** Some are accepted again after the acceptance has ended. */
  #accepted(): Span[] {
    const first: Span = [this.#random.int(0, this.#quietFrom), this.#acceptedUntil()];
    if (first[1] < first[0] || first[1] > this.#quietFrom || this.#random.chance(0.3)) return [first];
    return [first, [first[1] + this.#random.int(HOUR, 3 * DAY), this.#acceptedUntil()]];
  }

  #acceptedUntil(): number {
    return this.#random.chance(0.5) ? Number.MAX_SAFE_INTEGER : this.#random.int(DAY, this.#quietFrom);
  }

  /** It exists from before the scenario on; some are fixed, and some of these come back. */
  #real(fixShare: number): Span[] {
    const random = this.#random;
    const forever = Number.MAX_SAFE_INTEGER;
    if (!random.chance(fixShare)) return [[-30 * DAY, forever]];
    const fixed = random.int(0, this.#quietFrom);
    if (!random.chance(0.25)) return [[-30 * DAY, fixed]];
    const back = fixed + random.spread(HOUR, 8 * DAY);
    const again = back + random.spread(HOUR, 8 * DAY);
    return [[-30 * DAY, fixed], random.chance(0.5) ? [back, forever] : [back, again]];
  }

  /** One analysis does not have it. */
  #flaps(): Span[] {
    const random = this.#random;
    if (!random.chance(0.25)) return [];
    const analyses = this.#analyses.filter(([at]) => at < this.#quietFrom);
    return Array.from({ length: random.int(1, 4) }, (): Span => {
      const [, end] = random.pick(analyses);
      return [end, end + 1];
    });
  }

  #alerts(findings: readonly ScenarioFinding[]): ScenarioAlert[] {
    const random = this.#random;
    const streams = new Map<string, ScenarioFinding[]>();
    for (const finding of findings) {
      const key = `${finding.environment}/${finding.type}`;
      streams.set(key, [...(streams.get(key) ?? []), finding]);
    }
    return [...streams.values()].flatMap((all) => {
      const rest = [...all];
      const alerts: ScenarioAlert[] = [];
      while (rest.length > 0) {
        const own = rest.splice(0, random.int(1, 5));
        // Some findings are in no alert: the job sees them in the lists of the others.
        if (alerts.length > 0 && random.chance(0.15)) continue;
        // Hosts that lost the connector's state have a finding in two alerts.
        if (alerts.length > 0 && random.chance(0.1)) own.push(all[0]!);
        const { environment, type } = own[0]!;
        alerts.push({
          id: `alert-${environment}-${type}-${alerts.length}`,
          environment,
          type,
          findings: [...new Set(own.map(({ key }) => key))],
          from: random.chance(0.8) || this.#hasMassLoss ? 0 : random.int(0, this.#quietFrom),
          priority: random.pick([100, 80, 60, 40]),
        });
      }
      return alerts;
    });
  }

  #troubles(): JobScenario["troubles"] {
    const random = this.#random;
    const count = random.pick([0, 0, 1, 2, 4]);
    return Array.from({ length: count }, () => {
      const trouble = random.pick(TROUBLES);
      // What names one object is in no graph: a list without it for longer than a day looks like a fix.
      const span = this.#span(10 * MINUTE, trouble === "empty lists" ? 20 * HOUR : 3 * DAY);
      return { span, trouble };
    });
  }

  #runs(): ScenarioRun[] {
    const random = this.#random;
    const every = random.pick([4, 8, 12]) * HOUR;
    const runs: ScenarioRun[] = [];
    for (let at = random.int(0, HOUR); at < this.#quietFrom; at += every + random.int(-60, 60) * MINUTE) {
      const from = at;
      const next = this.#analyses.find(([start]) => start > from + HOUR)!;
      // Some begin so that an analysis ends or begins in their middle.
      const near = next[random.int(0, 1)]! - random.int(50, 1_500);
      const isNear = random.chance(0.15) && near < this.#quietFrom;
      runs.push({
        at: isNear ? (at = near) : at,
        ...(random.chance(0.08) && { killAfter: random.int(0, 6) }),
        ...(random.chance(0.15) && { closes: random.pick(["refused", "lost"] as const) }),
        ...(random.chance(0.01) && { state: random.pick(["lost", "damaged"] as const) }),
      });
    }
    const quiet = this.#quietFrom + HOUR;
    for (let at = quiet; at < this.#quietFrom + QUIET_MS; at += at < quiet + 5 * DAY ? 11 * HOUR : DAY)
      runs.push({ at });
    return runs;
  }

  #acts(alerts: readonly ScenarioAlert[]): JobScenario["acts"] {
    const random = this.#random;
    return Array.from({ length: this.#hasMassLoss ? 0 : random.pick([0, 0, 1, 3]) }, () => ({
      at: random.int(0, this.#quietFrom),
      alert: random.pick(alerts).id,
      act: random.pick(["close", "reopen"] as const),
    })).sort((a, b) => a.at - b.at);
  }

  /** Over before the quiet end. */
  #span(least: number, most: number): Span {
    const from = this.#random.int(0, this.#quietFrom);
    return [from, Math.min(this.#quietFrom, from + this.#random.spread(least, most))];
  }
}
