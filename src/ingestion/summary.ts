import type { ServiceError } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { EnvironmentItem, NewsItem, NoNewsItem, PollItem, PollSubject, TypesItem } from "./poll-items.ts";
import { type EnvironmentReport, isDone, type MemoryNote, type StreamReport } from "./run-summary.ts";
import type { Scope, Stream } from "./scope.ts";
import type { NextStart } from "./state/state.ts";

/** Collects what happens in a run. */
export class SummaryBuilder {
  readonly environments = new Map<string, EnvironmentReport>();
  scope: Scope | null = null;
  tenantError: ServiceError | null = null;
  ended: ServiceError | null = null;
  findings = 0;
  alerts = 0;
  invalidValues = 0;
  readonly #cuts = { window: new Set<string>(), ids: new Set<string>() };
  readonly #reused = new Set<string>();
  /** Streams, and those of them that are done: counted as they come, because there may be thousands. */
  #known = 0;
  readonly #done = new Set<StreamReport>();
  #returned = 0;
  readonly #refused = new Set<EnvironmentReport | StreamReport>();
  readonly #slowMs: () => number;

  /** @param slowMs - what kept the run waiting for longer when it ended counts as unanswered */
  constructor(slowMs: () => number) {
    this.#slowMs = slowMs;
  }

  add(item: PollItem): void {
    if (item.kind === "scope") this.#setScope(item.scope);
    else if (item.kind === "environment") this.#addEnvironment(item);
    else if (item.kind === "types") this.#addTypes(item);
    else if (item.kind === "unchanged") this.#finish(this.#reasoned(item), "unchanged");
    else if (item.kind === "news" || item.kind === "no_news") this.#addBatch(item);
  }

