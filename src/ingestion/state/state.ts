/**
 * What the connector remembers between runs, exactly as the host stores it. This file is the schema: a validator is
 * generated from it. Hours are whole hours since the epoch (UTC), seconds are epoch seconds. No field is ever null, so
 * that a JSON merge patch (RFC 7396) can express every change.
 */

/** @asType integer @minimum 0 */
export type Seconds = number;
/** @asType integer @minimum 0 @maximum 100000000 */
export type HourNumber = number;
/** @asType integer @minimum 0 */
export type Count = number;

/** Requests a second. @minimum 0.0625 */
export type Rate = number;

/** @asType integer @minimum 1 */
export type Size = number;

/** Identities of delivered findings in the text form of `id-text.ts`. */
export type IdText = string;

/** A read that is not at its end: what it covers, and how far it is. */
export interface UnfinishedRead {
  /** The window's first hour; absent when the read covers the whole history. */
  readonly from?: HourNumber;
  /** How many findings of the window are done. */
  readonly skip: Count;
  /** Identity of the last one. */
  readonly after: string;
  /** In which order positions count, see `FindingsPage`; absent: in the first one. */
  readonly order?: Count;
  /**
   * At its end, the window is read once more from this hour on, because findings may have come and gone before the place
   * where the read stopped. 0 when some of it could not be read: then from its beginning. Absent before the first finding.
   */
  readonly again?: HourNumber;
  /**
   * The second read of the whole history: the first took several runs, so that it could not be compared, or findings may only be dated
   * anew. It is not repeated when it is cut short as well.
   */
  readonly isSecond?: true;
}

/** What the connector knows about one stream: one finding type of one environment. Only `transitions.ts` changes it. */
export interface StreamMemory {
  /**
   * Identities of all delivered findings that the service still lists, by the hour of their `created_at`: the key is `<hour>`, or
   * `none` for findings without a usable time. Findings older than two days before the cursor share one hour. A batch adds keys
   * of its own, `<hour>.<batch>`, so that its patch holds nothing else.
   */
  readonly ids?: Readonly<Record<string, IdText>>;
  /** Hour of the newest finding read. Absent: the greatest hour in `ids`. */
  readonly cursor?: HourNumber;
  /** The state had no room for ids: findings created before this hour count as delivered. Absent: none. */
  readonly forgottenBefore?: HourNumber;
  /**
   * Findings up to this hour were forgotten because they were gone, or are delivered again because ids changed. It grows each time, so
   * that one of them that comes back makes another alert than before.
   */
  readonly forgotAt?: HourNumber;
  /** The last read of the whole history found none of the delivered findings, which may be a fault of the service. */
  readonly emptied?: true;
  readonly unfinished?: UnfinishedRead;
  /** Since when the environment has not offered this finding type. */
  readonly goneSince?: HourNumber;
  /** The last hour in which a run saw that, unless a clock was set back. Absent: `goneSince`. */
  readonly goneUntil?: HourNumber;
  /** Since when it is not selected, although the environment offers it. */
  readonly unselectedSince?: HourNumber;
  /**
   * The whole history is still to be read, findings without a usable time included: earlier runs did not read the stream, or read
   * the whole history piece by piece.
   */
  readonly wholeHistory?: true;
}

/** What the last complete read of an environment was based on: the same evidence again means that nothing is new. */
export interface ReadEvidence {
  /** When the service completed its last analysis, as it wrote it. */
  readonly analysis?: string;
  /** Fingerprint of the environment's sparkline; empty when that was. */
  readonly trend?: string;
}

/**
 * Why an environment has to be read, whatever its evidence says: a run left some of it unread, the selection has changed, or it
 * was gone.
 */
export type ReadDue = "left" | "selection" | "returned";

export interface EnvironmentMemory {
  readonly name?: string;
  /** The service's word, such as `active-directory`. */
  readonly type?: string;
  /** When every stream was last read from end to end. */
  readonly readAt?: Seconds;
  /** When findings without a usable time were last looked for. */
  readonly readAllAt?: Seconds;
  /** Absent where the service gave none. */
  readonly evidence?: ReadEvidence;
  readonly due?: ReadDue;
  /** The environment is not read: since when it is not selected or has no collected data, or else not listed. */
  readonly goneSince?: HourNumber;
  /** It is listed and not read: not selected, or without collected data. */
  readonly isListed?: true;
  /** It was last listed without collected data. */
  readonly collected?: false;
  /** The `forgotAt` of streams without memory, because finding types were forgotten. */
  readonly forgotAt?: HourNumber;
  /** By the number of the finding type, see `types`. */
  readonly streams: Readonly<Record<string, StreamMemory>>;
}

/** Clocks as of the last run, see `time.ts`. */
export interface ClockMemory {
  host: Seconds;
  service: Seconds;
  trusted: Seconds;
}

/** Where the next run begins, so that a run that was cut short does not favour the same streams again. */
export interface NextStart {
  environmentId: string;
  findingType?: string;
}

/** The compressed texts of a finding type, and when they were loaded. */
export interface StoredDescription {
  readAt: Seconds;
  packed: string;
}

/** When an optional request last failed, and for how long it is not sent again. */
export interface RefusedRoute {
  at: Seconds;
  pause: Seconds;
  /** The service does not offer it, or not to these credentials. */
  declined?: true;
}

/** The last rate at which the tenant refused requests, when that was, and for how long no higher one is tried. */
export interface RefusedRate {
  rate: Rate;
  at: Seconds;
  pause: Seconds;
  /** What was refused, if nothing of it had been answered in that run. */
  part?: NextStart;
  /** Other parts were answered, and this one was refused twice: a lower rate would not help. */
  isAlone?: true;
}

export interface ConnectorState {
  version: 1;
  /** Origin of the tenant that all of this belongs to. */
  tenant: string;
  /** Name of the dialect that the tenant accepts; absent as long as that is not known. */
  dialect?: string;
  /** Fingerprint of the selection. */
  selection: string;
  /** Requests a second, where the tenant takes fewer than this plugin sends otherwise. */
  requestsPerSecond?: Rate;
  refusedRate?: RefusedRate;
  /** Findings in a page, where the service or the line takes too long for pages of 1,000. */
  pageSize?: Size;
  clock?: ClockMemory;
  /** When the first run with this state began, by the service's clock. */
  firstRun?: HourNumber;
  next?: NextStart;
  /** Optional requests that failed: the key is the route, alone or with a hash of what the request is about. */
  refused?: Record<string, RefusedRoute>;
  /** The names of finding types by number: streams go by the number, which is shorter. */
  types: Record<string, string>;
  environments: Record<string, EnvironmentMemory>;
  descriptions: Record<string, StoredDescription>;
}
