import type { Environment } from "../service/resources/environments.records.ts";
import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import { type AnalysisTime, NOT_REPORTED } from "./proof/analysis-time.ts";
import { type CompleteList, readCompleteList } from "./proof/complete-list.ts";
import type { FollowUpContext } from "./follow-environment.ts";
import type { PlacedTime } from "./proof/job-time.ts";
import { afterRead, type ReadStream } from "./proof/after-read.ts";
import { Sparklines, type ReportedAnalysis, reportedBy } from "./proof/sparklines.ts";
import { ANALYSIS_ENDED } from "./sentences.ts";
import type { StreamMemory } from "./state/state.ts";
import type { FollowedStream } from "./streams.ts";

/** Of the time that is left for an environment, this is for what comes after its reads: the graph is asked, and the host. */
const SHARE_FOR_THE_REST = 1 / 3;

/**
 * What a run found out about one stream. `absent`: the service does not know its type any more. `still_absent`: an earlier run
 * found that after the same analysis. `behind`: its own sparkline does not show the last analysis, so that others have to be
 * asked first. `left`: there was no time.
 */
export type StreamOutcome =
  | { readonly kind: "read"; readonly read: ReadStream }
  | { readonly kind: "absent"; readonly analysis: number }
  | { readonly kind: "still_absent" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "behind" }
  | { readonly kind: "left" };

/** Reads the streams of an environment for which something can have changed, and tells whether what was read still counts. */
export class StreamReader {
  readonly #context: FollowUpContext;
  readonly #environment: Environment;
  readonly #reserveMs: number;
  /** Whether any stream was read, or begun. */
  #hasBegun = false;
  readonly #analyses = new Map<FollowedStream, ReportedAnalysis>();
  readonly #sparklines: Sparklines;
  /** Why a read counts no more; null when it does. */
  readonly #reasons = new Map<FollowedStream, string | null>();

  constructor(context: FollowUpContext, environment: Environment) {
    this.#context = context;
    this.#environment = environment;
    this.#sparklines = new Sparklines(context.times, environment.id);
    this.#reserveMs = context.deadline.remainingMs() * SHARE_FOR_THE_REST;
  }

  /** How many streams were read. */
  get count(): number {
    return this.#analyses.size;
  }

