import { isFailed, settleEach } from "../investigation/result/each.ts";
import type { Logger } from "../logger.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import { counterCheck } from "./counter-check.ts";
import { type FindingKey, hashOf } from "./finding-key.ts";
import type { ReadStream } from "./judge.ts";
import type { Stream, Tracked } from "./streams.ts";
import type { Check } from "./verdict.ts";

/** How many findings the graph is asked about until it is asked whether an analysis has ended meanwhile. */
const AT_A_TIME = 64;

/** A finding that the graph is to be asked about. */
export interface Question {
  readonly read: ReadStream;
  readonly key: FindingKey;
  readonly finding: Tracked;
}

/** Why what was read of a stream counts no more; null when it counts. */
export type Outdated = (stream: Stream) => string | null;

export interface GraphAnswers {
  readonly checks: ReadonlyMap<ReadStream, ReadonlyMap<FindingKey, Check>>;
  readonly outdated: Outdated;
  /** What ended the run before the graph was asked about all. */
  readonly stopped: ServiceError | null;
}

/**
 * Asks the graph about findings that seem to be gone. Answers count once no analysis has ended since the lists were read. When
 * the run ends meanwhile, those that count are kept, and the others are as good as failed.
 *
 * @param outdated - reads anew what tells whether an analysis has ended; it is not called again once one has
 * @throws ServiceError when it ends the run, and no answer counts
 */
export async function askGraph(
  questions: readonly Question[],
  { service, log, now }: { readonly service: AttackPathService; readonly log: Logger; readonly now: number },
  outdated: () => Promise<Outdated>,
): Promise<GraphAnswers> {
  const ordered = inOrder(questions, now);
  const answers: Check[] = [];
  let last: Outdated | null = null;
  let stopped: ServiceError | null = null;
  do {
    const batch = ordered.slice(answers.length, answers.length + AT_A_TIME);
    const results = await settleEach(
      batch,
      ({ finding }) => counterCheck(service, [finding, ...finding.others]),
      log,
      () => "Graph",
    );
    stopped = results.find(isFailed)?.error ?? null;
    try {
      last = await outdated();
    } catch (error) {
      if (last === null || !(error instanceof ServiceError) || !endsTheRun(error)) throw error;
      stopped = error;
      break;
    }
    answers.push(...results.map((result) => (isFailed(result) ? "failed" : result.value)));
  } while (stopped === null && answers.length < ordered.length && isCurrent(ordered, last));
  return { checks: byStream(ordered, answers), outdated: last, stopped };
}

function isCurrent(questions: readonly Question[], outdated: Outdated): boolean {
  return questions.every(({ read }) => outdated(read.stream) === null);
}

function byStream(questions: readonly Question[], answers: readonly Check[]): GraphAnswers["checks"] {
  const checks = new Map<ReadStream, Map<FindingKey, Check>>();
  for (const [at, { read, key }] of questions.entries()) {
    const ofStream = checks.get(read) ?? new Map<FindingKey, Check>();
    checks.set(read, ofStream.set(key, answers[at] ?? "failed"));
  }
  return checks;
}

/**
 * First what the graph was never asked about, last what it has confirmed already. Otherwise each run has another order, so that
 * runs that are always cut short ask about all in the end.
 */
function inOrder(questions: readonly Question[], now: number): Question[] {
  const rankOf = ({ read, key }: Question): number => {
    const { unchecked = false, confirmed = false } = read.missing.get(key) ?? {};
    return unchecked ? 0 : confirmed ? 2 : 1;
  };
  return questions
    .map((question) => ({ question, rank: `${rankOf(question)} ${hashOf(`${now} ${question.key}`)}` }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ question }) => question);
}
