import { worstOf } from "../../runtime/severity.ts";
import type { JobAlert, Severity } from "../../runtime/protocol.ts";
import { type FindingKey, hashOf } from "../finding-key.ts";
import type { ReadStream } from "./after-read.ts";
import type { AlertMemory, StreamMemory, VerdictCounts } from "../state/state.ts";
import { keysOf } from "../streams.ts";
import { vanishingOf } from "./missing.ts";
import {
  type CounterCheckResult,
  countVerdicts,
  isProven,
  NO_VERDICTS,
  type Presence,
  type Verdict,
  type VerdictTerms,
  verdictOf,
} from "./verdict.ts";
import { restsOnSessions, SETTLED_AFTER_MS, waitOf } from "./waits.ts";

/** What the complete reads of an environment say about all of it. */
export interface EnvironmentEvidence {
  readonly othersStay: boolean;
  /** Whether any finding that rests on sessions is left. */
  readonly sessionsStay: boolean;
}

const NOTHING_STAYS: EnvironmentEvidence = { othersStay: false, sessionsStay: false };

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
  /** Of the findings whose risk is not accepted; unknown without any. */
  readonly worstActive: Severity;
  /** Of all that are listed. */
  readonly worstListed: Severity;
  /** Times of the analyses that its gone findings were absent from. */
  readonly analyses: readonly number[];
}

/** An alert whose findings all have the same verdict, because nothing was read of them. */
export function judgedAs(verdict: "withdrawn" | "unknown", { findings }: JobAlert): JudgedAlert {
  return {
    counts: { ...NO_VERDICTS, [verdict]: findings.length },
    worstActive: "unknown",
    worstListed: "unknown",
    analyses: [],
  };
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
    const listed = keys.flatMap((key) => {
      const each = list.listed.get(key);
      return each === undefined || each.kind === "deleted" ? [] : [each];
    });
    const gone = keys.filter((_, index) => verdicts[index] === "gone");
    const first = gone.reduce((latest, key) => Math.max(latest, missing.get(key)?.firstAnalysis ?? 0), 0);
    return {
      counts: countVerdicts(verdicts),
      worstActive: worstOf(listed.filter(({ kind }) => kind === "active").map(({ severity }) => severity)),
      worstListed: worstOf(listed.map(({ severity }) => severity)),
      analyses: gone.length === 0 ? [time.analysis] : [first, time.analysis],
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
    const { missing } = this.#read;
    for (const [key, check] of this.#checks) this.#settle(key, check);
    for (const [alert, memory] of alerts) {
      for (const key of keysOf(alert)) {
        const history = missing.get(key);
        if (history === null || this.#verdict(key, alert, memory) !== "gone") continue;
        missing.set(key, { ...history, confirmed: true });
      }
    }
  }

  #settle(key: FindingKey, check: CounterCheckResult): void {
    const { missing, accepted, time } = this.#read;
    const history = missing.get(key);
    if (check === "holds") {
      missing.delete(key);
      if (history?.accepted === true) accepted.add(hashOf(key));
    }
    if (check !== "none" || history?.unchecked !== true) return;
    const { unchecked, confirmed, ...marks } = history;
    const begin = { firstAnalysis: time.analysis, absentSince: time.of(time.analysis).latest, noticedAt: time.now };
    missing.set(key, { ...marks, ...vanishingOf(history), ...begin, analyses: 1 });
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
    const terms = { ...this.#moments, waitMs, lostAt: this.#read.lostAt, othersStay, isStillCollected };
    const verdict = verdictOf(facts, terms);
    const isGoneIfOthersStay = (): boolean =>
      verdictOf(facts, { ...terms, othersStay: true, isStillCollected: true }) === "gone";
    this.#lacksEvidence ||= verdict === "missing" && isGoneIfOthersStay();
    // The graph has no finding that names one object.
    const wasAccepted = memory.accepted === true && memory.acceptanceEnded !== true;
    const mayBeLeftOut =
      (wasAccepted || missing.get(key)?.accepted === true) && stream.findings.get(key)?.source === null;
    return verdict === "gone" && mayBeLeftOut ? "missing" : verdict;
  }

  #presence(key: FindingKey, check: CounterCheckResult): Presence {
    const listed = this.#read.list.listed.get(key);
    if (listed !== undefined && listed.kind !== "deleted") return listed.kind;
    if (check !== "holds") return "absent";
    return this.#read.missing.get(key)?.accepted === true ? "accepted" : "active";
  }
}

function waitFor({ findingType }: JobAlert, { reopened = 0 }: AlertMemory): number {
  return waitOf(findingType, reopened);
}
