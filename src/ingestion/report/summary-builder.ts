import type { StreamReason } from "../skip-decision.ts";
import type { ServiceError } from "../../service/errors/errors.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import type {
  EnvironmentItem,
  NewsItem,
  NoNewsItem,
  PollItem,
  PollSubject,
  ScopeItem,
  TypesItem,
} from "../poll-items.ts";
import { nextStart, startAt, type UnreadPart, unreadIn } from "../next-start.ts";
import { path } from "../../service/http/target.ts";
import type { RateRefusal } from "../pace.ts";
import { type EnvironmentReport, isDone, type MemoryNote, type StreamReport } from "./run-summary.ts";
import type { Scope, Stream } from "../scope.ts";
import type { NextStart } from "../state/state.ts";

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
  readonly #reused = new Set<StreamReport>();
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
    if (item.kind === "scope") this.#setScope(item);
    else if (item.kind === "environment") this.#addEnvironment(item);
    else if (item.kind === "types") this.#addTypes(item);
    else if (item.kind === "unchanged") this.#finish(this.#reasoned(item.stream, "unchanged"), "unchanged");
    else if (item.kind === "gone") this.#finish(this.#reasoned(item.stream, "gone"), "read");
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
    const isRefused = error.path?.includes(path`/${environment.id}/`) ?? true;
    if (isRefused) this.#refused.add(this.#report(subject));
  }

  /** See `unreadIn`. */
  unread(): UnreadPart[] {
    return unreadIn(this.environments);
  }

  /** See `nextStart`. */
  nextStart(begin: NextStart | null = null): NextStart | null {
    return nextStart({ environments: this.environments, refused: this.#refused, isListed: this.scope !== null }, begin);
  }

  /** What the rate limit has refused; null when it did not end the run. */
  get refusal(): RateRefusal | null {
    if (this.ended?.code !== "rate_limited") return null;
    const [part] = this.#refused;
    if (part === undefined || wasAnswered(part)) return { part: null, isApart: false };
    const others = [...this.environments.values()].filter((report) => report !== part);
    const isApart = others.some(({ streams }) => [...streams.values()].some(wasAnswered));
    return { part: startAt(part), isApart };
  }

  /** Whether the service has answered anything that the run cannot do without. */
  get wasServed(): boolean {
    return this.scope !== null || this.#done.size > 0;
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
    const read = [...this.#reused].filter(isDone).length;
    const unread = this.#reused.size - read;
    return [
      ...(this.#returned === 0 ? [] : [{ kind: "returned", findings: this.#returned } as const]),
      ...(read === 0 ? [] : [{ kind: "ids_reused", streams: read } as const]),
      ...(unread === 0 ? [] : [{ kind: "ids_reused_unread", streams: unread } as const]),
      ...(window.size === 0 ? [] : [{ kind: "window_cut", streams: window.size } as const]),
      ...(repeating === 0 ? [] : [{ kind: "ids_cut", streams: repeating } as const]),
    ];
  }

  /** Environments stand in the order in which the run reads them, begun or not. */
  #setScope({ scope, incomplete }: ScopeItem): void {
    this.scope = scope;
    this.tenantError = incomplete ?? null;
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
    if (item.incomplete === undefined) report.outcome = "read";
    else Object.assign(report, { outcome: "failed", error: item.incomplete });
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
    const report = this.#reasoned(stream, reason);
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
    if (idsReused) this.#reused.add(report);
  }

  #report(subject: Exclude<PollSubject, { kind: "tenant" }>): EnvironmentReport | StreamReport {
    return subject.kind === "environment" ? this.#environment(subject.environment) : this.#stream(subject.stream);
  }

  #reasoned(stream: Stream, reason: StreamReason): StreamReport {
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

/** Whether anything of it was answered in this run. */
function wasAnswered(part: UnreadPart): boolean {
  return "streams" in part ? part.types !== null : part.reason !== null;
}

function newReport(environment: Environment): EnvironmentReport {
  return { environment, outcome: "left", error: null, item: null, types: null, streams: new Map() };
}
