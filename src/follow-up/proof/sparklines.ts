import { HOUR_MS } from "../../clock.ts";
import { BadRequestError, NotFoundError } from "../../service/errors/errors.ts";
import type { Stream } from "../streams.ts";
import { type AnalysisTime, type AnalysisTimes, NOT_TOLD } from "./analysis-time.ts";

/** The points that one analysis adds to the sparklines of an environment are not further apart than this. */
export const ONE_ANALYSIS_MS = HOUR_MS;
/** A sparkline without a point for so long will not get one of the last analysis any more. */
const NO_POINT_MS = 12 * HOUR_MS;

/** The analysis that a read is about, and whose sparkline told of it, unless the tenant did. */
export interface Told {
  /** In epoch milliseconds, by the service's clock. */
  readonly at: number;
  readonly by: Stream;
}

/**
 * When the last analysis of an environment ended, where only sparklines tell. A service may add no point to the sparkline of a
 * type that has no findings any more. The analysis that others of the environment tell of stands for it then.
 */
export class Sparklines {
  readonly #times: AnalysisTimes;
  readonly #environmentId: string;
  /** What each told first. */
  readonly #told = new Map<Stream, AnalysisTime>();
  #newest: Told | null = null;

  constructor(times: AnalysisTimes, environmentId: string) {
    this.#times = times;
    this.#environmentId = environmentId;
  }

  /** The latest analysis that any has told of. */
  get newest(): Told | null {
    return this.#newest;
  }

  /** What the sparkline of a stream tells now. @throws ServiceError */
  async ask(stream: Stream): Promise<AnalysisTime> {
    const time = await this.#request(stream);
    const at = timeOf(time);
    if (this.#newest === null || at > this.#newest.at) this.#newest = { at, by: stream };
    return time;
  }

  /**
   * @param known - the analysis of the last complete read
   * @param isLast - whether all the others were asked
   * @returns null when the sparkline of the stream does not tell of the last analysis, and others have to be asked first
   * @throws ServiceError
   */
  async lastAnalysis(
    stream: Stream,
    { known = 1, isLast }: { readonly known: number | undefined; readonly isLast: boolean },
  ): Promise<Told | { readonly why: string } | null> {
    const own = this.#told.get(stream) ?? (await this.ask(stream));
    this.#told.set(stream, own);
    const isBehind = this.#isOlderBy(NO_POINT_MS, stream);
    if (!isLast && (isBehind || timeOf(own) < known)) return null;
    return isBehind ? this.#newest : toldBy(stream, own);
  }

  /** Whether the newest analysis stands for that of the stream's own sparkline. @param read - what it was read for; undefined when it was not */
  isBehind(stream: Stream, read: Told | undefined): boolean {
    return read?.by !== this.#newest?.by && this.#isOlderBy(NO_POINT_MS, stream);
  }

  /** Whether a list may be that of a later analysis, which added no point because the list had become empty. */
  mayBeOfLater(stream: Stream, read: Told | undefined): boolean {
    return read?.by === stream && this.#isOlderBy(ONE_ANALYSIS_MS, stream);
  }

  #isOlderBy(ms: number, stream: Stream): boolean {
    const own = this.#told.get(stream);
    return own !== undefined && this.#newest !== null && this.#newest.at - timeOf(own) > ms;
  }

  /** A type that the service does not know any more has no sparkline, either. */
  async #request({ findingType }: Stream): Promise<AnalysisTime> {
    try {
      return await this.#times.of(this.#environmentId, findingType);
    } catch (error) {
      const isDenied = error instanceof NotFoundError || error instanceof BadRequestError;
      if (isDenied && error.wrapped) return NOT_TOLD;
      throw error;
    }
  }
}

export function toldBy(by: Stream, time: AnalysisTime): Told | { readonly why: string } {
  return "why" in time ? time : { at: time.at, by };
}

/** 0 when it is not told. */
function timeOf(time: AnalysisTime): number {
  return "at" in time ? time.at : 0;
}
