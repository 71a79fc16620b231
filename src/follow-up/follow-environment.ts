import type { Logger } from "../logger.ts";
import type { AlertChange } from "../runtime/modules.ts";
import type { JobAlert } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import type { AnalysisTime, AnalysisTimes } from "./analysis-time.ts";
import { askGraph, type Outdated, type Question } from "./ask-graph.ts";
import { type Brake, brakeOf, NO_BRAKE } from "./brake.ts";
import { type CensusOutcome, readCensus } from "./census.ts";
import type { Settings } from "./alert-change.ts";
import { requestChange } from "./request-change.ts";
import type { JobTime, PlacedTime } from "./job-time.ts";
import { afterCensus, type EnvironmentEvidence, evidenceOf, type ReadStream, StreamJudge } from "./judge.ts";
import type { RunNotes } from "./run-notes.ts";
import { ANALYSIS_ENDED, CHECK_FAILED, streamName, TOO_FEW_READ, TYPE_ABSENT } from "./sentences.ts";
import type { FollowUpMemory } from "./state/memory.ts";
import type { StreamMemory, VerdictCounts } from "./state/state.ts";
import { type Stream, streamsOf } from "./streams.ts";
import { NO_VERDICTS, sumOf } from "./verdict.ts";
import { isWithdrawn } from "./waits.ts";

/** What a run works with. */
export interface FollowUpContext {
  readonly service: AttackPathService;
  readonly times: AnalysisTimes;
  readonly memory: FollowUpMemory;
  readonly settings: Settings;
  /** The parameters have changed, so what was judged before is judged again. */
  readonly judgesAgain: boolean;
  readonly notes: RunNotes;
  readonly log: Logger;
  readonly time: JobTime;
  /** By the job's time. */
  now(): number;
  /** In epoch milliseconds. */
  hostNow(): number;
  /** Asks the host for a change. */
  change(change: AlertChange): Promise<void>;
  /** The tenant's last word about its analysis; null when it does not offer it. */
  tenantTime: AnalysisTime | null;
}

/** Judges the alerts of one environment that nothing speaks against judging. @throws ServiceError when it ends the run */
export async function followEnvironment(
  context: FollowUpContext,
  environment: Environment,
  alerts: readonly JobAlert[],
): Promise<void> {
  await new EnvironmentPass(context, environment, streamsOf(alerts)).run();
}

class EnvironmentPass {
  readonly #context: FollowUpContext;
  readonly #environment: Environment;
  readonly #streams: readonly Stream[];
  readonly #read: ReadStream[] = [];
  /** Streams of types that the service does not know any more. */
  readonly #absent: { stream: Stream; analysis: number }[] = [];
  /** Streams that could not be read although something may have changed. */
  readonly #failed = new Set<Stream>();

  constructor(context: FollowUpContext, environment: Environment, streams: readonly Stream[]) {
    this.#context = context;
    this.#environment = environment;
    this.#streams = streams;
  }

