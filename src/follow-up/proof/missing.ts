import type { JobTime } from "./job-time.ts";
import { DAY_MS } from "../../clock.ts";
import { HASH_LENGTH, hashOf, type FindingKey } from "../finding-key.ts";
import type { Missing, MissingGroup } from "../state/state.ts";
import { LONGEST_GAP_MS, MASS_WINDOW_MS, UNSEEN_MS } from "./waits.ts";

/** The missing findings of a stream. Findings with the same history are stored together. */
export class MissingFindings {
  readonly #byHash = new Map<string, Missing>();

  constructor(groups: readonly MissingGroup[] = []) {
    for (const { findings, ...missing } of groups) {
      for (let at = 0; at < findings.length; at += HASH_LENGTH) {
        this.#byHash.set(findings.slice(at, at + HASH_LENGTH), missing);
      }
    }
  }

  get size(): number {
    return this.#byHash.size;
  }

  get(key: FindingKey): Missing | null {
    return this.size === 0 ? null : (this.#byHash.get(hashOf(key)) ?? null);
  }

  set(key: FindingKey, missing: Missing): void {
    this.#byHash.set(hashOf(key), missing);
  }

  delete(key: FindingKey): void {
    this.#byHash.delete(hashOf(key));
  }

  /** The risk of a finding was accepted when it was listed last. Should it be missing now, its wait begins. */
  markAccepted(hash: string, { analysis, now, of }: ReadTime): void {
    const absentSince = of(analysis).latest;
    const begin = { firstAnalysis: analysis, absentSince, noticedAt: now, analyses: 0, unseenSince: now };
    this.#byHash.set(hash, { ...begin, accepted: true });
  }

  /** Those besides these, with what decides whether they, or others with them, count as gone. They are kept for a month. */
  markedBeside(keys: Iterable<FindingKey>, { now, lookedAt }: Pick<ReadTime, "now" | "lookedAt">): MissingFindings {
    const beside = new MissingFindings();
    if (this.size === 0) return beside;
    const seen = new Set([...keys].map(hashOf));
    for (const [hash, history] of this.#byHash) {
      const { unseenSince = now } = history;
      if (seen.has(hash) || now - unseenSince > UNSEEN_MS) continue;
      beside.#byHash.set(hash, { ...explained(history, lookedAt), unseenSince });
    }
    return beside;
  }

  values(): Iterable<Missing> {
    return this.#byHash.values();
  }

  /** Marks what vanished with many others. */
  markMass(isMass: (missing: Missing) => boolean): void {
    for (const [hash, missing] of this.#byHash) {
      if (missing.allowed !== true && isMass(missing)) this.#byHash.set(hash, { ...missing, mass: true });
    }
  }

  toGroups(): MissingGroup[] {
    const groups = new Map<string, { missing: Missing; hashes: string[] }>();
    for (const [hash, missing] of this.#byHash) {
      const { firstAnalysis, absentSince, noticedAt, analyses, vanishedAt, listedAt, unseenSince, ...marks } = missing;
      const { unchecked, confirmed, hidden, mass, allowed, accepted } = marks;
      const times = [firstAnalysis, absentSince, noticedAt, analyses, vanishedAt, listedAt, unseenSince];
      const id = [...times, unchecked, confirmed, hidden, mass, allowed, accepted].join();
      const group = groups.get(id) ?? { missing, hashes: [] };
      groups.set(id, group);
      group.hashes.push(hash);
    }
    return [...groups.values()].map(({ missing, hashes }) => ({ ...missing, findings: hashes.join("") }));
  }
}

/**
 * What runs have seen to be missing for long is no sign of a dead collector. If its wait began anew without this mark, findings that
 * vanished one by one would look as if they had vanished at once.
 *
 * @param lookedAt - when a run looked last
 */
export function explained<T extends Missing>(missing: T, lookedAt: number): T {
  const { mass, hidden, analyses, noticedAt, vanishedAt = noticedAt } = missing;
  const isSuspicious = mass === true || hidden === true || analyses === 0;
  return isSuspicious || lookedAt - vanishedAt <= MASS_WINDOW_MS ? missing : { ...missing, allowed: true as const };
}

/** One complete read, and the one before. */
export interface ReadTime {
  /** When the analysis ended that it is about, by the service's clock. */
  readonly analysis: number;
  /** Whether the previous read was already about this analysis, even if the service reported an earlier one then. */
  readonly isSame: boolean;
  /** When it ended at the earliest, by the job's time. */
  readonly earliest: number;
  /** When it was made, by the job's time. */
  readonly now: number;
  /** See `JobTime`. */
  readonly of: JobTime["of"];
  /** The analysis of the complete read before; 0 for the first. */
  readonly last: number;
  /** When that was made, by the job's time. */
  readonly readAt: number;
  /** When a run looked last before this one: it read the list, or found that no analysis had ended since. */
  readonly lookedAt: number;
}

/** What is known about an absent finding beside that. */
export interface Absence {
  /** When the service marked it as deleted, in epoch milliseconds; null when it did not. */
  readonly deletedAt: number | null;
  /** When it was created, as it was delivered; 0 when that is not known. */
  readonly createdAt: number;
  /** The token began to see fewer zones, so the finding may only be hidden. */
  readonly hidden: boolean;
  /** It joins two objects, so the graph must lack it, too. */
  readonly isPair: boolean;
  /** The earlier history is ignored, and a new wait starts. */
  readonly isAnew: boolean;
}

/** The history of a finding that a complete read did not have. */
export function absenceHistory(before: Missing | null, time: ReadTime, absence: Absence): Missing {
  const { analysis, now, isSame } = time;
  const hidden = absence.hidden && { hidden: true as const };
  if (before !== null && !absence.isAnew && isSameAbsence(before, time, absence)) {
    if (!isSame) return { ...before, analyses: before.analyses + 1, ...hidden };
    return { ...before, ...laterStart(before, time), ...hidden };
  }
  const existedAt = Math.floor(time.of(absence.createdAt).earliest);
  const marks = { ...marksOf(before, time, absence), ...hidden };
  const deletedAt = absence.isAnew ? null : usableDeletion(absence, time);
  return deletedAt === null
    ? {
        firstAnalysis: analysis,
        absentSince: time.of(analysis).latest,
        noticedAt: now,
        analyses: 1,
        ...(absence.isPair && { unchecked: true }),
        ...since(Math.max(time.lookedAt, existedAt), now),
        ...marks,
      }
    : { ...deletion(deletedAt, time), ...marks };
}

/** A finding that was hidden, accepted, or vanished with many others, stays marked until it is listed again, even if a clock jumps. */
function marksOf(
  before: Missing | null,
  time: ReadTime,
  absence: Absence,
): Pick<Missing, "vanishedAt" | "listedAt" | "hidden" | "mass" | "allowed" | "accepted"> {
  if (before === null || wasBack(before, time, absence)) return {};
  const { hidden, mass, allowed, accepted, unseenSince = time.lookedAt } = explained(before, time.lookedAt);
  const seenAt = Math.min(time.lookedAt, unseenSince);
  return {
    // Nobody has looked for so long that it may have been back, and vanished with others.
    ...(time.now - seenAt > MASS_WINDOW_MS ? since(seenAt, time.now) : vanishingOf(before)),
    ...(hidden && !absence.isAnew && { hidden }),
    ...(mass && { mass }),
    ...(allowed && { allowed }),
    ...(accepted && { accepted }),
  };
}

/** For what is noticed to be missing long after the last look: it may have vanished at any time between. */
function since(lookedAt: number, now: number): Pick<Missing, "listedAt"> {
  return lookedAt > 0 && now - lookedAt > 2 * DAY_MS ? { listedAt: lookedAt } : {};
}

/** When it vanished, to be kept although its wait begins anew. Says nothing of what may be hidden. */
export function vanishingOf({
  vanishedAt,
  listedAt,
  noticedAt,
  hidden,
  analyses,
}: Missing): Pick<Missing, "vanishedAt" | "listedAt"> {
  const at = vanishedAt ?? (hidden === true || analyses === 0 ? undefined : noticedAt);
  return at === undefined ? {} : { vanishedAt: at, ...(listedAt !== undefined && { listedAt }) };
}

/** When the absence began, if the service reports only now which analysis the first read without the finding was about. */
function laterStart(
  { firstAnalysis }: Missing,
  { analysis, last, of }: ReadTime,
): Pick<Missing, "firstAnalysis" | "absentSince"> | null {
  return firstAnalysis === last && analysis > last
    ? { firstAnalysis: analysis, absentSince: of(analysis).latest }
    : null;
}

/** Whether the finding was absent all the time since, as far as anybody has looked. */
function isSameAbsence(before: Missing, time: ReadTime, absence: Absence): boolean {
  const { analysis, now, lookedAt } = time;
  if (before.unseenSince !== undefined || now - lookedAt > LONGEST_GAP_MS) return false;
  // After the service's clock was set back, what was remembered lies in the future.
  return !wasBack(before, time, absence) && analysis >= before.firstAnalysis;
}

/** It was listed again in between if it was deleted after the last read without it, or created after the first one. */
function wasBack({ firstAnalysis }: Missing, { last }: ReadTime, { deletedAt, createdAt }: Absence): boolean {
  return (deletedAt !== null && deletedAt > last) || createdAt > firstAnalysis;
}

/** A deletion counts from when it happened, but not from before the complete read that still had the finding. */
function deletion(deletedAt: number, { of, readAt }: ReadTime): Missing {
  const absentSince = Math.max(readAt, of(deletedAt).latest);
  // The deletion counts as the first complete read without the finding, this read as the second.
  return { firstAnalysis: deletedAt, absentSince, noticedAt: absentSince, analyses: 2 };
}

/**
 * A time of deletion stands for the first complete read. An older one is about an earlier life of the finding: it was listed
 * since, by the complete read before or by the connector.
 */
function usableDeletion({ deletedAt, createdAt }: Absence, { analysis, last }: ReadTime): number | null {
  if (deletedAt === null || deletedAt < last || deletedAt <= createdAt) return null;
  return deletedAt < analysis ? deletedAt : null;
}
