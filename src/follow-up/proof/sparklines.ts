import { HOUR_MS } from "../../clock.ts";
import { BadRequestError, NotFoundError } from "../../service/errors/errors.ts";
import type { FollowedStream } from "../streams.ts";
import { type AnalysisTime, type AnalysisTimes, NOT_REPORTED } from "./analysis-time.ts";

/** The points that one analysis adds to the sparklines of an environment are not further apart than this. */
export const ONE_ANALYSIS_MS = HOUR_MS;
/** A sparkline without a point for so long will not get one of the last analysis any more. */
const NO_POINT_MS = 12 * HOUR_MS;

/** The analysis that a read is about, and whose sparkline showed it, unless the tenant reported it. */
export interface ReportedAnalysis {
  /** In epoch milliseconds, by the service's clock. */
  readonly at: number;
  readonly by: FollowedStream;
}

/**
 * When the last analysis of an environment ended, where only sparklines show it. A service may add no point to the sparkline of a
 * type that has no findings any more. The analysis that others of the environment show stands for it then.
 */
export class Sparklines {
  readonly #times: AnalysisTimes;
  readonly #environmentId: string;
  /** What each showed first. */
  readonly #reported = new Map<FollowedStream, AnalysisTime>();
  #newest: ReportedAnalysis | null = null;

  constructor(times: AnalysisTimes, environmentId: string) {
    this.#times = times;
    this.#environmentId = environmentId;
  }

  /** The latest analysis that any has shown. */
  get newest(): ReportedAnalysis | null {
    return this.#newest;
  }

  /** What the sparkline of a stream shows now. @throws ServiceError */
  async ask(stream: FollowedStream): Promise<AnalysisTime> {
    const time = await this.#request(stream);
    const at = timeOf(time);
    if (this.#newest === null || at > this.#newest.at) this.#newest = { at, by: stream };
    return time;
  }

  /**
   * @param known - the analysis of the last complete read
   * @param isLast - whether all the others were asked
   * @returns null when the sparkline of the stream does not show the last analysis, and others have to be asked first
   * @throws ServiceError
   */
  async lastAnalysis(
    stream: FollowedStream,
    { known = 1, isLast }: { readonly known: number | undefined; readonly isLast: boolean },
  ): Promise<ReportedAnalysis | { readonly why: string } | null> {
    const own = this.#reported.get(stream) ?? (await this.ask(stream));
    this.#reported.set(stream, own);
    const isBehind = this.#isOlderBy(NO_POINT_MS, stream);
    if (!isLast && (isBehind || timeOf(own) < known)) return null;
    return isBehind ? this.#newest : reportedBy(stream, own);
  }

  /** Whether the newest analysis stands for that of the stream's own sparkline. @param read - what it was read for; null when it was not */
  isBehind(stream: FollowedStream, read: ReportedAnalysis | null): boolean {
    return read?.by !== this.#newest?.by && this.#isOlderBy(NO_POINT_MS, stream);
  }

  /** Whether a list may be that of a later analysis, which added no point because the list had become empty. */
  mayBeOfLater(stream: FollowedStream, read: ReportedAnalysis | null): boolean {
    return read?.by === stream && this.#isOlderBy(ONE_ANALYSIS_MS, stream);
  }

  #isOlderBy(ms: number, stream: FollowedStream): boolean {
    const own = this.#reported.get(stream);
    return own !== undefined && this.#newest !== null && this.#newest.at - timeOf(own) > ms;
  }

  /** A type that the service does not know any more has no sparkline, either. */
  async #request({ findingType }: FollowedStream): Promise<AnalysisTime> {
    try {
      return await this.#times.of(this.#environmentId, findingType);
    } catch (error) {
      const isDenied = error instanceof NotFoundError || error instanceof BadRequestError;
      if (isDenied && error.wrapped) return NOT_REPORTED;
      throw error;
    }
  }
}

export function reportedBy(by: FollowedStream, time: AnalysisTime): ReportedAnalysis | { readonly why: string } {
  return "why" in time ? time : { at: time.at, by };
}

/** 0 when it is not reported. */
function timeOf(time: AnalysisTime): number {
  return "at" in time ? time.at : 0;
}
