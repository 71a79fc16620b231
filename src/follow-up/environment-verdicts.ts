import { streamName } from "../ingestion/scope.ts";
import type { JobAlert } from "../runtime/protocol.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { EnvironmentReads } from "./environment-reads.ts";
import type { FollowUpContext } from "./follow-environment.ts";
import type { ClosingPause } from "./proof/closing-pause.ts";
import type { ReadStream } from "./proof/after-read.ts";
import { type EnvironmentEvidence, evidenceOf, type JudgedAlert, judgedAs, StreamJudge } from "./proof/judge.ts";
import { MissingFindings } from "./proof/missing.ts";
import { NO_VERDICTS, sumOf, withoutZeros } from "./proof/verdict.ts";
import { isWithdrawn, WITHDRAWN_AFTER_MS } from "./proof/waits.ts";
import { requestChange } from "./request-change.ts";
import { CHECK_FAILED, HIDDEN, NO_TIME, TOO_FEW_READ, TYPE_ABSENT } from "./sentences.ts";
import type { VerdictCounts } from "./state/state.ts";
import type { StreamRun } from "./stream-run.ts";
import { type FollowedStream, keysOf } from "./streams.ts";

type Judged = readonly (readonly [JobAlert, JudgedAlert])[];

/** Judges the alerts of an environment by what was read of it, asks the host for changes, and remembers what the next run needs. */
export async function settleEnvironment(
  context: FollowUpContext,
  environment: Environment,
  reads: EnvironmentReads,
): Promise<void> {
  await new EnvironmentVerdicts(context, environment, reads).settle();
}

class EnvironmentVerdicts {
  readonly #context: FollowUpContext;
  readonly #environment: Environment;
  readonly #reads: EnvironmentReads;

  constructor(context: FollowUpContext, environment: Environment, reads: EnvironmentReads) {
    this.#context = context;
    this.#environment = environment;
    this.#reads = reads;
  }

