import type { Deadline } from "../deadline.ts";
import { startingAt } from "../ingestion/scope.ts";
import type { Logger } from "../logger.ts";
import type { AlertChange } from "../runtime/modules.ts";
import type { JobAlert } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { Settings } from "./alert-change.ts";
import type { AnalysisTime, AnalysisTimes } from "./proof/analysis-time.ts";
import { askGraph, type Question } from "./proof/ask-graph.ts";
import { type Brake, brakeOf, NO_BRAKE } from "./proof/brake.ts";
import type { FindingKey } from "./finding-key.ts";
import type { JobTime } from "./proof/job-time.ts";
import { evidenceOf, type JudgedAlert, keysOf, type ReadStream, StreamJudge } from "./proof/judge.ts";
import { MissingFindings } from "./proof/missing.ts";
import { LEFT, type StreamOutcome, StreamReader } from "./read-streams.ts";
import { requestChange } from "./request-change.ts";
import type { RunNotes } from "./run-notes.ts";
import { CHECK_FAILED, HIDDEN, NO_TIME, streamName, TOO_FEW_READ, TYPE_ABSENT } from "./sentences.ts";
import type { FollowUpMemory } from "./state/memory.ts";
import type { StreamMemory, VerdictCounts } from "./state/state.ts";
import { type Stream, streamsOf } from "./streams.ts";
import { type Check, NO_VERDICTS, sumOf, withoutZeros } from "./proof/verdict.ts";
import { isWithdrawn, WITHDRAWN_AFTER_MS } from "./proof/waits.ts";

/** What a run works with. */
export interface FollowUpContext {
  readonly service: AttackPathService;
  readonly times: AnalysisTimes;
  readonly memory: FollowUpMemory;
  readonly settings: Settings;
  readonly deadline: Deadline;
  /** The last run ended before it had judged all: this one stores what it has after each request, so that it cannot lose it all. */
  readonly isCareful: boolean;
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

/** So many reads are compared with the time of the analysis at once: when the run ends suddenly, at most these are lost. */
const READS_AT_A_TIME = 64;
const QUESTIONS_AT_A_TIME = 64;

/**
 * Judges the alerts of one environment that nothing speaks against judging. A run that has no time for all of them, or that ends
 * meanwhile, keeps what it has found out, and the next one begins where it stopped.
 */
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
  /** In the order in which they have their turn. */
  readonly #streams: readonly Stream[];
  readonly #reader: StreamReader;
  readonly #outcomes = new Map<Stream, StreamOutcome>();
  readonly #checks = new Map<ReadStream, ReadonlyMap<FindingKey, Check>>();

  constructor(context: FollowUpContext, environment: Environment, streams: readonly Stream[]) {
    const { next } = context.memory.environment(environment.id);
    this.#context = context;
    this.#environment = environment;
    this.#streams = startingAt(streams, ({ findingType }) => findingType === next);
    this.#reader = new StreamReader(context, environment);
  }

