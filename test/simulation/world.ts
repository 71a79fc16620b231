import {
  BEFORE,
  type ClockFault,
  type EnvironmentPlan,
  FOREVER,
  type FindingPlan,
  type Span,
  type Scenario,
} from "./scenario.ts";

/** True time at the beginning of every scenario. */
export const EPOCH = Date.UTC(2026, 2, 1, 6, 0, 0);

export function inSpan(moment: number, [from, until]: Span): boolean {
  return moment >= from && moment < until;
}

/** Whether one of the spans holds both moments and everything between them. */
export function throughout(spans: readonly Span[], from: number, until: number): boolean {
  return spans.some((span) => inSpan(from, span) && inSpan(until, span));
}

export function aheadAt(faults: readonly ClockFault[], moment: number): number {
  const fault = faults.find(({ span }) => inSpan(moment, span));
  if (fault === undefined) return 0;
  const { span, aheadMs, driftPpm = 0 } = fault;
  return aheadMs + (driftPpm === 0 ? 0 : Math.trunc(((moment - span[0]) * driftPpm) / 1e6));
}

/** What is true of the tenant at any moment, whatever its answers say. */
export class World {
  readonly scenario: Scenario;
  /** From here on nothing changes and nothing goes wrong any more. */
  quietFrom = FOREVER;
  readonly findings: ReadonlyMap<string, FindingPlan>;
  /** By how many milliseconds an answer may be behind the truth. */
  readonly lagMs: number;
  /** Of all environments and their finding types. */
  readonly charactersOfNames: number;
  readonly #analyses: readonly Span[];
  readonly #byStream = new Map<string, FindingPlan[]>();
  readonly #environments: ReadonlyMap<string, EnvironmentPlan>;
  /** When each finding type of an environment is listed. */
  readonly #listed = new Map<string, readonly Span[]>();
  /** Findings with the same principals, by the key of the first one. */
  readonly #sameObjects = new Map<string, FindingPlan[]>();
  readonly #idsInUse = new Map<string, FindingPlan[]>();

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.#analyses = [...scenario.analyses].sort(([, a], [, b]) => a - b);
    this.findings = new Map(scenario.findings.map((finding) => [finding.key, finding]));
    this.#environments = new Map(scenario.environments.map((environment) => [environment.id, environment]));
    for (const { id, types } of scenario.environments)
      for (const { name, listed } of types) this.#listed.set(streamKey(id, name), listed);
    this.charactersOfNames = [...this.#listed.keys()].reduce((sum, { length }) => sum + length, 0);
    this.lagMs = Math.max(0, ...(scenario.tenant.replicas ?? []));
    for (const finding of scenario.findings) {
      addTo(this.#byStream, streamKey(finding.environment, finding.type), finding);
      addTo(this.#sameObjects, finding.sameAs ?? finding.key, finding);
      if (finding.id !== null) addTo(this.#idsInUse, idKey(finding), finding);
    }
  }

  environment(id: string): EnvironmentPlan | undefined {
    return this.#environments.get(id);
  }

  /** Findings with the principals of the one with this key, itself included. */
  withObjectsOf(key: string): readonly FindingPlan[] {
    return this.#sameObjects.get(key) ?? [];
  }

  /** Whether its id once was that of another finding of its stream. */
  hasUsedId(finding: FindingPlan): boolean {
    if (finding.id === null) return false;
    const others = this.#idsInUse.get(idKey(finding)) ?? [];
    return others.some((other) => other !== finding && other.visible <= finding.visible);
  }

  /** A moment of the scenario at which the world is what it is now: time stands still once it is quiet. */
  settled(moment: number): number {
    return Math.min(moment, this.quietFrom);
  }

  /** What the service's clock shows, in epoch milliseconds. */
  serviceClock(moment: number): number {
    return EPOCH + moment + this.serviceAhead(moment);
  }

  serviceAhead(moment: number): number {
    return moment >= this.quietFrom ? 0 : aheadAt(this.scenario.tenant.clock, moment);
  }

  /** How far the host's clock is ahead of the true time. */
  hostAhead(moment: number): number {
    const { aheadMs, clock } = this.scenario.host;
    return aheadMs + (moment >= this.quietFrom ? 0 : aheadAt(clock, moment));
  }

  /** By how much the host's clock has come to be ahead since a run began; a process that was started before goes by it. */
  hostGain(start: number, moment: number): number {
    return this.scenario.host.movesInRuns === true ? this.hostAhead(moment) - this.hostAhead(start) : 0;
  }

  /**
   * Epoch milliseconds that the service writes as the finding's created_at; null when that is no date to go by.
   *
   * @param moment - default: before an analysis dated it anew
   */
  createdAt({ created, future = 0, redated = [] }: FindingPlan, moment = BEFORE): number | null {
    // The date is written once, by the clock of its moment, and stays as it is when the clock is put right.
    if (typeof created !== "number") return null;
    const dated = redated.findLast(({ at }) => at <= this.settled(moment))?.created ?? created;
    return EPOCH + dated + aheadAt(this.scenario.tenant.clock, dated) + future;
  }

  /** Every date that the service ever gives the finding, in epoch milliseconds. */
  datesOf(finding: FindingPlan): number[] {
    const moments = [BEFORE, ...(finding.redated ?? []).map(({ at }) => at)];
    return moments.flatMap((moment) => this.createdAt(finding, moment) ?? []);
  }

  /** Whether a row of the finding is in the service's answers. */
  isPresent({ visible, deleted }: FindingPlan, moment: number): boolean {
    const now = this.settled(moment);
    if (visible > now) return false;
    if (deleted === undefined || now < deleted.at || deleted.rowStays) return true;
    return deleted.backAt !== undefined && now >= deleted.backAt;
  }

  isMarkedDeleted({ deleted }: FindingPlan, moment: number): boolean {
    const now = this.settled(moment);
    return deleted?.rowStays === true && now >= deleted.at && !(deleted.backAt !== undefined && now >= deleted.backAt);
  }

  /** Whether the finding can be read at every moment of the span and is not deleted. */
  isThereThroughout(finding: FindingPlan, from: number, until: number): boolean {
    const { visible, deleted } = finding;
    const [start, end] = [this.settled(from), this.settled(until)];
    if (visible > start) return false;
    if (deleted === undefined) return true;
    return end < deleted.at || (deleted.backAt !== undefined && start >= deleted.backAt);
  }

  findingsOf(environment: string, type: string): readonly FindingPlan[] {
    return this.#byStream.get(streamKey(environment, type)) ?? [];
  }

  environmentsAt(moment: number): EnvironmentPlan[] {
    return this.scenario.environments.filter((environment) => this.isListed(environment, moment));
  }

  isListed({ listed }: EnvironmentPlan, moment: number): boolean {
    const now = this.settled(moment);
    return listed.some((span) => inSpan(now, span));
  }

  nameOf({ name, renames, odd }: EnvironmentPlan, moment: number): string | null {
    if (odd === "name of a million characters") return millionCharacters;
    const now = this.settled(moment);
    return renames.findLast(({ at }) => at <= now)?.name ?? name;
  }

  isCollected({ collected }: EnvironmentPlan, moment: number): boolean {
    const now = this.settled(moment);
    return collected.some((span) => inSpan(now, span));
  }

  typesAt({ types }: EnvironmentPlan, moment: number): string[] {
    const now = this.settled(moment);
    return types.filter(({ listed }) => listed.some((span) => inSpan(now, span))).map(({ name }) => name);
  }

  /** Whether a run from one moment to another could see environment and type all the time. */
  isListedThroughout(environmentId: string, type: string, from: number, until: number): boolean {
    const [start, end] = [this.settled(from), this.settled(until)];
    const environment = this.environment(environmentId);
    const listed = this.#listed.get(streamKey(environmentId, type));
    if (environment === undefined || listed === undefined) return false;
    return [environment.listed, environment.collected, listed].every((spans) => throughout(spans, start, end));
  }

  /** Since when the environment's list of finding types has had this one. */
  typeListedSince(environmentId: string, type: string, moment: number): number {
    const listed = this.#listed.get(streamKey(environmentId, type)) ?? [];
    return listed.find((span) => inSpan(this.settled(moment), span))?.[0] ?? Infinity;
  }

  /** Since when the environment has been listed with collected data. */
  environmentListedSince(id: string, moment: number): number {
    const now = this.settled(moment);
    const { listed = [], collected = [] } = this.environment(id) ?? {};
    return Math.max(...[listed, collected].map((spans) => spans.find((span) => inSpan(now, span))?.[0] ?? Infinity));
  }

  /** The analyses that were complete at a moment, oldest first. */
  analysesBefore(moment: number): Span[] {
    const now = this.settled(moment);
    return this.#analyses.filter(([, until]) => until <= now);
  }

  /** What goes on at a moment, broken analyses included, and since when; null when nothing does. */
  activityAt(moment: number): { status: "analyzing" | "ingesting"; span: Span } | null {
    if (moment >= this.quietFrom) return null;
    const { analyses, brokenAnalyses = [], ingestions = [] } = this.scenario;
    const now = (span: Span): boolean => inSpan(moment, span);
    const analysis = analyses.find(now) ?? brokenAnalyses.find(now);
    if (analysis !== undefined) return { status: "analyzing", span: analysis };
    const ingestion = ingestions.find(now);
    return ingestion === undefined ? null : { status: "ingesting", span: ingestion };
  }

  /** When the last analysis was over, broken or not; null when there was none. */
  lastAnalysisEnd(moment: number): number | null {
    const { analyses, brokenAnalyses = [] } = this.scenario;
    const ends = [...analyses, ...brokenAnalyses].map(([, until]) => until);
    const past = ends.filter((until) => until <= this.settled(moment));
    return past.length === 0 ? null : Math.max(...past);
  }

  severityOf({ severities }: FindingPlan, moment: number): string | number | null {
    const now = this.settled(moment);
    return (severities.findLast(({ at }) => at <= now) ?? severities[0])?.severity ?? null;
  }

  isAccepted({ accepted }: FindingPlan, moment: number): boolean {
    const now = this.settled(moment);
    return accepted.some((span) => inSpan(now, span));
  }

  /** When the finding last changed, before a moment. */
  updatedAt(finding: FindingPlan, moment: number): number | null {
    const created = this.createdAt(finding, moment);
    if (created === null) return null;
    const now = this.settled(moment);
    const changes = [...finding.severities.map(({ at }) => at), ...finding.accepted.flat()];
    const last = Math.max(...changes.filter((at) => at > BEFORE && at <= now), -Infinity);
    return last === -Infinity ? created : Math.max(created, this.serviceClock(last));
  }
}

function addTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function idKey({ environment, type, id }: FindingPlan): string {
  return JSON.stringify([environment, type, id]);
}

export const millionCharacters = "N".repeat(1_000_000);

export function streamKey(environment: string, type: string): string {
  return `${environment}\n${type}`;
}

/** A day, an hour and a minute in milliseconds. */
export const DAY = 86_400_000;
export const HOUR = 3_600_000;
export const MINUTE = 60_000;
