/**
 * What the job remembers between runs, exactly as the host stores it. This file is the schema: a validator is generated from
 * it. Times are milliseconds: those of analyses by the service's clock, all others by the job's time (`JobTime`). No field is ever null, so that a JSON merge patch (RFC 7396) can
 * express every change.
 */

import type { Rate, RefusedRate } from "../../ingestion/state/state.ts";
import type { Priority } from "../../runtime/protocol.ts";

/** @asType integer @minimum 0 */
export type Millis = number;
/** @asType integer @minimum 0 */
export type Count = number;

/** Since when findings are absent, and how often that was seen. */
export interface Missing {
  /** When the analysis ended after which they were first absent; or when the service marked them as deleted. */
  readonly firstAnalysis: Millis;
  /** The same moment by the job's time. */
  readonly absentSince: Millis;
  /** When the first complete read was made that did not have them, by the job's time. */
  readonly noticedAt: Millis;
  /** How many different analyses they were absent from. */
  readonly analyses: Count;
  /** When they were first seen to be missing, if their wait has begun anew since, by the job's time. */
  readonly vanishedAt?: Millis;
  /** When a run looked before that, or they were created, if it was long before: they vanished at some time between the two. */
  readonly listedAt?: Millis;
  /** The graph has not said yet that it lacks them, too: the wait begins when it does. */
  readonly unchecked?: true;
  /** The counter-check confirmed that they are gone. */
  readonly confirmed?: true;
  /** They became absent when the token began to see fewer zones or environments. */
  readonly hidden?: true;
  /** They vanished with so many others that they are not gone until they were listed again, or the admin allows mass closing. */
  readonly mass?: true;
  /**
   * Their loss pauses nothing any more: they were missing while the admin allowed mass closing, or had been for long when their wait
   * began anew.
   */
  readonly allowed?: true;
  /** Their risk was accepted when they were listed last. */
  readonly accepted?: true;
  /** Since when they are among the marked ones, see `StreamMemory`. */
  readonly unseenSince?: Millis;
}

/** Findings with the same history. */
export interface MissingGroup extends Missing {
  /**
   * Hashes of the findings, ten characters each, without separators.
   * @pattern ^([A-Za-z0-9_-]{10})*$
   */
  readonly findings: string;
}

/** How many findings have each verdict, of the alerts that were open in the last complete read. */
export interface VerdictCounts {
  readonly active: Count;
  readonly accepted: Count;
  readonly missing: Count;
  readonly gone: Count;
  readonly withdrawn: Count;
  readonly unknown: Count;
}

/** A size that a list does not have any more. */
export interface FormerSize {
  readonly size: Count;
  /** When the read was made that found fewer, by the job's time. */
  readonly until: Millis;
}

/** How many findings a list has and had, accepted ones included. */
export interface ListSizes {
  /** In the last complete read. */
  readonly current: Count;
  /** Before that, as far as it counts for a closing pause: each larger than the next, one a day at most. */
  readonly former?: readonly FormerSize[];
}

/** What is known about one finding type of one environment. */
export interface StreamMemory {
  /** When the analysis ended that the last complete read was about; 0 before the first. */
  readonly analysis: Millis;
  /** When that read was made, by the job's time. */
  readonly readAt: Millis;
  /** When the analysis ended at the earliest, by the job's time. */
  readonly earliest: Millis;
  /** From then on, reading the same analysis again can prove that findings are gone. */
  readonly due?: Millis;
  /** Since when the environment does not list the type, and the service does not know it. */
  readonly absentSince?: Millis;
  /** Without verdicts that no finding has. */
  readonly counts: Partial<VerdictCounts>;
  /**
   * Tells the open alerts that the counts are about from others.
   * @pattern ^[A-Za-z0-9_-]{10}$
   */
  readonly open?: string;
  /**
   * While the token sees less than before: hashes of the alerts that the last complete reads were about, those of the latest first.
   * @pattern ^([A-Za-z0-9_-]{10})*$
   */
  readonly alerts?: string;
  readonly missing: readonly MissingGroup[];
  /**
   * What was missing, or would not count as gone, and whose wait begins anew once an alert of a complete read has it: no alert of the
   * last one had it, or its wait was measured by something else.
   */
  readonly marked?: readonly MissingGroup[];
  /**
   * Hashes of the findings whose risk was accepted when they were listed last, and that are not missing.
   * @pattern ^([A-Za-z0-9_-]{10})*$
   */
  readonly accepted?: string;
  readonly sizes?: ListSizes;
  /** When a later run found that no analysis had ended since that read, by the job's time. */
  readonly lookedAt?: Millis;
  /** Since when the host sends no alert about it. */
  readonly unseenSince?: Millis;
}

