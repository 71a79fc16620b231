import { hashText } from "../random.ts";
import type { Span } from "../scenario.ts";
import { DAY, inSpan } from "../world.ts";
import type { JobScenario, ScenarioEnvironment, ScenarioFinding, Trouble } from "./scenario.ts";
import { restsOnSession } from "./finding-types.ts";

/** What is true in a scenario, and what the service knows of it. */
export class Truth {
  readonly scenario: JobScenario;
  readonly #environments: ReadonlyMap<string, ScenarioEnvironment>;
  readonly findings: ReadonlyMap<string, ScenarioFinding>;

  constructor(scenario: JobScenario) {
    this.scenario = scenario;
    this.#environments = new Map(scenario.environments.map((environment) => [environment.id, environment]));
    this.findings = new Map(scenario.findings.map((finding) => [finding.key, finding]));
  }

  environment(id: string): ScenarioEnvironment {
    const found = this.#environments.get(id);
    if (found === undefined) throw new Error(`There is no environment ${id}.`);
    return found;
  }

  #before: { readonly moment: number; readonly analyses: readonly Span[] } = { moment: NaN, analyses: [] };

  /** The analyses that were complete at a moment, oldest first. */
  analysesBefore(moment: number): readonly Span[] {
    if (this.#before.moment !== moment) {
      this.#before = { moment, analyses: this.scenario.analyses.filter(([, end]) => end <= moment) };
    }
    return this.#before.analyses;
  }

  isAnalysing(moment: number): boolean {
    return this.scenario.analyses.some((span) => inSpan(moment, span));
  }

  /** When the last collection before a moment ran, of everything or of sessions. */
  #lastCollection(id: string, moment: number, { ofSessions }: { ofSessions: boolean }): number {
    const { deadCollector, deadSessions } = this.environment(id);
    const { collectEvery } = this.scenario;
    const dead = ofSessions ? [...deadCollector, ...deadSessions] : deadCollector;
    let at = Math.floor(moment / collectEvery) * collectEvery;
    for (let span = covering(dead, at); span !== undefined; span = covering(dead, at)) {
      at = Math.floor((span[0] - 1) / collectEvery) * collectEvery;
    }
    return at;
  }

  /** Whether the risk exists. */
  isReal({ real }: ScenarioFinding, moment: number): boolean {
    return real.some((span) => inSpan(moment, span));
  }

  troubleAt(moment: number): Trouble | undefined {
    return this.scenario.troubles.find(({ span }) => inSpan(moment, span))?.trouble;
  }

  /** The moment that the data of an analysis about a finding is from. */
  dataOf({ environment, type }: ScenarioFinding, [start]: Span): number {
    return this.#lastCollection(environment, start, { ofSessions: restsOnSession(type) });
  }

  /** Whether the data of an analysis has the relationship of a finding. */
  isInData(finding: ScenarioFinding, analysis: Span): boolean {
    const collected = this.dataOf(finding, analysis);
    const keeps = restsOnSession(finding.type) ? 3 * DAY : 7 * DAY;
    return this.isReal(finding, collected) && analysis[0] - collected <= keeps;
  }

  readonly #found = new Map<Span, Map<ScenarioFinding, boolean>>();

  /** Whether an analysis found it. */
  isFound(finding: ScenarioFinding, analysis: Span): boolean {
    const known = this.#found.get(analysis) ?? new Map<ScenarioFinding, boolean>();
    this.#found.set(analysis, known);
    const before = known.get(finding);
    if (before !== undefined) return before;
    const found = this.isInData(finding, analysis) && !finding.flaps.some((span) => inSpan(analysis[1], span));
    known.set(finding, found);
    return found;
  }

  /** Whether an analysis adds a point to the sparkline of a type. */
  hasPoint(id: string, type: string, analysis: Span): boolean {
    const { skipsEmptyTypes, findings } = this.scenario;
    const own = findings.filter((finding) => finding.environment === id && finding.type === type);
    return !skipsEmptyTypes || own.some((finding) => this.isFound(finding, analysis));
  }

  /** Whether the service has data about the objects of an environment. */
  knowsObjects(id: string, moment: number): boolean {
    const { removedAt } = this.environment(id);
    const analysis = this.analysesBefore(moment).at(-1);
    if (analysis === undefined || (removedAt !== null && moment >= removedAt)) return false;
    return analysis[0] - this.#lastCollection(id, analysis[0], { ofSessions: false }) <= 7 * DAY;
  }

  isZoneHidden(id: string, zone: string, moment: number): boolean {
    return this.environment(id).hiddenZones.some((each) => each.zone === zone && inSpan(moment, each.span));
  }

  isListed({ hidden, removedAt }: ScenarioEnvironment, moment: number): boolean {
    return !hidden.some((span) => inSpan(moment, span)) && (removedAt === null || moment < removedAt);
  }

  isTypeRemoved(id: string, type: string, moment: number): boolean {
    return this.environment(id).removedTypes.some((each) => each.type === type && moment >= each.at);
  }

  isTypeFailing(id: string, type: string, moment: number): boolean {
    const { failingTypes = [] } = this.environment(id);
    return failingTypes.some((each) => each.type === type && inSpan(moment, each.span));
  }

  isAnyFailing(moment: number): boolean {
    return this.scenario.environments.some(({ id, types }) =>
      types.some((type) => this.isTypeFailing(id, type, moment)),
    );
  }

  /** The rows that a list has at a moment: those of the last complete analysis. */
  rowsOf(id: string, type: string, moment: number): { finding: ScenarioFinding; deletedAt: number | null }[] {
    const analyses = this.analysesBefore(moment);
    const last = analyses.at(-1);
    if (last === undefined) return [];
    const own = this.scenario.findings.filter((finding) => finding.environment === id && finding.type === type);
    return own.flatMap((finding): { finding: ScenarioFinding; deletedAt: number | null }[] => {
      if (this.isZoneHidden(id, finding.zone, moment)) return [];
      if (finding.unlisted.some((span) => inSpan(last[1], span))) return [];
      if (this.isFound(finding, last)) return [{ finding, deletedAt: null }];
      if (!this.scenario.marksDeleted) return [];
      const found = analyses.findLastIndex((analysis) => this.isFound(finding, analysis));
      const next = analyses[found + 1];
      return found === -1 || next === undefined ? [] : [{ finding, deletedAt: next[1] }];
    });
  }

  isAccepted({ accepted }: ScenarioFinding, moment: number): boolean {
    const analysis = this.analysesBefore(moment).at(-1);
    return analysis !== undefined && accepted.some((span) => inSpan(analysis[1], span));
  }

  idOf(finding: ScenarioFinding, moment: number): number {
    const round = this.scenario.renewsIds ? this.analysesBefore(moment).length : 0;
    return (hashText(finding.key) % 1_000_000) * 1_000 + round + 1;
  }

  /** By how many milliseconds the clocks were set back by a moment. */
  setBackBy(moment: number): number {
    const { setBack } = this.scenario;
    return setBack !== null && moment >= setBack.at ? setBack.by : 0;
  }

  /** By how many milliseconds a clock is ahead at a moment. */
  aheadBy(who: "service" | "host", moment: number): number {
    const { ahead } = this.scenario;
    return ahead?.who === who && inSpan(moment, ahead.span) ? ahead.by : 0;
  }
}

function covering(spans: readonly Span[], moment: number): Span | undefined {
  return spans.find((span) => inSpan(moment, span));
}