  failed(subject: PollSubject, error: ServiceError): void {
    if (subject.kind === "tenant") this.tenantError = error;
    else Object.assign(this.#report(subject), { outcome: "failed", error });
  }

  /** The run ended while this was still to be read. */
  cutOff(subject: PollSubject, waitedMs: number): void {
    if (subject.kind === "tenant") return;
    const report = this.#report(subject);
    if (report.outcome !== "left") return;
    if (waitedMs >= this.#slowMs()) report.outcome = "unanswered";
  }

  /**
   * A failure ended the run. What the service refused for its rate limit comes first in the next run, unless it has just been first:
   * then it may be refused each time, and would end every run before the others had a turn.
   */
  endedBy(error: ServiceError, subject: PollSubject): void {
    this.ended ??= error;
    if (error.code !== "rate_limited" || subject.kind === "tenant" || this.#refused.size > 0) return;
    const { environment } = subject.kind === "stream" ? subject.stream : subject;
    // Requests that were not sent any more fail with the same error.
    const isRefused = error.path?.includes(`/${encodeURIComponent(environment.id)}/`) ?? true;
    if (isRefused) this.#refused.add(this.#report(subject));
  }

  /** Every stream that was not read to its end, environments that could not be listed included, in order. */
  unread(): (EnvironmentReport | StreamReport)[] {
    return [...this.environments.values()].flatMap((environment) => [
      ...(isDone(environment) ? [] : [environment]),
      ...[...environment.streams.values()].filter((stream) => !isDone(stream)),
    ]);
  }

  /**
   * Where the next run begins: at the first stream that had no turn; when all had one, behind the first that was cut
   * short, so that a large stream cannot keep the others waiting. When none waits: null after a run that read
   * everything, else where this run began.
   *
   * @param begin - where this run began: the finding types before that one, and their list, take their turn after all other
   * environments
   */
  nextStart(begin: NextStart | null = null): NextStart | null {
    const refused = this.#refusedOnTheWay(begin);
    if (refused !== undefined) return startAt(refused);
    const unread = this.unread();
    const all = waiting(unread.filter((report) => !this.#refused.has(report)));
    const inTurn = [
      ...all.filter((report) => !isBefore(report, begin)),
      ...all.filter((each) => isBefore(each, begin)),
    ];
    const withoutTurn = inTurn.filter(hadNoTurn);
    // What the run began with had all of its time. If it hangs, the others would never have a turn.
    const next = withoutTurn.find((each) => !this.#isBegin(each, begin)) ?? withoutTurn[0] ?? inTurn[1] ?? inTurn[0];
    // A run that could not list everything does not know who had no turn.
    if (next === undefined) return this.#behindRefused() ?? (this.scope === null || unread.length > 0 ? begin : null);
    const isSame = "streams" in next && next.streams.size === 0 && next.environment.id === begin?.environmentId;
    return isSame ? begin : startAt(next);
  }

  /**
   * What the rate limit has refused before it had a turn, unless the run began with it or had come round to it: each run must begin
   * further on than the one before.
   */
  #refusedOnTheWay(begin: NextStart | null): EnvironmentReport | StreamReport | undefined {
    return [...this.#refused].find(
      (report) => hadNoTurn(report) && !this.#isBegin(report, begin) && !isBefore(report, begin),
    );
  }

  /** What comes behind what was refused; null when nothing was. */
  #behindRefused(): NextStart | null {
    const [refused] = this.#refused;
    if (refused === undefined) return null;
    const isRefused = (report: EnvironmentReport | StreamReport): boolean =>
      report === refused || ("stream" in report && this.environments.get(report.stream.environment.id) === refused);
    const all = [...this.environments.values()].flatMap((report): (EnvironmentReport | StreamReport)[] =>
      report.streams.size === 0 ? [report] : [...report.streams.values()],
    );
    const next = all[(all.findLastIndex(isRefused) + 1) % all.length];
    return next === undefined ? null : startAt(next);
  }

  #isBegin(report: EnvironmentReport | StreamReport, begin: NextStart | null): boolean {
    if ("stream" in report)
      return report.stream.environment.id === begin?.environmentId && report.stream.findingType === begin.findingType;
    const [first] = this.environments.keys();
    return report.environment.id === (begin?.environmentId ?? first);
  }

  /** How many of the streams that are known so far are done. */
  progress(): { done: number; total: number } {
    return { done: this.#done.size, total: this.#known };
  }

  /**
   * Streams whose ids stand for other findings than before, and those whose memory had to be cut.
   *
   * @param forgotten - streams that are gone and were forgotten altogether
   */
  memoryNotes(forgotten: number): MemoryNote[] {
    const { window, ids } = this.#cuts;
    const repeating = ids.size + forgotten;
    return [
      ...(this.#returned === 0 ? [] : [{ kind: "returned", findings: this.#returned } as const]),
      ...(this.#reused.size === 0 ? [] : [{ kind: "ids_reused", streams: this.#reused.size } as const]),
      ...(window.size === 0 ? [] : [{ kind: "window_cut", streams: window.size } as const]),
      ...(repeating === 0 ? [] : [{ kind: "ids_cut", streams: repeating } as const]),
    ];
  }

  /** Environments stand in the order in which the run reads them, begun or not. */
  #setScope(scope: Scope): void {
    this.scope = scope;
    const begun = new Map(this.environments);
    this.environments.clear();
    for (const environment of scope.selected) {
      this.environments.set(environment.id, begun.get(environment.id) ?? newReport(environment));
    }
    for (const [id, report] of begun) if (!this.environments.has(id)) this.environments.set(id, report);
  }

  #addEnvironment(item: EnvironmentItem): void {
    const report = this.#environment(item.environment);
    report.item = item;
    if (item.decision === "skip") report.outcome = "unchanged";
    for (const findingType of item.known) this.#stream({ environment: item.environment, findingType });
  }

  #addTypes(item: TypesItem): void {
    const report = this.#environment(item.environment);
    report.types = item;
    report.outcome = "read";
    const selected = new Set(item.selected);
    for (const [findingType, stream] of report.streams) {
      if (selected.has(findingType) || isDone(stream) || stream.alerts > 0) continue;
      report.streams.delete(findingType);
      this.#known -= 1;
    }
    for (const findingType of item.selected) this.#stream({ environment: item.environment, findingType });
  }

  #addBatch({
    stream,
    reason,
    findings,
    invalidValues,
    leftOut,
    complete,
    memoryCut,
    idsReused,
  }: NewsItem | NoNewsItem): void {
    const report = this.#reasoned({ stream, reason });
    const key = `${stream.environment.id}\n${stream.findingType}`;
    // A window may be read more than once, and each time the same findings are left out.
    for (const [criterion, count] of leftOut)
      report.leftOut.set(criterion, Math.max(report.leftOut.get(criterion) ?? 0, count));
    if (complete) this.#finish(report, "read");
    if (findings.length > 0) {
      report.alerts += 1;
      report.findings += findings.length;
      this.alerts += 1;
      this.findings += findings.length;
      this.invalidValues += invalidValues.length;
      this.#returned += findings.filter(({ mayBeBack }) => mayBeBack).length;
    }
    if (memoryCut !== null) this.#cuts[memoryCut].add(key);
    if (idsReused) this.#reused.add(key);
  }

  #report(subject: Exclude<PollSubject, { kind: "tenant" }>): EnvironmentReport | StreamReport {
    return subject.kind === "environment" ? this.#environment(subject.environment) : this.#stream(subject.stream);
  }

