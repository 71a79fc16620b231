import { worstOf } from "../../runtime/severity.ts";
import type { JobAlert, Severity } from "../../runtime/protocol.ts";
import type { CompleteList } from "./complete-list.ts";
import { type FindingKey, HASH_LENGTH, hashOf, findingKeyOf } from "../finding-key.ts";
import { mayBeHidden } from "./guards.ts";
import { sizesAfter } from "./list-sizes.ts";
import { absenceHistory, type ReadTime, MissingFindings } from "./missing.ts";
import type { AlertMemory, ListSizes, Missing, VisibleIds, StreamMemory, VerdictCounts } from "../state/state.ts";
import type { FollowedStream } from "../streams.ts";
import {
  type CounterCheckResult,
  countVerdicts,
  isProven,
  type Presence,
  type Verdict,
  type VerdictTerms,
  verdictOf,
} from "./verdict.ts";
import { restsOnSessions, SETTLED_AFTER_MS, waitOf } from "./waits.ts";

/** A stream after a complete read. */
export interface ReadStream {
  readonly stream: FollowedStream;
  readonly list: CompleteList;
  readonly time: ReadTime;
  /** Its findings that the read did not have. */
  readonly missing: MissingFindings;
  readonly sizes: ListSizes;
  /** See `StreamMemory`. */
  readonly alerts?: string;
}

/** What the complete reads of an environment say about all of it. */
export interface EnvironmentEvidence {
  readonly othersStay: boolean;
  /** Whether any finding that rests on sessions is left. */
  readonly sessionsStay: boolean;
}

const NOTHING_STAYS: EnvironmentEvidence = { othersStay: false, sessionsStay: false };

/** What is known before a complete read, and what was seen just before it. */
export interface BeforeRead {
  /** The environments and the zones that the token sees. */
  readonly visible: readonly (VisibleIds | undefined)[];
  readonly time: ReadTime;
  readonly memory: StreamMemory | undefined;
  /** The admin allows to close what vanished with many others. */
  readonly allowsMass: boolean;
}

/** What a complete read makes of the history of a stream's findings. */
export function afterRead(
  stream: FollowedStream,
  list: CompleteList,
  { visible, time, memory, allowsMass }: BeforeRead,
): ReadStream {
  const known = new MissingFindings(memory?.missing);
  const missing = new MissingFindings();
  const seesLess = visible.some((list) => list?.lostAt !== undefined);
  const isNew = seesLess ? newFindings(stream, memory?.alerts) : () => false;
  for (const [key, { createdAt, source }] of stream.findings) {
    const listed = list.listed.get(key);
    if (listed !== undefined && listed.kind !== "deleted") continue;
    const history = lasting(known.get(key), allowsMass);
    const hidden = mayBeHidden(visible, isNew(key) ? 0 : time.readAt);
    // Once the token sees again what it saw before, what may have been hidden has to be absent anew.
    const isAnew = history?.hidden === true && !seesLess;
    const absence = { deletedAt: listed?.at ?? null, createdAt, hidden, isPair: source !== null, isAnew };
    missing.set(key, absenceHistory(history, time, absence));
  }
  // The admin has accepted the loss, so the former sizes do not count any more.
  const sizes = sizesAfter(allowsMass ? undefined : memory?.sizes, list.size, time.now);
  return { stream, list, time, missing, sizes, ...(seesLess && { alerts: hashesOf(stream) }) };
}

/** What vanished with many others may be gone once the admin allows it. */
function lasting(history: Missing | null, allowsMass: boolean): Missing | null {
  if (history === null) return null;
  const { mass, ...rest } = history;
  return mass === true && allowsMass ? rest : history;
}

function hashesOf({ alerts }: FollowedStream): string {
  return alerts.map(({ alertId }) => hashOf(alertId)).join("");
}

/** Which findings no complete read was about before: that of a new alert may have been hidden long ago. */
function newFindings({ alerts }: FollowedStream, hashes = ""): (key: FindingKey) => boolean {
  const known = new Set<string>();
  for (let at = 0; at < hashes.length; at += HASH_LENGTH) known.add(hashes.slice(at, at + HASH_LENGTH));
  const keys = new Set(alerts.filter(({ alertId }) => known.has(hashOf(alertId))).flatMap(keysOf));
  return (key) => !keys.has(key);
}

