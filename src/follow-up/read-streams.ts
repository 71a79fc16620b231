import type { Environment } from "../service/resources/environments.records.ts";
import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import { type AnalysisTime, NOT_REPORTED } from "./proof/analysis-time.ts";
import { type CompleteList, readCompleteList } from "./proof/complete-list.ts";
import type { FollowUpContext } from "./follow-environment.ts";
import type { PlacedTime } from "./proof/job-time.ts";
import { afterRead, type ReadStream } from "./proof/after-read.ts";
import { Sparklines, type ReportedAnalysis, reportedBy } from "./proof/sparklines.ts";
import { ANALYSIS_ENDED } from "./sentences.ts";
import type { StreamOutcome, StreamRun } from "./stream-run.ts";
import type { FollowedStream } from "./streams.ts";

/** Of the time that is left for an environment, this is for what comes after its reads: the graph is asked, and the host. */
const SHARE_FOR_THE_REST = 1 / 3;

/** Reads the streams of an environment for which something can have changed, and tells whether what was read still counts. */
export class StreamReader {
  readonly #context: FollowUpContext;
  readonly #environment: Environment;
  readonly #reserveMs: number;
  /** Whether any stream was read, or begun. */
  #hasBegun = false;
  readonly #sparklines: Sparklines;

  constructor(context: FollowUpContext, environment: Environment) {
    this.#context = context;
    this.#environment = environment;
    this.#sparklines = new Sparklines(context.times, environment.id);
    this.#reserveMs = context.deadline.remainingMs() * SHARE_FOR_THE_REST;
  }

  /** Why what was read counts no more; null when the last comparison found nothing. */
  whyNot({ stream, readFor, outdated }: StreamRun): string | null {
    if (this.#sparklines.mayBeOfLater(stream, readFor)) return ANALYSIS_ENDED;
    return outdated === undefined ? ANALYSIS_ENDED : outdated;
  }

  /**
   * Finds out whether an analysis has ended since some streams were read.
   *
   * @param read - all that were read
   * @param wanted - those of which it has to be known
   * @returns whether all of these still count
   * @throws ServiceError when it ends the run
   */
  async compare(read: readonly StreamRun[], wanted: readonly StreamRun[]): Promise<boolean> {
    if (this.#context.tenantTime === null) {
      await this.#compareSparklines(wanted);
    } else {
      const now = await this.#timeNow(() => this.#tenantTime());
      for (const each of read) each.outdated = whyOutdated(now, each.readFor);
    }
    return wanted.every((each) => this.whyNot(each) === null);
  }

  async #compareSparklines(streams: readonly StreamRun[]): Promise<void> {
    const asked = new Map<FollowedStream, AnalysisTime>();
    const timeOfNow = async (stream: FollowedStream): Promise<AnalysisTime> => {
      const now = asked.get(stream) ?? (await this.#timeNow(() => this.#sparklines.ask(stream)));
      asked.set(stream, now);
      return now;
    };
    for (const each of streams) {
      each.outdated = whyOutdated(await timeOfNow(each.readFor?.by ?? each.stream), each.readFor);
    }
    const { newest } = this.#sparklines;
    if (newest !== null) await timeOfNow(newest.by);
  }

  /**
   * @param isLast - whether the sparklines of all the others were asked, so that it is not put off any more
   * @throws ServiceError when it ends the run
   */
  async read(each: StreamRun, isLast = false): Promise<StreamOutcome> {
    try {
      const before = await this.#lastAnalysis(each, isLast);
      if (before === null) return { kind: "behind" };
      if ("why" in before) return { kind: "unknown", why: before.why };
      if (!this.#isDue(each, before.at)) return notDue(each);
      // The first one may take all the time, since it may need it in every run.
      const isFirst = !this.#hasBegun;
      const hasTime = (): boolean => isFirst || this.#context.deadline.remainingMs() >= this.#reserveMs;
      if (!hasTime()) return { kind: "left" };
      this.#hasBegun = true;
      return await this.#read(each, before, hasTime);
    } catch (error) {
      return { kind: "unknown", why: reasonOf(error) };
    }
  }

  /** Null when others have to be asked first. @throws ServiceError */
  async #lastAnalysis(
    { stream, known }: StreamRun,
    isLast: boolean,
  ): Promise<ReportedAnalysis | { readonly why: string } | null> {
    const { tenantTime } = this.#context;
    if (tenantTime !== null) return reportedBy(stream, tenantTime);
    return this.#sparklines.lastAnalysis(stream, { known: known?.analysis, isLast });
  }

  /** Whether the analysis that another sparkline has shown stands for its own. */
  isBehind({ stream, readFor }: StreamRun): boolean {
    return this.#sparklines.isBehind(stream, readFor);
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
  #isDue({ stream, known }: StreamRun, analysis: number): boolean {
    if (known === undefined || known.analysis !== analysis) return true;
    if (known.open !== stream.openHash) return true;
    return known.due !== undefined && this.#context.now() >= known.due;
  }

  async #read(each: StreamRun, reported: ReportedAnalysis, hasTime: () => boolean): Promise<StreamOutcome> {
    const { service } = this.#context;
    const { stream } = each;
    const of = { environmentId: this.#environment.id, findingType: stream.findingType };
    const list = await readCompleteList(service, of, stream.findings, hasTime);
    if (list.kind === "unfinished") return { kind: "left" };
    if (list.kind === "incomplete") return { kind: "unknown", why: list.why };
    // Another sparkline stands only for that of a type without findings.
    if (list.kind === "complete" && list.size > 0 && reported.by !== stream)
      return { kind: "unknown", why: NOT_REPORTED.why };
    each.readFor = reported;
    each.outdated = undefined;
    each.checks = null;
    if (list.kind === "no_type") return { kind: "absent", analysis: reported.at };
    return { kind: "read", read: this.#afterRead(each, list, reported.at) };
  }

  #afterRead({ stream, known }: StreamRun, list: CompleteList, reportedAt: number): ReadStream {
    const { memory, settings, time: jobTime } = this.#context;
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
    const visible = [memory.visible, memory.environment(this.#environment.id).zones] as const;
    return afterRead(stream, list, { visible, time, memory: known, allowsMass: settings.allowsMassClosing });
  }
}

function notDue({ known }: StreamRun): StreamOutcome {
  return { kind: known?.absentSince === undefined ? "unchanged" : "still_absent" };
}

function whyOutdated(now: AnalysisTime, readFor: ReportedAnalysis | null): string | null {
  if ("why" in now) return now.why;
  return now.at === readFor?.at ? null : ANALYSIS_ENDED;
}

/** Why something could not be read. @throws the error when it ends the run, or is not the service's */
function reasonOf(error: unknown): string {
  if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
  return error.message;
}