  #reasoned({ stream, reason }: Pick<NewsItem, "stream" | "reason">): StreamReport {
    return Object.assign(this.#stream(stream), { reason });
  }

  #finish(report: StreamReport, outcome: "read" | "unchanged"): void {
    report.outcome = outcome;
    this.#done.add(report);
  }

  #environment(environment: Environment): EnvironmentReport {
    const known = this.environments.get(environment.id);
    if (known !== undefined) return known;
    const report = newReport(environment);
    this.environments.set(environment.id, report);
    return report;
  }

  #stream(stream: Stream): StreamReport {
    const { streams } = this.#environment(stream.environment);
    const known = streams.get(stream.findingType);
    if (known !== undefined) return known;
    this.#known += 1;
    const report: StreamReport = {
      stream,
      reason: null,
      outcome: "left",
      error: null,
      findings: 0,
      alerts: 0,
      leftOut: new Map(),
    };
    streams.set(stream.findingType, report);
    return report;
  }
}

function newReport(environment: Environment): EnvironmentReport {
  return { environment, outcome: "left", error: null, item: null, types: null, streams: new Map() };
}

function hadNoTurn(report: EnvironmentReport | StreamReport): boolean {
  return !("alerts" in report) || report.alerts === 0;
}

function isUnread(report: StreamReport): boolean {
  return !isDone(report);
}

function startAt(report: EnvironmentReport | StreamReport): NextStart {
  if (!("stream" in report)) return { environmentId: report.environment.id };
  return { environmentId: report.stream.environment.id, findingType: report.stream.findingType };
}

/** Whether a run that began in the middle of an environment comes to it only after the other environments. */
function isBefore(report: EnvironmentReport | StreamReport, begin: NextStart | null): boolean {
  const { environment } = "stream" in report ? report.stream : report;
  if (begin?.findingType === undefined || environment.id !== begin.environmentId) return false;
  return "stream" in report ? report.stream.findingType < begin.findingType : report.streams.size > 0;
}

/** What waits for a turn: what did not answer only where nothing else does, so that slow ones do not go before the rest. */
function waiting(unread: readonly (EnvironmentReport | StreamReport)[]): readonly (EnvironmentReport | StreamReport)[] {
  // Finding types that were not read stand for their environment, whose list may be late.
  const all = unread.filter((report) => !("streams" in report && [...report.streams.values()].some(isUnread)));
  const left = all.filter(({ outcome }) => outcome === "left");
  return left.length > 0 ? left : all.filter(({ outcome }) => outcome === "unanswered");
}
