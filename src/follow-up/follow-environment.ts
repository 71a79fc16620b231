import { priorityOf } from "../ingestion/mapping/severity.ts";
import { isFailed, settleEach } from "../investigation/result/each.ts";
import type { Logger } from "../logger.ts";
import type { AlertChange } from "../runtime/modules.ts";
import type { JobAlert } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import type { AnalysisTime, AnalysisTimes } from "./analysis-time.ts";
import { brakeHolds } from "./brake.ts";
import { type CensusOutcome, readCensus } from "./census.ts";
import { counterCheck } from "./counter-check.ts";
import { decide, type Settings } from "./decide.ts";
import { type FindingKey, HASH_LENGTH } from "./finding-key.ts";
import {
  afterCensus,
  type EnvironmentEvidence,
  evidenceOf,
  type JudgedAlert,
  type ReadStream,
  StreamJudge,
} from "./judge.ts";
import type { RunNotes } from "./run-notes.ts";
import { ANALYSIS_ENDED, CHECK_FAILED, streamName, TOO_FEW_READ, TYPE_ABSENT } from "./sentences.ts";
import type { FollowUpMemory } from "./state/memory.ts";
import type { Missing, StreamMemory, VerdictCounts } from "./state/state.ts";
import { type Stream, streamsOf, type Tracked } from "./streams.ts";
import { type Check, NO_VERDICTS, sumOf } from "./verdict.ts";
import { WITHDRAWN_AFTER_MS } from "./waits.ts";

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
  /** The service's clock, in epoch milliseconds. */
  now(): number;
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
    const { holds: isBraked, isCertain } = this.#brake();
    const evidence = evidenceOf(this.#read, this.#unread());
    const checks = isCertain ? this.#read.map(() => new Map<FindingKey, Check>()) : await this.#check(evidence);
    if (!(await this.#isStillSettled())) return;
    for (const [index, read] of this.#read.entries()) {
      await this.#finish(read, new StreamJudge(read, evidence, checks[index]), isBraked);
    }
    for (const { stream, analysis } of this.#absent) await this.#withdraw(stream, analysis);
    if (isCertain) this.#context.notes.brake.push(this.#environment);
    else if (isBraked) this.#context.notes.cannotJudge(this.#environment.name ?? this.#environment.id, TOO_FEW_READ);
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
      const census = await readCensus(service, { environmentId: id, findingType }, new Set(stream.findings.keys()));
      const after = tenantTime ?? (await times.of(id, findingType));
      if (!isSame(before, after)) this.#unknown(stream, ANALYSIS_ENDED);
      else this.#take(stream, census, before.at);
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
      const environment = memory.environment(this.#environment.id);
      const before = this.#known(stream.findingType);
      const now = this.#context.now();
      this.#read.push(afterCensus(stream, census, { environment, before, analysis, now }));
    }
  }

  /** Whether the tenant's analysis is still the one that everything was read after. */
  async #isStillSettled(): Promise<boolean> {
    const before = this.#context.tenantTime;
    if (before === null) return true;
    let why = ANALYSIS_ENDED;
    try {
      const after = await this.#context.times.ofTenant();
      this.#context.tenantTime = after ?? before;
      if (after !== null && isSame(before, after)) return true;
    } catch (error) {
      if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
      why = error.message;
    }
    for (const { stream } of [...this.#read, ...this.#absent]) this.#unknown(stream, why, true);
    return false;
  }

  /** Whether so much vanished, or may have vanished where a read failed, that nothing is closed. */
  #brake(): { holds: boolean; isCertain: boolean } {
    if (this.#context.settings.allowsMassClosing) return { holds: false, isCertain: false };
    const vanished: Missing[] = this.#read.flatMap(({ missing }) => [...missing.values()]);
    const unread: Missing[] = [];
    const now = this.#context.now();
    for (const stream of this.#streams) {
      const { findingType } = stream;
      if (this.#read.some((read) => read.stream === stream)) continue;
      const known = this.#known(findingType);
      if (this.#absent.some((absent) => absent.stream === stream)) {
        vanished.push(...openOf(stream).map(() => asMissing(Math.min(known?.absentSince ?? now, now))));
      } else if (this.#failed.has(stream)) unread.push(...openOf(stream).map(() => asMissing(now)));
      else {
        for (const { findings: hashes, ...missing } of known?.missing ?? []) {
          for (let count = hashes.length / HASH_LENGTH; count > 0; count--) vanished.push(missing);
        }
      }
    }
    const open = this.#streams.reduce((sum, stream) => sum + openOf(stream).length, 0);
    const closed = this.#read.flatMap(({ stream, missing }) =>
      [...stream.findings].filter(([key, { isOpen }]) => !isOpen && missing.get(key) !== null),
    );
    const known = open + closed.length;
    return { holds: brakeHolds([...vanished, ...unread], known), isCertain: brakeHolds(vanished, known) };
  }

  /** One map for each stream that was read. */
  async #check(evidence: EnvironmentEvidence): Promise<Map<FindingKey, Check>[]> {
    const { log, memory, service, settings } = this.#context;
    const wanted = this.#read.map((read) => {
      const judge = new StreamJudge(read, evidence);
      const open = read.stream.alerts.filter(({ status }) => status === "open");
      return new Set(open.flatMap((alert) => judge.toCheck(alert, memory.alert(alert.alertId), settings.closes)));
    });
    const checks: Map<FindingKey, Check>[] = [];
    for (const [index, { stream }] of this.#read.entries()) {
      const tracked = [...(wanted[index] ?? [])].flatMap((key) => {
        const finding = stream.findings.get(key);
        return finding === undefined ? [] : [{ key, finding }];
      });
      const results = await settleEach(
        tracked,
        ({ finding }) => counterCheck(service, finding),
        log,
        () => "Graph",
      );
      const answers = results.map((result, at): [FindingKey, Check] => {
        if (isFailed(result)) throw result.error;
        return [tracked[at]?.key ?? "", result.value];
      });
      checks.push(new Map(answers));
    }
    return checks;
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
      await this.#decide(alert, judged, isBraked);
    }
    const counts = sumOf(all);
    const due = judge.due(open);
    judge.settle(open);
    notes.add(counts);
    if (counts.unknown > 0) notes.cannotJudge(this.#nameOf(stream), CHECK_FAILED, { failed: true });
    memory.setStream(this.#environment.id, stream.findingType, {
      analysis: time.analysis,
      ...(due !== Infinity && { due }),
      counts,
      missing: read.missing.toGroups(),
    });
  }

  async #decide(alert: JobAlert, judged: JudgedAlert, isBraked: boolean): Promise<void> {
    const { memory, notes, settings } = this.#context;
    const before = memory.alert(alert.alertId);
    const priority = priorityOf(judged.worstActive);
    const now = this.#context.now();
    const decision = decide({ alert, memory: before, ...judged, priority, isBraked, now }, settings);
    memory.setAlert(alert.alertId, decision.memory);
    if (alert.status === "open") notes.alert(judged.counts);
    if (decision.change === null) return;
    notes.changes[decision.change.change] += 1;
    await this.#context.change({ ...decision.change, checkpoint: memory.patchOf(alert.alertId) });
  }

  /** The service does not know the type any more: after a week, its findings count as withdrawn. */
  async #withdraw(stream: Stream, analysis: number): Promise<void> {
    const { memory, notes } = this.#context;
    const now = this.#context.now();
    const known = this.#known(stream.findingType);
    const absentSince = Math.min(known?.absentSince ?? now, now);
    const isWithdrawn = now - absentSince >= WITHDRAWN_AFTER_MS;
    const counts = await this.#judgeAll(stream, isWithdrawn ? "withdrawn" : "unknown");
    if (!isWithdrawn) notes.cannotJudge(this.#nameOf(stream), TYPE_ABSENT);
    const missing = known?.missing ?? [];
    memory.setStream(this.#environment.id, stream.findingType, { analysis, absentSince, counts, missing });
  }

  async #judgeAll(stream: Stream, verdict: "withdrawn" | "unknown"): Promise<VerdictCounts> {
    const all: VerdictCounts[] = [];
    for (const alert of stream.alerts) {
      if (alert.status !== "open") continue;
      const counts = { ...NO_VERDICTS, [verdict]: alert.findings.length };
      all.push(counts);
      await this.#decide(alert, { counts, worstActive: "unknown", analyses: [] }, false);
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

function openOf({ findings }: Stream): Tracked[] {
  return [...findings.values()].filter(({ isOpen }) => isOpen);
}

function asMissing(at: number): Missing {
  return { first: at, at, censuses: 0 };
}

function isSame(a: AnalysisTime, b: AnalysisTime): boolean {
  return "at" in a && "at" in b && a.at === b.at;
}