  async run(): Promise<void> {
    const { memory, notes } = this.#context;
    await notes.untilStopped(() => this.#readAll());
    memory.beginAt(this.#environment.id, this.#next());
    for (const stream of this.#streams) this.#noteUnread(stream);
    if (notes.stopped === null && this.#isCut)
      notes.cannotJudge(this.#environment.name ?? this.#environment.id, NO_TIME, { failed: true });
    if (this.#reader.count > 0) await this.#judge();
  }

  async #readAll(): Promise<void> {
    const { notes, isCareful } = this.#context;
    for (const stream of this.#streams) {
      const outcome = await this.#reader.read(stream);
      this.#outcomes.set(stream, outcome);
      if (this.#reader.uncompared.length >= (isCareful ? 1 : READS_AT_A_TIME)) await this.#check();
      if (outcome.kind === "left" || notes.stopped !== null) return;
    }
  }

  /** Asks the graph about what was read since it was asked last, unless so much has vanished that nothing is closed. */
  async #check(brake = this.#brake()): Promise<void> {
    const { service, log, notes, isCareful } = this.#context;
    const unasked = this.#reads.filter((read) => !this.#checks.has(read));
    const questions = brake.isCertain ? [] : unasked.flatMap((read) => this.#questions(read));
    const streams = [...new Set([...this.#reader.uncompared, ...questions.map(({ read }) => read.stream)])];
    if (streams.length === 0) return;
    const options = { service, log, now: this.#context.now(), atATime: isCareful ? 1 : QUESTIONS_AT_A_TIME };
    const { checks, stopped } = await askGraph(questions, options, () => this.#reader.compare(streams));
    for (const [read, answers] of checks) this.#checks.set(read, answers);
    if (stopped !== null) notes.stop(stopped);
  }

  async #judge(): Promise<void> {
    const { memory, notes } = this.#context;
    const brake = this.#brake();
    memory.markMass(this.#environment.id, brake.isMass);
    for (const { missing } of this.#reads) missing.markMass(brake.isMass);
    if (notes.stopped === null) await notes.untilStopped(() => this.#check(brake));
    const evidence = evidenceOf(this.#reads, this.#unread());
    for (const read of this.#reads) {
      const judge = new StreamJudge(read, evidence, this.#checks.get(read));
      await this.#ifItCounts(read.stream, () => this.#finish(read, judge, brake));
    }
    for (const { stream, analysis } of this.#absent)
      await this.#ifItCounts(stream, () => this.#withdraw(stream, analysis));
    const isBraked = brake.isCertain || brake.hasLeft;
    memory.setBraked(this.#environment.id, isBraked);
    if (!isBraked && brake.holds) notes.cannotJudge(this.#environment.name ?? this.#environment.id, TOO_FEW_READ);
  }

  async #ifItCounts(stream: Stream, finish: () => Promise<void>): Promise<void> {
    const { notes } = this.#context;
    const why = this.#reader.whyNot(stream);
    if (why !== null) this.#unknown(stream, notes.stopped === null ? { why, failed: true } : null);
    else await notes.untilStopped(finish);
  }

  get #reads(): ReadStream[] {
    return [...this.#outcomes.values()].flatMap((outcome) => (outcome.kind === "read" ? [outcome.read] : []));
  }

  /** Streams of types that the service does not know any more. */
  get #absent(): { stream: Stream; analysis: number }[] {
    return [...this.#outcomes].flatMap(([stream, outcome]) =>
      outcome.kind === "absent" ? [{ stream, analysis: outcome.analysis }] : [],
    );
  }

  /** Whether there was no time for all. */
  get #isCut(): boolean {
    return this.#streams.some((stream) => this.#outcomeOf(stream).kind === "left");
  }

  #outcomeOf(stream: Stream): StreamOutcome {
    return this.#outcomes.get(stream) ?? LEFT;
  }

  /** The finding type at which the next run begins; null for the first one. */
  #next(): string | null {
    const done = this.#streams.findIndex((stream) => this.#outcomeOf(stream).kind === "left");
    if (done === -1) return null;
    // What takes longer than a run must not hold up what is behind it.
    return this.#streams[done === 0 ? 1 % this.#streams.length : done]?.findingType ?? null;
  }

  #noteUnread(stream: Stream): void {
    const outcome = this.#outcomeOf(stream);
    if (outcome.kind === "unchanged") this.#unchanged(stream);
    else if (outcome.kind === "still_absent") this.#stillAbsent(stream);
    else if (outcome.kind === "unknown") this.#unknown(stream, outcome);
    else if (outcome.kind === "left") this.#unknown(stream, null);
  }

  /** Whether so much vanished, or may have vanished where a read failed, that nothing is closed. */
  #brake(): Brake {
    const { settings, tenantTime } = this.#context;
    if (settings.allowsMassClosing) return NO_BRAKE;
    const known = ({ findingType }: Stream): StreamMemory | undefined => this.#known(findingType);
    const newest = this.#reads.reduce((latest, { time }) => Math.max(latest, time.analysis), 0);
    const analysis = tenantTime !== null && "at" in tenantTime ? tenantTime.at : newest;
    // What an earlier run has read after the same analysis need not be read again.
    const isOutdated = (stream: Stream): boolean => known(stream)?.analysis !== analysis;
    const isFailed = (stream: Stream): boolean => {
      const { kind } = this.#outcomeOf(stream);
      return kind === "unknown" || (kind === "left" && isOutdated(stream));
    };
    const isAbsent = (stream: Stream): boolean => {
      const { kind } = this.#outcomeOf(stream);
      const wasAbsent = known(stream)?.absentSince !== undefined;
      return kind === "absent" || (wasAbsent && kind !== "read" && !isFailed(stream));
    };
    return brakeOf({
      streams: this.#streams,
      read: this.#reads,
      absent: new Set(this.#streams.filter(isAbsent)),
      failed: new Set(this.#streams.filter(isFailed)),
      known,
      now: this.#context.now(),
    });
  }

  #questions(read: ReadStream): Question[] {
    const { memory, settings } = this.#context;
    const { stream } = read;
    const judge = new StreamJudge(read);
    const open = stream.alerts.filter(({ status }) => status === "open");
    const wanted = new Set(open.flatMap((alert) => judge.toCheck(alert, memory.alert(alert.alertId), settings.closes)));
    return [...wanted].flatMap((key): Question[] => {
      const finding = stream.findings.get(key);
      return finding === undefined ? [] : [{ read, key, finding }];
    });
  }

  async #finish(read: ReadStream, judge: StreamJudge, brake: Brake): Promise<void> {
    const { memory, notes } = this.#context;
    const { stream, time } = read;
    const open = stream.alerts
      .filter(({ status }) => status === "open")
      .map((alert) => [alert, memory.alert(alert.alertId)] as const);
    const judged = stream.alerts.map((alert) => [alert, judge.judge(alert, memory.alert(alert.alertId))] as const);
    const counts = this.#note(judged);
    if (judge.hasFailed) notes.cannotJudge(this.#nameOf(stream), CHECK_FAILED, { failed: true });
    else if (counts.unknown > 0) notes.cannotJudge(this.#nameOf(stream), HIDDEN);
    await this.#request(judged, brake.holds);
    const due = this.#isHeldUp(counts, brake) ? time.now : judge.due(open);
    judge.settle(open);
    memory.setStream(this.#environment.id, stream.findingType, {
      analysis: time.analysis,
      readAt: time.now,
      earliest: time.earliest,
      ...(due !== Infinity && { due }),
      counts: withoutZeros(counts),
      open: stream.openHash,
      ...(read.alerts !== undefined && { alerts: read.alerts }),
      missing: read.missing.toGroups(),
      sizes: read.sizes,
    });
  }

  /** Whether it is closed as soon as later runs have read the rest. */
  #isHeldUp({ gone }: VerdictCounts, { holds, isCertain }: Brake): boolean {
    return gone > 0 && holds && !isCertain && this.#isCut;
  }

  /** The service does not know the type any more: after a week, its findings count as withdrawn. */
  async #withdraw(stream: Stream, analysis: number): Promise<void> {
    const { memory } = this.#context;
    const now = this.#context.now();
    const known = this.#known(stream.findingType);
    const absentSince = known?.absentSince ?? now;
    const verdict = isWithdrawn(absentSince, now) ? "withdrawn" : "unknown";
    const { judged, counts } = this.#noteAbsent(stream, verdict);
    await this.#request(judged, false);
    const { missing = [], readAt = 0, earliest = 0 } = known ?? {};
    memory.setStream(this.#environment.id, stream.findingType, {
      analysis,
      readAt,
      earliest,
      // It counts as withdrawn by then, even if no other analysis ends.
      ...(verdict === "unknown" && { due: absentSince + WITHDRAWN_AFTER_MS }),
      absentSince,
      counts: withoutZeros(counts),
      open: stream.openHash,
      missing,
      ...(known?.sizes && { sizes: known.sizes }),
    });
  }

  /** An earlier run asked the service, and no analysis has ended since: the verdict stands. */
  #stillAbsent(stream: Stream): void {
    const { withdrawn = 0 } = this.#known(stream.findingType)?.counts ?? {};
    this.#noteAbsent(stream, withdrawn > 0 ? "withdrawn" : "unknown");
  }

  #noteAbsent(stream: Stream, verdict: "withdrawn" | "unknown") {
    const open = stream.alerts.filter(({ status }) => status === "open");
    const judged = open.map((alert) => [alert, judgedAs(verdict, alert)] as const);
    const counts = this.#note(judged);
    if (counts.unknown > 0) this.#context.notes.cannotJudge(this.#nameOf(stream), TYPE_ABSENT);
    return { judged, counts };
  }

  /** @returns the verdicts on the findings of the open alerts */
  #note(judged: readonly (readonly [JobAlert, JudgedAlert])[]): VerdictCounts {
    const open = judged.flatMap(([{ status }, { counts }]) => (status === "open" ? [counts] : []));
    for (const counts of open) this.#context.notes.alert(counts);
    const sum = sumOf(open);
    this.#context.notes.add(sum);
    return sum;
  }

  async #request(judged: readonly (readonly [JobAlert, JudgedAlert])[], isBraked: boolean): Promise<void> {
    for (const [alert, verdicts] of judged) await requestChange(this.#context, alert, verdicts, isBraked);
  }

  /** Nothing new can be known: what was said in the run before stands. */
  #unchanged(stream: Stream): void {
    const { notes, memory } = this.#context;
    const { counts: stored, missing = [] } = this.#known(stream.findingType) ?? {};
    const counts = { ...NO_VERDICTS, ...stored };
    const hidden = new MissingFindings(missing.filter((group) => group.hidden === true));
    notes.add(counts);
    if (counts.unknown > 0) notes.cannotJudge(this.#nameOf(stream), HIDDEN);
    for (const alert of stream.alerts) {
      memory.alert(alert.alertId);
      const isUnknown = counts.unknown > 0 && keysOf(alert).some((key) => hidden.get(key) !== null);
      if (alert.status === "open") notes.alert({ ...NO_VERDICTS, unknown: Number(isUnknown) });
    }
  }

  /** @param reason - null when it is said of the environment, or of the run */
  #unknown(stream: Stream, reason: { readonly why: string; readonly failed: boolean } | null): void {
    const { notes, memory } = this.#context;
    if (reason !== null) notes.cannotJudge(this.#nameOf(stream), reason.why, { failed: reason.failed });
    for (const { alertId, status, findings } of stream.alerts) {
      memory.alert(alertId);
      if (status !== "open") continue;
      const counts = { ...NO_VERDICTS, unknown: Math.max(1, findings.length) };
      notes.alert(counts);
      notes.add({ ...counts, unknown: findings.length });
    }
  }

  #unread() {
    const read = new Set(this.#reads.map(({ stream }) => stream.findingType));
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

function judgedAs(verdict: "withdrawn" | "unknown", { findings }: JobAlert): JudgedAlert {
  return { counts: { ...NO_VERDICTS, [verdict]: findings.length }, worstActive: "unknown", analyses: [] };
}