  async run(): Promise<void> {
    for (const stream of this.#streams) await this.#readStream(stream);
    if (this.#read.length + this.#absent.length === 0) return;
    const { holds: isBraked, isCertain, hasLeft, isMass } = this.#brake();
    this.#context.memory.markMass(this.#environment.id, isMass);
    for (const { missing } of this.#read) missing.markMass(isMass);
    const evidence = evidenceOf(this.#read, this.#unread());
    const questions = isCertain ? [] : this.#questions(evidence);
    const { service, log, notes } = this.#context;
    const now = this.#context.now();
    const asked = await askGraph(questions, { service, log, now }, () => this.#outdated());
    const { checks, outdated, stopped } = asked;
    if (stopped !== null) {
      notes.stopped = stopped;
      notes.hasFailed = true;
    }
    for (const read of this.#read) {
      const why = outdated(read.stream);
      if (why !== null) this.#unknown(read.stream, why, true);
      else await this.#finish(read, new StreamJudge(read, evidence, checks.get(read)), isBraked);
    }
    for (const { stream, analysis } of this.#absent) {
      const why = outdated(stream);
      if (why !== null) this.#unknown(stream, why, true);
      else await this.#withdraw(stream, analysis);
    }
    if (isCertain || hasLeft) notes.brake.push(this.#environment);
    else if (isBraked) notes.cannotJudge(this.#environment.name ?? this.#environment.id, TOO_FEW_READ);
  }

  async #readStream(stream: Stream): Promise<void> {
    const { service, times, tenantTime } = this.#context;
    const { id } = this.#environment;
    const { findingType } = stream;
    try {
      const before = tenantTime ?? (await times.of(id, findingType));
      if ("why" in before) {
        this.#unknown(stream, before.why);
        return;
      }
      if (!this.#isDue(stream, before.at)) {
        this.#unchanged(stream);
        return;
      }
      const census = await readCensus(service, { environmentId: id, findingType }, stream.findings);
      this.#take(stream, census, before.at);
    } catch (error) {
      if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
      this.#unknown(stream, error.message, true);
    }
  }

  #isDue({ findingType }: Stream, analysis: number): boolean {
    const known = this.#known(findingType);
    if (known === undefined || this.#context.judgesAgain || known.analysis !== analysis) return true;
    return known.due !== undefined && this.#context.now() >= known.due;
  }

  #take(stream: Stream, census: CensusOutcome, analysis: number): void {
    if (census.kind === "incomplete") this.#unknown(stream, census.why, true);
    else if (census.kind === "no_type") this.#absent.push({ stream, analysis });
    else {
      const { memory } = this.#context;
      const sights = [memory.visible, memory.environment(this.#environment.id).zones];
      const known = this.#known(stream.findingType);
      const { analysis: last = 0, readAt = 0 } = known ?? {};
      const of = (at: number): PlacedTime => this.#context.time.of(at);
      const earliest = Math.min(of(analysis).earliest, last === analysis ? (known?.earliest ?? Infinity) : Infinity);
      const time = { analysis, earliest, last, readAt, now: this.#context.now(), of };
      const { allowsMassClosing: allowsMass } = this.#context.settings;
      this.#read.push(afterCensus(stream, census, { sights, time, memory: known, allowsMass }));
    }
  }

  /** What another analysis has made of what was read and checked until now. */
  async #outdated(): Promise<Outdated> {
    const { times, tenantTime } = this.#context;
    if (tenantTime !== null) {
      const why = await this.#changed(tenantTime, () => times.ofTenant());
      return () => why;
    }
    const reasons = new Map<Stream, string | null>();
    for (const { stream, time } of this.#read) {
      const again = (): Promise<AnalysisTime> => times.of(this.#environment.id, stream.findingType);
      reasons.set(stream, await this.#changed({ at: time.analysis }, again));
    }
    return (stream) => reasons.get(stream) ?? null;
  }

  /** @throws ServiceError when it ends the run */
  async #changed(before: AnalysisTime, read: () => Promise<AnalysisTime | null>): Promise<string | null> {
    try {
      const after = await read();
      if (this.#context.tenantTime !== null) this.#context.tenantTime = after ?? before;
      return after !== null && isSame(before, after) ? null : ANALYSIS_ENDED;
    } catch (error) {
      if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
      return error.message;
    }
  }

  /** Whether so much vanished, or may have vanished where a read failed, that nothing is closed. */
  #brake(): Brake {
    if (this.#context.settings.allowsMassClosing) return NO_BRAKE;
    return brakeOf({
      streams: this.#streams,
      read: this.#read,
      absent: new Set(this.#absent.map(({ stream }) => stream)),
      failed: this.#failed,
      known: ({ findingType }) => this.#known(findingType),
      now: this.#context.now(),
    });
  }

  #questions(evidence: EnvironmentEvidence): Question[] {
    const { memory, settings } = this.#context;
    return this.#read.flatMap((read) => {
      const judge = new StreamJudge(read, evidence);
      const open = read.stream.alerts.filter(({ status }) => status === "open");
      const wanted = new Set(
        open.flatMap((alert) => judge.toCheck(alert, memory.alert(alert.alertId), settings.closes)),
      );
      return [...wanted].flatMap((key): Question[] => {
        const finding = read.stream.findings.get(key);
        return finding === undefined ? [] : [{ read, key, finding }];
      });
    });
  }

  async #finish(read: ReadStream, judge: StreamJudge, isBraked: boolean): Promise<void> {
    const { memory, notes } = this.#context;
    const { stream, time } = read;
    const alerts = stream.alerts.map((alert) => [alert, memory.alert(alert.alertId)] as const);
    const open = alerts.filter(([{ status }]) => status === "open");
    const all: VerdictCounts[] = [];
    for (const [alert, before] of alerts) {
      const judged = judge.judge(alert, before);
      if (alert.status === "open") all.push(judged.counts);
      await requestChange(this.#context, alert, judged, isBraked);
    }
    const counts = sumOf(all);
    const due = judge.due(open);
    judge.settle(open);
    notes.add(counts);
    if (counts.unknown > 0) notes.cannotJudge(this.#nameOf(stream), CHECK_FAILED, { failed: true });
    memory.setStream(this.#environment.id, stream.findingType, {
      analysis: time.analysis,
      readAt: time.now,
      earliest: time.earliest,
      ...(due !== Infinity && { due }),
      counts,
      ...(read.alerts !== undefined && { alerts: read.alerts }),
      missing: read.missing.toGroups(),
    });
  }

  /** The service does not know the type any more: after a week, its findings count as withdrawn. */
  async #withdraw(stream: Stream, analysis: number): Promise<void> {
    const { memory, notes } = this.#context;
    const now = this.#context.now();
    const known = this.#known(stream.findingType);
    const absentSince = known?.absentSince ?? now;
    const verdict = isWithdrawn(absentSince, now) ? "withdrawn" : "unknown";
    const counts = await this.#judgeAll(stream, verdict);
    if (verdict === "unknown") notes.cannotJudge(this.#nameOf(stream), TYPE_ABSENT);
    const { missing = [], readAt = 0, earliest = 0 } = known ?? {};
    const withdrawn = { analysis, readAt, earliest, absentSince, counts, missing };
    memory.setStream(this.#environment.id, stream.findingType, withdrawn);
  }

  async #judgeAll(stream: Stream, verdict: "withdrawn" | "unknown"): Promise<VerdictCounts> {
    const all: VerdictCounts[] = [];
    for (const alert of stream.alerts) {
      if (alert.status !== "open") continue;
      const counts = { ...NO_VERDICTS, [verdict]: alert.findings.length };
      all.push(counts);
      await requestChange(this.#context, alert, { counts, worstActive: "unknown", analyses: [] }, false);
    }
    const sum = sumOf(all);
    this.#context.notes.add(sum);
    return sum;
  }

  /** Nothing new can be known: what was said in the run before stands. */
  #unchanged({ findingType, alerts }: Stream): void {
    const { notes, memory } = this.#context;
    const known = this.#known(findingType);
    if (known !== undefined) notes.add(known.counts);
    for (const { alertId, status } of alerts) {
      memory.alert(alertId);
      if (status === "open") notes.alert({ ...NO_VERDICTS, unknown: known?.counts.unknown ?? 0 });
    }
  }

  #unknown(stream: Stream, why: string, failed = false): void {
    this.#failed.add(stream);
    const { notes, memory } = this.#context;
    notes.cannotJudge(this.#nameOf(stream), why, { failed });
    for (const { alertId, status, findings } of stream.alerts) {
      memory.alert(alertId);
      if (status !== "open") continue;
      const counts = { ...NO_VERDICTS, unknown: Math.max(1, findings.length) };
      notes.alert(counts);
      notes.add({ ...counts, unknown: findings.length });
    }
  }

  #unread() {
    const read = new Set(this.#read.map(({ stream }) => stream.findingType));
    return this.#streams
      .filter(({ findingType }) => !read.has(findingType))
      .map(({ findingType }) => ({ findingType, memory: this.#known(findingType) }));
  }

  #known(findingType: string): StreamMemory | undefined {
    return this.#context.memory.stream(this.#environment.id, findingType);
  }

  #nameOf({ findingType }: Stream): string {
    return streamName(this.#environment.name ?? this.#environment.id, findingType);
  }
}

function isSame(a: AnalysisTime, b: AnalysisTime): boolean {
  return "at" in a && "at" in b && a.at === b.at;
}
