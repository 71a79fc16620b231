import { startingAt } from "../ingestion/turns.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { FindingKey } from "./finding-key.ts";
import type { FollowUpContext } from "./follow-environment.ts";
import { askGraph, type Question } from "./proof/ask-graph.ts";
import { type ClosingPause, closingPauseOf, NO_PAUSE, type StreamFacts } from "./proof/closing-pause.ts";
import { StreamJudge } from "./proof/judge.ts";
import { ONE_ANALYSIS_MS } from "./proof/sparklines.ts";
import { StreamReader } from "./read-streams.ts";
import { type StreamOutcome, StreamRun } from "./stream-run.ts";
import type { FollowedStream } from "./streams.ts";

/** So many reads are compared with the time of the analysis at once: when the run ends suddenly, at most these are lost. */
const READS_AT_A_TIME = 64;
const QUESTIONS_AT_A_TIME = 64;

/** Reads the lists of an environment and asks the graph about what they lack. It changes neither the memory nor any alert. */
export class EnvironmentReads {
  /** In the order in which they have their turn. */
  readonly streams: readonly StreamRun[];
  readonly #context: FollowUpContext;
  readonly #environmentId: string;
  readonly #reader: StreamReader;

  constructor(context: FollowUpContext, environment: Environment, streams: readonly FollowedStream[]) {
    const { memory } = context;
    const { next } = memory.environment(environment.id);
    this.#context = context;
    this.#environmentId = environment.id;
    this.streams = startingAt(streams, ({ findingType }) => findingType === next).map(
      (stream) => new StreamRun(stream, memory, environment.id),
    );
    this.#reader = new StreamReader(context, environment);
  }

  /** Reads what is due, as far as there is time. @throws ServiceError when it ends the run; what was read until then counts */
  async readAll(): Promise<void> {
    for (const stream of this.streams) {
      if (this.#isOver(await this.#read(stream))) return;
    }
    // The sparkline of any other may have shown a later analysis.
    for (const stream of this.streams.filter((each) => this.#isBehind(each))) {
      if (this.#isOver(await this.#read(stream, true))) return;
    }
  }

  #isBehind(each: StreamRun): boolean {
    const { kind } = each.outcome;
    const isKnown = kind === "unchanged" || kind === "still_absent" || kind === "read";
    return kind === "behind" || (isKnown && this.#reader.isBehind(each));
  }

  async #read(each: StreamRun, isLast = false): Promise<StreamOutcome> {
    each.outcome = await this.#reader.read(each, isLast);
    if (this.#uncompared.length >= (this.#context.isCareful ? 1 : READS_AT_A_TIME)) await this.check();
    return each.outcome;
  }

  #isOver({ kind }: StreamOutcome): boolean {
    return kind === "left" || this.#context.notes.stopped !== null;
  }

  /**
   * Asks the graph about what was read since it was asked last, unless so much has vanished that nothing is closed.
   *
   * @throws ServiceError when it ends the run
   */
  async check(): Promise<void> {
    const { service, log, notes, isCareful } = this.#context;
    const pause = this.#pauseOf(({ outdated }) => outdated == null);
    const unasked = pause.isCertain ? [] : this.streams.filter(({ checks }) => checks === null);
    const asked = new Map(unasked.map((each) => [each, this.#questions(each)] as const));
    const questions = [...asked.values()].flat();
    const wanted = new Set([...this.#uncompared, ...unasked.filter((each) => asked.get(each)?.length !== 0)]);
    if (wanted.size === 0) return;
    const options = { service, log, now: this.#context.now(), atATime: isCareful ? 1 : QUESTIONS_AT_A_TIME };
    const { checks, stopped } = await askGraph(questions, options, () =>
      this.#reader.compare(this.#begun, [...wanted]),
    );
    for (const each of unasked) each.checks = (each.read && checks.get(each.read)) ?? null;
    if (stopped !== null) notes.stop(stopped);
  }

  /** Whether any stream was read, or found to be of a type that is gone. */
  get hasAny(): boolean {
    return this.#begun.length > 0;
  }

  get #begun(): StreamRun[] {
    return this.streams.filter(({ readFor }) => readFor !== null);
  }

  get #uncompared(): StreamRun[] {
    return this.#begun.filter(({ outdated }) => outdated === undefined);
  }

  /** Why what was read counts no more; null when it does. */
  whyNot(each: StreamRun): string | null {
    return this.#reader.whyNot(each);
  }

  /** Whether there was no time for all. */
  get isCut(): boolean {
    return this.streams.some(({ isLeft }) => isLeft);
  }

  /** The finding type at which the next run begins; null for the first one. */
  next(): string | null {
    const done = this.streams.findIndex(({ isLeft }) => isLeft);
    if (done === -1) return null;
    // A list that takes longer than a run must not hold up the ones after it.
    return this.streams[done === 0 ? 1 % this.streams.length : done]?.stream.findingType ?? null;
  }

  /** How far apart the times may be that the lists have of one analysis. */
  get apartMs(): number {
    return this.#context.tenantTime === null ? ONE_ANALYSIS_MS : 0;
  }

  /** Whether so much vanished from what was read and counts, or may have vanished from the rest, that nothing is closed. */
  closingPause(): ClosingPause {
    return this.#pauseOf((each) => this.whyNot(each) === null);
  }

  #pauseOf(counts: (each: StreamRun) => boolean): ClosingPause {
    const { memory, settings, tenantTime } = this.#context;
    const newest = Math.max(0, ...this.streams.map(({ read }) => read?.time.analysis ?? 0));
    const analysis = tenantTime !== null && "at" in tenantTime ? tenantTime.at : newest;
    const isOfLast = (at: number): boolean => Math.abs(at - analysis) <= this.apartMs;
    const facts = this.streams.map((each) => factsOf(each, each.readFor === null || counts(each), isOfLast));
    const { findings: before } = memory.environment(this.#environmentId);
    const now = this.#context.now();
    // The admin has accepted the loss, so the former number of findings does not count any more, either.
    return settings.allowsMassClosing
      ? { ...closingPauseOf(facts, { before: undefined, now }), ...NO_PAUSE }
      : closingPauseOf(facts, { before, now });
  }

  #questions({ read, stream }: StreamRun): Question[] {
    if (read === null) return [];
    const { memory, settings } = this.#context;
    const judge = new StreamJudge(read);
    const wanted = new Map<FindingKey, Question>();
    for (const alert of stream.open) {
      const { alertId } = alert;
      for (const key of judge.toCheck(alert, memory.alert(alertId), settings.closes)) {
        const finding = stream.findings.get(key);
        if (finding !== undefined && !wanted.has(key)) wanted.set(key, { alertId, read, key, finding });
      }
    }
    return [...wanted.values()];
  }
}

/**
 * @param counts - false for what was read and is outdated
 * @param isOfLast - whether a time is that of the environment's last analysis
 */
function factsOf(each: StreamRun, counts: boolean, isOfLast: (analysis: number) => boolean): StreamFacts {
  const { stream, known, read, outcome, isLeft } = each;
  if (!counts) return { stream, known, read: null, isAbsent: false, isFailed: true };
  // What an earlier run has read after the same analysis need not be read again.
  const isKnown = known !== undefined && isOfLast(known.analysis);
  const isFailed = outcome.kind === "unknown" || (isLeft && !isKnown);
  const wasAbsent = known?.absentSince !== undefined;
  const isAbsent = outcome.kind === "absent" || (wasAbsent && read === null && !isFailed);
  return { stream, known, read, isAbsent, isFailed };
}