  /** Streams that were read, and not compared since. */
  get uncompared(): FollowedStream[] {
    return [...this.#analyses.keys()].filter((stream) => !this.#reasons.has(stream));
  }

  /** Why what was read counts no more; null when the last comparison found nothing. */
  whyNot(stream: FollowedStream): string | null {
    if (this.#sparklines.mayBeOfLater(stream, this.#analyses.get(stream))) return ANALYSIS_ENDED;
    const reason = this.#reasons.get(stream);
    return reason === undefined ? ANALYSIS_ENDED : reason;
  }

  /**
   * Finds out whether an analysis has ended since some streams were read.
   *
   * @returns whether all of them still count
   * @throws ServiceError when it ends the run
   */
  async compare(streams: readonly FollowedStream[]): Promise<boolean> {
    if (this.#context.tenantTime === null) {
      await this.#compareSparklines(streams);
    } else {
      const now = await this.#timeNow(() => this.#tenantTime());
      for (const [stream, { at }] of this.#analyses) this.#reasons.set(stream, whyOutdated(now, at));
    }
    return streams.every((stream) => this.whyNot(stream) === null);
  }

  async #compareSparklines(streams: readonly FollowedStream[]): Promise<void> {
    const asked = new Map<FollowedStream, AnalysisTime>();
    const timeOfNow = async (stream: FollowedStream): Promise<AnalysisTime> => {
      const now = asked.get(stream) ?? (await this.#timeNow(() => this.#sparklines.ask(stream)));
      asked.set(stream, now);
      return now;
    };
    for (const stream of streams) {
      const { at, by } = this.#analyses.get(stream) ?? { at: 0, by: stream };
      this.#reasons.set(stream, whyOutdated(await timeOfNow(by), at));
    }
    const { newest } = this.#sparklines;
    if (newest !== null) await timeOfNow(newest.by);
  }

  /**
   * @param isLast - whether the sparklines of all the others were asked, so that it is not put off any more
   * @throws ServiceError when it ends the run
   */
  async read(stream: FollowedStream, isLast = false): Promise<StreamOutcome> {
    try {
      const before = await this.#lastAnalysis(stream, isLast);
      if (before === null) return { kind: "behind" };
      if ("why" in before) return { kind: "unknown", why: before.why };
      if (!this.#isDue(stream, before.at)) return this.#notDue(stream);
      // The first one may take all the time, since it may need it in every run.
      const isFirst = !this.#hasBegun;
      const hasTime = (): boolean => isFirst || this.#context.deadline.remainingMs() >= this.#reserveMs;
      if (!hasTime()) return LEFT;
      this.#hasBegun = true;
      return await this.#read(stream, before, hasTime);
    } catch (error) {
      return { kind: "unknown", why: reasonOf(error) };
    }
  }

  /** Null when others have to be asked first. @throws ServiceError */
  async #lastAnalysis(
    stream: FollowedStream,
    isLast: boolean,
  ): Promise<ReportedAnalysis | { readonly why: string } | null> {
    const { tenantTime } = this.#context;
    if (tenantTime !== null) return reportedBy(stream, tenantTime);
    return this.#sparklines.lastAnalysis(stream, { known: this.#known(stream)?.analysis, isLast });
  }

  /** Whether the analysis that another sparkline has shown stands for its own. */
  isBehind(stream: FollowedStream): boolean {
    return this.#sparklines.isBehind(stream, this.#analyses.get(stream));
  }

  async #tenantTime(): Promise<AnalysisTime> {
    const time = (await this.#context.times.ofTenant()) ?? NOT_REPORTED;
    this.#context.tenantTime = time;
    return time;
  }

  /** @throws ServiceError when it ends the run */
  async #timeNow(read: () => Promise<AnalysisTime>): Promise<AnalysisTime> {
    try {
      return await read();
    } catch (error) {
      return { why: reasonOf(error) };
    }
  }

  /** Whether something can have changed since the last complete read, or other alerts are open than then. */
  #isDue(stream: FollowedStream, analysis: number): boolean {
    const known = this.#known(stream);
    if (known === undefined || known.analysis !== analysis) return true;
    if (known.open !== stream.openHash) return true;
    return known.due !== undefined && this.#context.now() >= known.due;
  }

  #notDue(stream: FollowedStream): StreamOutcome {
    return { kind: this.#known(stream)?.absentSince === undefined ? "unchanged" : "still_absent" };
  }

  async #read(stream: FollowedStream, reported: ReportedAnalysis, hasTime: () => boolean): Promise<StreamOutcome> {
    const { service } = this.#context;
    const of = { environmentId: this.#environment.id, findingType: stream.findingType };
    const list = await readCompleteList(service, of, stream.findings, hasTime);
    if (list.kind === "unfinished") return LEFT;
    if (list.kind === "incomplete") return { kind: "unknown", why: list.why };
    // Another sparkline stands only for that of a type without findings.
    if (list.kind === "complete" && list.size > 0 && reported.by !== stream)
      return { kind: "unknown", why: NOT_REPORTED.why };
    this.#analyses.set(stream, reported);
    this.#reasons.delete(stream);
    if (list.kind === "no_type") return { kind: "absent", analysis: reported.at };
    return { kind: "read", read: this.#afterRead(stream, list, reported.at) };
  }

  #afterRead(stream: FollowedStream, list: CompleteList, reportedAt: number): ReadStream {
    const { memory, settings, time: jobTime } = this.#context;
    const known = this.#known(stream);
    const { analysis: last = 0, readAt = 0 } = known ?? {};
    const of = (at: number): PlacedTime => jobTime.of(at);
    // A sparkline may report an analysis late, or an older one once. What had ended before the previous read was part of that read.
    const isSame = known !== undefined && (reportedAt === last || of(reportedAt).latest < readAt);
    const analysis = isSame ? Math.max(reportedAt, last) : reportedAt;
    const placed = of(analysis).earliest;
    // Any other analysis ended after the previous read.
    const earliest = isSame ? Math.min(placed, known.earliest) : Math.max(placed, readAt);
    const lookedAt = known?.lookedAt ?? readAt;
    const time = { analysis, isSame, earliest, last, readAt, lookedAt, now: this.#context.now(), of };
    const visible = [memory.visible, memory.environment(this.#environment.id).zones];
    return afterRead(stream, list, { visible, time, memory: known, allowsMass: settings.allowsMassClosing });
  }

  #known({ findingType }: FollowedStream): StreamMemory | undefined {
    return this.#context.memory.stream(this.#environment.id, findingType);
  }
}

export const LEFT: StreamOutcome = { kind: "left" };

function whyOutdated(now: AnalysisTime, analysis: number): string | null {
  if ("why" in now) return now.why;
  return now.at === analysis ? null : ANALYSIS_ENDED;
}

/** Why something could not be read. @throws the error when it ends the run, or is not the service's */
function reasonOf(error: unknown): string {
  if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
  return error.message;
}