/** @param apartMs - how far apart the times may be that the lists have of one analysis */
export function evidenceOf(
  read: readonly ReadStream[],
  unread: readonly { findingType: string; memory: StreamMemory | undefined }[],
  apartMs: number,
): EnvironmentEvidence {
  const stays = ({ findingType, memory }: (typeof unread)[number], analysis: number): string[] =>
    memory !== undefined && Math.abs(memory.analysis - analysis) <= apartMs && wasListed(memory) ? [findingType] : [];
  const analysis = read.reduce((latest, { time }) => Math.max(latest, time.analysis), 0);
  const staying = [
    ...read.filter(({ list }) => list.size > 0).map(({ stream }) => stream.findingType),
    ...unread.flatMap((each) => stays(each, analysis)),
  ];
  return {
    othersStay: staying.length > 0,
    sessionsStay: staying.some(restsOnSessions),
  };
}

/** Whether the last read of a list had findings, of which the alerts need not have any. */
function wasListed({ absentSince, counts, sizes }: StreamMemory): boolean {
  if (absentSince !== undefined) return false;
  return (counts.active ?? 0) + (counts.accepted ?? 0) > 0 || (sizes?.current ?? 0) > 0;
}

/** The verdicts on the findings of one alert. */
export interface JudgedAlert {
  readonly counts: VerdictCounts;
  readonly worstActive: Severity;
  /** Times of the analyses that its gone findings were absent from. */
  readonly analyses: readonly number[];
}

/** Judges the alerts of a stream after a complete read. */
export class StreamJudge {
  readonly #read: ReadStream;
  readonly #evidence: EnvironmentEvidence;
  readonly #checks: ReadonlyMap<FindingKey, CounterCheckResult>;
  #lacksEvidence = false;
  readonly #moments: Pick<VerdictTerms, "analysis" | "analysisAt" | "analysisBy" | "now">;

  /** @param evidence - what to ask the graph does not depend on it */
  constructor(
    read: ReadStream,
    evidence = NOTHING_STAYS,
    checks: ReadonlyMap<FindingKey, CounterCheckResult> = new Map(),
  ) {
    this.#read = read;
    this.#evidence = evidence;
    this.#checks = checks;
    const { analysis, earliest, now, of } = read.time;
    this.#moments = { analysis, analysisAt: earliest, analysisBy: of(analysis).latest, now };
  }

