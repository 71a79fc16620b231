import type { Missing, VerdictCounts } from "../state/state.ts";
import {
  isWithdrawn,
  LEAST_ANALYSES,
  SETTLED_AFTER_MS,
  SETTLED_ANALYSES,
  UNCONFIRMED_ANALYSES,
  UNCONFIRMED_WAIT_MS,
} from "./waits.ts";

export type Verdict = keyof VerdictCounts;

/** How a complete read showed a finding; null when there was none. */
export type Presence = "active" | "accepted" | "absent" | null;

/**
 * What the counter-check of an absent finding said: a one-hop path still joins its principals, none does, or the service does
 * not know them. `not_asked`: there was no reason to ask yet.
 */
export type CounterCheckResult = "holds" | "none" | "unknown_object" | "failed" | "not_asked";

export interface FindingFacts {
  readonly presence: Presence;
  /** Of an absent finding. */
  readonly missing: Missing | null;
  readonly check: CounterCheckResult;
}

/** What the facts of a finding are measured by. */
export interface VerdictTerms {
  /** When the analysis ended that the read was about, by the service's clock. */
  readonly analysis: number;
  /** The same moment by the job's time, at the earliest and at the latest. */
  readonly analysisAt: number;
  readonly analysisBy: number;
  /** The job's time. */
  readonly now: number;
  /** How long a finding must be absent. */
  readonly waitMs: number;
  /** When the token began to see less; 0 when it sees everything. */
  readonly lostAt: number;
  /** Whether the environment still has other findings. */
  readonly othersStay: boolean;
  /** Whether the environment still has what such a finding rests on: sessions, for a type that rests on them, else any finding. */
  readonly isStillCollected: boolean;
}

/** What became of one finding. */
export function verdictOf({ presence, missing, check }: FindingFacts, terms: VerdictTerms): Verdict {
  if (presence !== "absent") return presence ?? "unknown";
  if (missing === null) return "unknown";
  if (missing.hidden === true) {
    const since = Math.max(missing.noticedAt, terms.lostAt);
    return isWithdrawn(since, terms.now) ? "withdrawn" : "unknown";
  }
  if (check === "holds") return "active";
  if (check === "failed") return "unknown";
  if (missing.mass === true) return "missing";
  return isGone(missing, check, terms) ? "gone" : "missing";
}

function isGone(missing: Missing, check: "none" | "unknown_object" | "not_asked", terms: VerdictTerms): boolean {
  if (!isLongAbsent(missing, terms)) return false;
  if (missing.confirmed === true) return true;
  if (!isSettled(missing, terms)) return false;
  if (check === "not_asked" || (check === "none" && missing.unchecked === true)) return false;
  return (check === "none" && terms.isStillCollected) || isProvenLater(missing, check, terms);
}

type Wait = Pick<VerdictTerms, "analysis" | "analysisAt" | "analysisBy" | "now" | "waitMs">;

/** Whether list and graph lacked it after two different analyses that lie far enough apart. */
export function isProven(missing: Missing, wait: Wait): boolean {
  return missing.unchecked !== true && isLongAbsent(missing, wait) && isSettled(missing, wait);
}

function isLongAbsent(missing: Missing, { waitMs, ...time }: Wait): boolean {
  return missing.analyses >= LEAST_ANALYSES && isApart(missing, time, waitMs);
}

/** Whether the absence is no longer that of lists which are still rebuilt when an analysis has ended. */
function isSettled({ analyses }: Missing, { now, analysisBy }: Pick<Wait, "now" | "analysisBy">): boolean {
  return now - analysisBy >= SETTLED_AFTER_MS || analyses >= SETTLED_ANALYSES;
}

/** Whether both the analyses, by either time, and the reads lie far enough apart. */
function isApart(
  { firstAnalysis, absentSince, noticedAt }: Missing,
  { analysis, analysisAt, now }: Pick<Wait, "analysis" | "analysisAt" | "now">,
  ms: number,
): boolean {
  return analysis - firstAnalysis >= ms && analysisAt - absentSince >= ms && now - noticedAt >= ms;
}

/**
 * For findings whose absence the graph could not confirm. The service forgets data a week after its last collection. What it still
 * has after that was collected since: the objects of the finding (`none`), or other findings of the environment.
 */
function isProvenLater(
  missing: Missing,
  check: "none" | "unknown_object",
  { othersStay, ...time }: VerdictTerms,
): boolean {
  const isLong = isApart(missing, time, UNCONFIRMED_WAIT_MS);
  return isLong && missing.analyses >= UNCONFIRMED_ANALYSES && (check === "none" || othersStay);
}

export const NO_VERDICTS: VerdictCounts = { active: 0, accepted: 0, missing: 0, gone: 0, withdrawn: 0, unknown: 0 };

export function countVerdicts(verdicts: Iterable<Verdict>): VerdictCounts {
  const counts = { ...NO_VERDICTS };
  for (const verdict of verdicts) counts[verdict] += 1;
  return counts;
}

/** As they are stored: verdicts that no finding has are left out, because a state may have thousands of these. */
export function withoutZeros(counts: VerdictCounts): Partial<VerdictCounts> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

export function sumOf(all: Iterable<VerdictCounts>): VerdictCounts {
  const sum = { ...NO_VERDICTS };
  for (const counts of all) {
    for (const verdict of Object.keys(sum) as Verdict[]) sum[verdict] += counts[verdict];
  }
  return sum;
}