  async settle(): Promise<void> {
    const { notes } = this.#context;
    for (const each of this.#reads.streams) this.#noteUnread(each);
    if (notes.stopped === null && this.#reads.isCut) notes.cannotJudge(this.#name, NO_TIME, { failed: true });
    if (this.#reads.hasAny) await this.#judge();
  }

  async #judge(): Promise<void> {
    const { memory, notes } = this.#context;
    const reads = this.#reads;
    if (notes.stopped === null) await notes.untilStopped(() => reads.check());
    const pause = reads.closingPause();
    memory.markMass(this.#environment.id, pause.marks);
    for (const { read } of reads.streams) read?.missing.markMass(pause.marks);
    const evidence = this.#evidence();
    for (const each of reads.streams) {
      const { read, checks, outcome } = each;
      if (read !== null) {
        const judge = new StreamJudge(read, evidence, checks ?? undefined);
        await this.#ifItCounts(each, () => this.#finish(each, read, judge, pause));
      } else if (outcome.kind === "absent") {
        await this.#ifItCounts(each, () => this.#withdraw(each, outcome.analysis));
      }
    }
    memory.setClosingPause(this.#environment.id, pause);
    if (!pause.isCertain && !pause.keepsOpen && pause.holds) notes.cannotJudge(this.#name, TOO_FEW_READ);
  }

  #evidence(): EnvironmentEvidence {
    const { streams } = this.#reads;
    const unread = streams.filter(({ read }) => read === null);
    return evidenceOf(
      streams.flatMap(({ read }) => read ?? []),
      unread.map(({ stream: { findingType }, known }) => ({ findingType, memory: known })),
      this.#reads.apartMs,
    );
  }

  async #ifItCounts(each: StreamRun, finish: () => Promise<void>): Promise<void> {
    const { notes } = this.#context;
    const why = this.#reads.whyNot(each);
    if (why !== null) this.#unknown(each.stream, notes.stopped === null ? { why, failed: true } : null);
    else await notes.untilStopped(finish);
  }

  async #finish(each: StreamRun, read: ReadStream, judge: StreamJudge, pause: ClosingPause): Promise<void> {
    const { memory, notes } = this.#context;
    const { time } = read;
    const { stream } = each;
    const open = stream.open.map((alert) => [alert, memory.alert(alert.alertId)] as const);
    const judged = stream.alerts.map((alert) => [alert, judge.judge(alert, memory.alert(alert.alertId))] as const);
    const counts = this.#note(judged);
    if (judge.hasFailed) notes.cannotJudge(this.#nameOf(stream), CHECK_FAILED, { failed: true });
    else if (counts.unknown > 0) notes.cannotJudge(this.#nameOf(stream), HIDDEN);
    await this.#request(judged, pause.holds);
    const isHeldUp = this.#isHeldUp(counts, pause) || (judge.lacksEvidence && this.#reads.isCut);
    const due = isHeldUp ? time.now : judge.due(open);
    judge.settle(open);
    each.remember({
      analysis: time.analysis,
      readAt: time.now,
      earliest: time.earliest,
      ...(due !== Infinity && { due }),
      counts: withoutZeros(counts),
      open: stream.openHash,
      ...(read.alerts !== undefined && { alerts: read.alerts }),
      missing: read.missing.toGroups(),
      ...(read.marked.size > 0 && { marked: read.marked.toGroups() }),
      ...(read.accepted.size > 0 && { accepted: [...read.accepted].join("") }),
      sizes: read.sizes,
    });
  }

  /** Whether it is closed as soon as later runs have read the rest. */
  #isHeldUp({ gone }: VerdictCounts, { holds, isCertain }: ClosingPause): boolean {
    return gone > 0 && holds && !isCertain && this.#reads.isCut;
  }

  /** The service does not know the type any more: after a week, its findings count as withdrawn. */
  async #withdraw(each: StreamRun, analysis: number): Promise<void> {
    const { stream, known } = each;
    const now = this.#context.now();
    const absentSince = known?.absentSince ?? now;
    const verdict = isWithdrawn(absentSince, now) ? "withdrawn" : "unknown";
    const { judged, counts } = this.#noteAbsent(stream, verdict);
    await this.#request(judged, false);
    const { missing = [], marked, accepted, sizes, alerts, readAt = 0, earliest = 0 } = known ?? {};
    each.remember({
      analysis,
      readAt,
      earliest,
      // It counts as withdrawn by then, even if no other analysis ends.
      ...(verdict === "unknown" && { due: absentSince + WITHDRAWN_AFTER_MS }),
      absentSince,
      counts: withoutZeros(counts),
      open: stream.openHash,
      ...(alerts !== undefined && { alerts }),
      missing,
      ...(marked && { marked }),
      ...(accepted && { accepted }),
      ...(sizes && { sizes }),
    });
  }

  #noteUnread(each: StreamRun): void {
    const { outcome } = each;
    if (outcome.kind === "unchanged") this.#unchanged(each);
    else if (outcome.kind === "still_absent") this.#stillAbsent(each);
    else if (outcome.kind === "unknown") this.#unknown(each.stream, { why: outcome.why, failed: true });
    else if (each.isLeft) this.#unknown(each.stream, null);
  }

  /** Nothing new can be known: the counts of the last read stand. */
  #unchanged(each: StreamRun): void {
    const { notes } = this.#context;
    const { stream, known } = each;
    const { counts: stored, missing = [] } = known ?? {};
    // Whatever is missing was so all the time, and nothing else is.
    if (known !== undefined) each.remember({ ...known, lookedAt: this.#context.now() });
    const counts = { ...NO_VERDICTS, ...stored };
    const hidden = new MissingFindings(missing.filter((group) => group.hidden === true));
    notes.addFindings(counts);
    if (counts.unknown > 0) notes.cannotJudge(this.#nameOf(stream), HIDDEN);
    for (const alert of stream.open) {
      const isUnknown = counts.unknown > 0 && keysOf(alert).some((key) => hidden.get(key) !== null);
      notes.countAlert({ ...NO_VERDICTS, unknown: Number(isUnknown) });
    }
  }

  /** An earlier run asked the service, and no analysis has ended since: the verdict stands. */
  #stillAbsent({ stream, known }: StreamRun): void {
    const { withdrawn = 0 } = known?.counts ?? {};
    this.#noteAbsent(stream, withdrawn > 0 ? "withdrawn" : "unknown");
  }

  #noteAbsent(stream: FollowedStream, verdict: "withdrawn" | "unknown"): { judged: Judged; counts: VerdictCounts } {
    const judged = stream.open.map((alert) => [alert, judgedAs(verdict, alert)] as const);
    const counts = this.#note(judged);
    if (counts.unknown > 0) this.#context.notes.cannotJudge(this.#nameOf(stream), TYPE_ABSENT);
    return { judged, counts };
  }

  /** @param reason - null when it is said of the environment, or of the run */
  #unknown(stream: FollowedStream, reason: { readonly why: string; readonly failed: boolean } | null): void {
    const { notes } = this.#context;
    if (reason !== null) notes.cannotJudge(this.#nameOf(stream), reason.why, { failed: reason.failed });
    notes.unknown(stream.alerts);
  }

  /** @returns the verdicts on the findings of the open alerts */
  #note(judged: Judged): VerdictCounts {
    const open = judged.flatMap(([{ status }, { counts }]) => (status === "open" ? [counts] : []));
    for (const counts of open) this.#context.notes.countAlert(counts);
    const sum = sumOf(open);
    this.#context.notes.addFindings(sum);
    return sum;
  }

  async #request(judged: Judged, isClosingPaused: boolean): Promise<void> {
    for (const [alert, verdicts] of judged) await requestChange(this.#context, alert, verdicts, isClosingPaused);
  }

  get #name(): string {
    return this.#environment.name ?? this.#environment.id;
  }

  #nameOf({ findingType }: FollowedStream): string {
    return streamName({ environment: this.#environment, findingType });
  }
}