  /** Whether the graph could not say something about a finding that it was asked about. */
  get hasFailed(): boolean {
    return [...this.#checks.values()].includes("failed");
  }

  /** Whether a finding that was judged is not gone only because no other finding of the environment was read. */
  get lacksEvidence(): boolean {
    return this.#lacksEvidence;
  }

  judge(alert: JobAlert, memory: AlertMemory): JudgedAlert {
    const keys = keysOf(alert);
    const { list, missing, time } = this.#read;
    const verdicts = keys.map((key) => this.#verdict(key, alert, memory));
    const severities = keys.map((key) => {
      const listed = list.listed.get(key);
      return listed?.kind === "active" ? listed.severity : "unknown";
    });
    const gone = keys.filter((_, index) => verdicts[index] === "gone");
    const firsts = gone.map((key) => missing.get(key)?.firstAnalysis ?? 0);
    return {
      counts: countVerdicts(verdicts),
      worstActive: worstOf(severities),
      analyses: firsts.length === 0 ? [time.analysis] : [Math.max(...firsts), time.analysis],
    };
  }

  /** Findings of the alert that the graph has to be asked about: as long as they are missed, and when the alert would be closed. */
  toCheck(alert: JobAlert, memory: AlertMemory, closes: boolean): FindingKey[] {
    const { missing } = this.#read;
    const waitMs = waitFor(alert, memory);
    const absent = keysOf(alert).flatMap((key) => {
      const history = missing.get(key);
      if (history === null || history.hidden === true || history.mass === true) return [];
      return [{ key, ...history, isProven: isProven(history, { ...this.#moments, waitMs }) }];
    });
    // A confirmed finding is checked again only when all findings of the alert are absent and the job may close it.
    const mayClose = closes && absent.length === alert.findings.length;
    // A graph that has a finding again in between says that the list is wrong, whatever it says at the end.
    const isPair = (key: FindingKey): boolean => this.#read.stream.findings.get(key)?.source !== null;
    return absent
      .filter(({ key, confirmed, ...each }) => (confirmed === true ? mayClose : each.isProven || isPair(key)))
      .map(({ key }) => key);
  }

  /**
   * What the checks have settled: what still holds is not missing, what the graph lacks for the first time begins its wait, and
   * what is gone need not be checked in each run.
   */
  settle(alerts: readonly (readonly [JobAlert, AlertMemory])[]): void {
    const { missing, time } = this.#read;
    for (const [key, check] of this.#checks) {
      const history = missing.get(key);
      if (check === "holds") missing.delete(key);
      if (check === "none" && history?.unchecked === true) {
        const { hidden, mass } = history;
        missing.set(key, {
          firstAnalysis: time.analysis,
          absentSince: time.of(time.analysis).latest,
          noticedAt: time.now,
          analyses: 1,
          ...(hidden && { hidden }),
          ...(mass && { mass }),
        });
      }
    }
    for (const [alert, memory] of alerts) {
      for (const key of keysOf(alert)) {
        const history = missing.get(key);
        if (history === null || this.#verdict(key, alert, memory) !== "gone") continue;
        missing.set(key, { ...history, confirmed: true });
      }
    }
  }

  /**
   * From when on the same analysis can prove more: the reads must lie as far apart as the analyses, and the last one some time
   * behind its analysis. Infinity when it cannot.
   */
  due(alerts: readonly (readonly [JobAlert, AlertMemory])[]): number {
    const { missing, time } = this.#read;
    let due = Infinity;
    for (const [alert, memory] of alerts) {
      const waitMs = waitFor(alert, memory);
      for (const key of keysOf(alert)) {
        if (this.#checks.get(key) === "failed") return time.now;
        const history = missing.get(key);
        if (history === null || history.mass === true || history.confirmed === true) continue;
        const at = Math.max(history.noticedAt + waitMs, this.#moments.analysisBy + SETTLED_AFTER_MS);
        if (at > time.now && isProven(history, { ...this.#moments, now: at, waitMs })) due = Math.min(due, at);
      }
    }
    return due;
  }

  #verdict(key: FindingKey, alert: JobAlert, memory: AlertMemory): Verdict {
    const { missing, stream } = this.#read;
    const waitMs = waitFor(alert, memory);
    const { othersStay, sessionsStay } = this.#evidence;
    const check = this.#checks.get(key) ?? "not_asked";
    // Where every list is empty at once, the service may have lost its data, and the relationships of its graph with it.
    const isStillCollected = restsOnSessions(stream.findingType) ? sessionsStay : othersStay;
    const facts = { presence: this.#presence(key, check), missing: missing.get(key), check };
    const terms = { ...this.#moments, waitMs, othersStay, isStillCollected };
    const verdict = verdictOf(facts, terms);
    const isGoneIfOthersStay = (): boolean =>
      verdictOf(facts, { ...terms, othersStay: true, isStillCollected: true }) === "gone";
    this.#lacksEvidence ||= verdict === "missing" && isGoneIfOthersStay();
    // A service may begin to leave out what was accepted, and the graph has no finding that names one object.
    const mayBeLeftOut = memory.accepted === true && stream.findings.get(key)?.source === null;
    return verdict === "gone" && mayBeLeftOut ? "missing" : verdict;
  }

  #presence(key: FindingKey, check: CounterCheckResult): Presence {
    const listed = this.#read.list.listed.get(key);
    if (listed !== undefined && listed.kind !== "deleted") return listed.kind;
    return check === "holds" ? "active" : "absent";
  }
}

export function keysOf({ findings }: JobAlert): FindingKey[] {
  return findings.map(({ source, target }) => findingKeyOf(source, target));
}

function waitFor({ findingType }: JobAlert, { reopened = 0 }: AlertMemory): number {
  return waitOf(findingType, reopened);
}
