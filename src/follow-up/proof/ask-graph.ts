import { isFailed, settleEach } from "../../investigation/result/each.ts";
import type { Logger } from "../../logger.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { endsTheRun, ServiceError } from "../../service/errors/errors.ts";
import { counterCheck } from "./counter-check.ts";
import { type FindingKey, hashOf } from "../finding-key.ts";
import type { ReadStream } from "./after-read.ts";
import type { Tracked } from "../streams.ts";
import type { CounterCheckResult } from "./verdict.ts";

/** A finding that the graph is to be asked about. */
export interface Question {
  /** Of the alerts that have it, the first one. */
  readonly alertId: string;
  readonly read: ReadStream;
  readonly key: FindingKey;
  readonly finding: Tracked;
}

export interface GraphOptions {
  readonly service: AttackPathService;
  readonly log: Logger;
  readonly now: number;
  /** How many findings the graph is asked about until it is asked whether an analysis has ended meanwhile. */
  readonly atATime: number;
}

export interface GraphAnswers {
  readonly checks: ReadonlyMap<ReadStream, ReadonlyMap<FindingKey, CounterCheckResult>>;
  /** What ended the run meanwhile. */
  readonly stopped: ServiceError | null;
}

/**
 * Asks the graph about findings that seem to be gone. Answers count once no analysis has ended since the lists were read. When
 * one fails, or the run ends meanwhile, those that count are kept, and the others count as failed.
 *
 * @param compare - whether the lists are still those of the last analysis. @throws ServiceError when it ends the run
 */
export async function askGraph(
  questions: readonly Question[],
  { service, log, now, atATime }: GraphOptions,
  compare: () => Promise<boolean>,
): Promise<GraphAnswers> {
  const ordered = inOrder(questions, now);
  const answers: CounterCheckResult[] = [];
  const given = (stopped: ServiceError | null): GraphAnswers => ({ checks: byStream(ordered, answers), stopped });
  do {
    const batch = ordered.slice(answers.length, answers.length + atATime);
    const results = await settleEach(batch, ({ finding }) => counterCheck(service, [finding, ...finding.others]), log, {
      nameOf: () => "Graph",
    });
    let isCurrent: boolean;
    try {
      isCurrent = await compare();
    } catch (error) {
      if (!(error instanceof ServiceError) || !endsTheRun(error)) throw error;
      return given(error);
    }
    answers.push(...results.map((result) => (isFailed(result) ? "failed" : result.value)));
    const failed = results.find(isFailed)?.error ?? null;
    if (failed !== null || !isCurrent) return given(endsTheRun(failed) ? failed : null);
  } while (answers.length < ordered.length);
  return given(null);
}

function byStream(questions: readonly Question[], answers: readonly CounterCheckResult[]): GraphAnswers["checks"] {
  const checks = new Map<ReadStream, Map<FindingKey, CounterCheckResult>>();
  for (const [at, { read, key }] of questions.entries()) {
    const ofStream = checks.get(read) ?? new Map<FindingKey, CounterCheckResult>();
    checks.set(read, ofStream.set(key, answers[at] ?? "failed"));
  }
  return checks;
}

/**
 * First what the graph was never asked about, last what it has confirmed already. Otherwise each run has another order of alerts, so
 * that runs that are always cut short ask about all in the end. An alert is closed once the answers about all of its findings are there.
 */
function inOrder(questions: readonly Question[], now: number): Question[] {
  const rankOf = ({ read, key }: Question): number => {
    const { unchecked = false, confirmed = false } = read.missing.get(key) ?? {};
    return unchecked ? 0 : confirmed ? 2 : 1;
  };
  const rankIn = (question: Question): string =>
    [rankOf(question), hashOf(`${now} ${question.alertId}`), hashOf(`${now} ${question.key}`)].join(" ");
  return questions
    .map((question) => ({ question, rank: rankIn(question) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ question }) => question);
}
