import { startingAt } from "../ingestion/turns.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { FindingKey } from "./finding-key.ts";
import type { FollowUpContext } from "./follow-environment.ts";
import { askGraph, type Question } from "./proof/ask-graph.ts";
import { type ClosingPause, closingPauseOf, NO_PAUSE } from "./proof/closing-pause.ts";
import type { ReadStream } from "./proof/after-read.ts";
import { StreamJudge } from "./proof/judge.ts";
import type { CounterCheckResult } from "./proof/verdict.ts";
import { LEFT, type StreamOutcome, StreamReader } from "./read-streams.ts";
import type { StreamMemory } from "./state/state.ts";
import type { FollowedStream } from "./streams.ts";

/** So many reads are compared with the time of the analysis at once: when the run ends suddenly, at most these are lost. */
const READS_AT_A_TIME = 64;
const QUESTIONS_AT_A_TIME = 64;

/** Reads the lists of an environment and asks the graph about what they lack. It changes neither the memory nor any alert. */
export class EnvironmentReads {
  /** In the order in which they have their turn. */
  readonly streams: readonly FollowedStream[];
  readonly #context: FollowUpContext;
  readonly #environment: Environment;
  readonly #reader: StreamReader;
  readonly #outcomes = new Map<FollowedStream, StreamOutcome>();
  readonly #checks = new Map<ReadStream, ReadonlyMap<FindingKey, CounterCheckResult>>();

  constructor(context: FollowUpContext, environment: Environment, streams: readonly FollowedStream[]) {
    const { next } = context.memory.environment(environment.id);
    this.#context = context;
    this.#environment = environment;
    this.streams = startingAt(streams, ({ findingType }) => findingType === next);
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

  #isBehind(stream: FollowedStream): boolean {
    const kind = this.#outcomes.get(stream)?.kind;
    const isKnown = kind === "unchanged" || kind === "still_absent" || kind === "read";
    return kind === "behind" || (isKnown && this.#reader.isBehind(stream));
  }

  async #read(stream: FollowedStream, isLast = false): Promise<StreamOutcome> {
    const outcome = await this.#reader.read(stream, isLast);
    this.#outcomes.set(stream, outcome);
    if (this.#reader.uncompared.length >= (this.#context.isCareful ? 1 : READS_AT_A_TIME)) await this.check();
    return outcome;
  }

  #isOver({ kind }: StreamOutcome): boolean {
    return kind === "left" || this.#context.notes.stopped !== null;
  }

  /**
   * Asks the graph about what was read since it was asked last, unless so much has vanished that nothing is closed.
   *
   * @throws ServiceError when it ends the run
   */
  async check(pause = this.closingPause()): Promise<void> {
    const { service, log, notes, isCareful } = this.#context;
    const unasked = this.reads.filter((read) => !this.#checks.has(read));
    const questions = pause.isCertain ? [] : unasked.flatMap((read) => this.#questions(read));
    const streams = [...new Set([...this.#reader.uncompared, ...questions.map(({ read }) => read.stream)])];
    if (streams.length === 0) return;
    const options = { service, log, now: this.#context.now(), atATime: isCareful ? 1 : QUESTIONS_AT_A_TIME };
    const { checks, stopped } = await askGraph(questions, options, () => this.#reader.compare(streams));
    for (const [read, answers] of checks) this.#checks.set(read, answers);
    if (stopped !== null) notes.stop(stopped);
  }

  /** Whether any stream was read, or found to be of a type that is gone. */
  get hasAny(): boolean {
    return this.#reader.count > 0;
  }

  get reads(): ReadStream[] {
    return [...this.#outcomes.values()].flatMap((outcome) => (outcome.kind === "read" ? [outcome.read] : []));
  }

  /** Streams of types that this run found the service not to know any more, and when the analysis ended after which it did. */
  get absent(): { stream: FollowedStream; analysis: number }[] {
    return [...this.#outcomes].flatMap(([stream, outcome]) =>
      outcome.kind === "absent" ? [{ stream, analysis: outcome.analysis }] : [],
    );
  }

  outcomeOf(stream: FollowedStream): StreamOutcome {
    const outcome = this.#outcomes.get(stream);
    return outcome === undefined || outcome.kind === "behind" ? LEFT : outcome;
  }

  /** What the graph said about the findings of a read; undefined when it was not asked. */
  checksOf(read: ReadStream): ReadonlyMap<FindingKey, CounterCheckResult> | undefined {
    return this.#checks.get(read);
  }

  /** Why what was read counts no more; null when it does. */
  whyNot(stream: FollowedStream): string | null {
    return this.#reader.whyNot(stream);
  }

  /** Whether there was no time for all. */
  get isCut(): boolean {
    return this.streams.some((stream) => this.outcomeOf(stream).kind === "left");
  }

  /** The finding type at which the next run begins; null for the first one. */
  next(): string | null {
    const done = this.streams.findIndex((stream) => this.outcomeOf(stream).kind === "left");
    if (done === -1) return null;
    // A list that takes longer than a run must not hold up the ones after it.
    return this.streams[done === 0 ? 1 % this.streams.length : done]?.findingType ?? null;
  }

  /** Whether so much vanished, or may have vanished where a read failed, that nothing is closed. */
  closingPause(): ClosingPause {
    const { settings, tenantTime } = this.#context;
    if (settings.allowsMassClosing) return NO_PAUSE;
    const known = (stream: FollowedStream): StreamMemory | undefined => this.#known(stream);
    const newest = this.reads.reduce((latest, { time }) => Math.max(latest, time.analysis), 0);
    const analysis = tenantTime !== null && "at" in tenantTime ? tenantTime.at : newest;
    // What an earlier run has read after the same analysis need not be read again.
    const isOutdated = (stream: FollowedStream): boolean => known(stream)?.analysis !== analysis;
    const isFailed = (stream: FollowedStream): boolean => {
      const { kind } = this.outcomeOf(stream);
      return kind === "unknown" || (kind === "left" && isOutdated(stream));
    };
    const isAbsent = (stream: FollowedStream): boolean => {
      const { kind } = this.outcomeOf(stream);
      const wasAbsent = known(stream)?.absentSince !== undefined;
      return kind === "absent" || (wasAbsent && kind !== "read" && !isFailed(stream));
    };
    return closingPauseOf({
      streams: this.streams,
      read: this.reads,
      absent: new Set(this.streams.filter(isAbsent)),
      failed: new Set(this.streams.filter(isFailed)),
      known,
      now: this.#context.now(),
    });
  }

  #questions(read: ReadStream): Question[] {
    const { memory, settings } = this.#context;
    const { stream } = read;
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

  #known({ findingType }: FollowedStream): StreamMemory | undefined {
    return this.#context.memory.stream(this.#environment.id, findingType);
  }
}