export interface EnvironmentMemory {
  /** As it was listed last. */
  readonly name?: string;
  /** Since when complete lists lack the environment. */
  readonly absentSince?: Millis;
  /** The zones of it that the token sees. */
  readonly zones?: VisibleIds;
  /** The finding type at which the next run begins, after one that had no time for all of them. */
  readonly next?: string;
  /** Findings of open alerts vanished with so many others that they are not gone, as the last run found that read any list. */
  readonly closingPaused?: true;
  /** How many findings its alerts have and had: the host may leave alerts out of a run, or a person close them. */
  readonly findings?: ListSizes;
  /** By finding type. */
  readonly streams: Readonly<Record<string, StreamMemory>>;
}

/** What is known about one alert, beside what the host says about it. */
export interface AlertMemory {
  /** How often the job has reopened it: each time doubles the wait. */
  readonly reopened?: Count;
  /** What the host was asked for last. */
  readonly asked?: "close" | "reopen";
  /** When the host had closed it last, as the job asked for another close. */
  readonly closedAt?: Millis;
  /** The host has shown it as closed by the job. */
  readonly closed?: true;
  /** A person has reopened it. */
  readonly person?: true;
  /** All of its findings that were left were accepted. */
  readonly accepted?: true;
  /** That has ended, and nobody could say yet how severe its findings are, so that it keeps its priority until then. */
  readonly acceptanceEnded?: true;
  /** The priority that it had then, if anybody knew. */
  readonly before?: Priority;
  /** What the host was asked to set its priority to last, or has said that it is since. */
  readonly priority?: Priority;
  /** How many gone findings the last comment was about. */
  readonly gone?: Count;
  /** How many findings were listed then; absent: none. */
  readonly listed?: Count;
  /** A comment has said this about the whole alert. */
  readonly said?: "remediated" | "withdrawn" | "accepted";
  /** The worst severity that any of its findings was seen with, as its place in the list of severities. */
  readonly worst?: Count;
  /** Since when the host does not send it. */
  readonly unseenSince?: Millis;
}

/** What the token sees of a list that should not become shorter. */
export interface VisibleIds {
  readonly ids: readonly string[];
  /** When something that it had was last found to be missing, or to be back. */
  readonly since: Millis;
  /** What it had before, and has not had again. */
  readonly lost?: readonly string[];
  /** When it became shorter last. */
  readonly lostAt?: Millis;
}

/** The service clock before a jump: its value in the last run before it, in epoch milliseconds, and the job's time then. */
export interface EarlierClock {
  readonly service: Millis;
  readonly time: Millis;
  /** The latest time that this clock can have shown before the jump was noticed. */
  readonly until: Millis;
}

/** Both clocks in the last run, in epoch milliseconds, and the job's time that they gave. */
export interface ClockMemory {
  readonly service: Millis;
  readonly host: Millis;
  readonly time: Millis;
  /** Oldest first. */
  readonly earlier?: readonly EarlierClock[];
}

export interface FollowUpState {
  readonly version: 1;
  /** Origin of the tenant that all of this belongs to. */
  readonly tenant: string;
  /** Name of the dialect that the tenant accepts; absent as long as that is not known. */
  readonly dialect?: string;
  /** Requests a second, where the tenant takes fewer than this plugin sends otherwise. */
  readonly requestsPerSecond?: Rate;
  readonly refusedRate?: RefusedRate;
  /** The environment with which the next run begins, after one that ended before it had judged all. */
  readonly next?: string;
  /** Fingerprint of the parameters: when they change, everything is judged again. */
  readonly settings?: string;
  readonly clock?: ClockMemory;
  /** The tenant has reported the time of its analysis: sparklines are no substitute any more. */
  readonly tellsAnalysis?: true;
  /** Since when it does not, by the job's time. */
  readonly untoldSince?: Millis;
  /** The environments that the token sees. */
  readonly visible?: VisibleIds;
  readonly environments: Readonly<Record<string, EnvironmentMemory>>;
  /** By a hash of the host's id of the alert. */
  readonly alerts: Readonly<Record<string, AlertMemory>>;
}
