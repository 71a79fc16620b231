import { endsTheRun } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { type AnalysisEvidence, environmentEvidence } from "./evidence.ts";
import { arrivalOf, type PollContext, type PollItem, type PollSource } from "./poll-items.ts";
import { pollStream } from "./poll-stream.ts";
import { startingAt } from "./turns.ts";
import { decide, type Decision } from "./skip-decision.ts";
import { type PollTime, secondsOf } from "./time.ts";

/**
 * Decides what to do with an environment and gives a source for each of its selected finding types. A run that begins in the
 * middle of them reads the rest of the known ones before it lists them, so that runs that are always cut short do not spend
 * their requests on lists.
 */
export async function* readEnvironment(
  context: PollContext,
  environment: Environment,
  time: PollTime,
  analysis: AnalysisEvidence,
): AsyncGenerator<PollItem | PollSource[], void, undefined> {
  const { state, selection, clock } = context;
  const known = selection.types(state.knownTypes(environment.id));
  const evidence = await environmentEvidence(context, environment, known, analysis, time);
  const decided = decide(state.environment(environment.id), evidence, secondsOf(clock.now()));
  const { decision } = decided;
  const types = new TypeSources(context, environment, time, decision);
  const expected = decision === "skip" ? [] : types.inOrder(known);
  yield { kind: "environment", environment, ...decided, evidence, known: expected };
  if (decision === "skip") return;
  const begin = known.findIndex(types.isFirst);
  const listed: PollSource = { subject: { kind: "environment", environment }, read: () => readListed(types, known) };
  yield [...types.take(begin < 1 ? [] : known.slice(begin)), listed];
}

/**
 * Lists the finding types and gives a source for each selected one that has none yet. When the list does not arrive in time
 * or cannot be loaded to its end, those of the last run are read anyway.
 */
async function* readListed(
  types: TypeSources,
  known: readonly string[],
): AsyncGenerator<PollItem | PollSource[], void, undefined> {
  const { context, environment } = types;
  const first = await arrivalOf(types.list(), context);
  if (first !== "listed" && !(first !== "late" && endsTheRun(first.error))) yield types.take(known);
  const { types: listed, unreadable, incomplete } = await types.list();
  const missing = incomplete === undefined ? [] : context.state.knownTypes(environment.id);
  const offered = [...new Set([...listed, ...missing])];
  // The list may lack types by a fault of the service. Known ones count as gone only once it has no findings of them either.
  const isOffered = new Set(offered);
  const unlisted = known.filter((type) => !isOffered.has(type));
  const selected = context.selection.types([...offered, ...unlisted]);
  yield { kind: "types", environment, offered, selected: types.inOrder(selected), unlisted, unreadable, incomplete };
  yield types.take(selected);
  if (incomplete !== undefined && endsTheRun(incomplete)) throw incomplete;
}

/** The finding types of one environment: lists them at most once, and gives one source for each. */
class TypeSources {
  readonly context: PollContext;
  readonly environment: Environment;
  /** Whether the run begins with this finding type, or one before it. The one that it was to begin with may be gone. */
  readonly isFirst: (findingType: string) => boolean;
  readonly #time: PollTime;
  readonly #decision: Decision;
  readonly #taken = new Set<string>();
  #listing: ReturnType<PollContext["service"]["findings"]["types"]> | null = null;
  /** Null until the whole list has arrived. */
  #listed: ReadonlySet<string> | null = null;

  constructor(context: PollContext, environment: Environment, time: PollTime, decision: Decision) {
    const { begin } = context.state;
    this.context = context;
    this.environment = environment;
    const first = begin?.environmentId === environment.id ? begin.findingType : undefined;
    this.isFirst = (findingType) => first !== undefined && findingType >= first;
    this.#time = time;
    this.#decision = decision;
  }

  list(): ReturnType<PollContext["service"]["findings"]["types"]> {
    return (this.#listing ??= this.#load());
  }

  async #load(): ReturnType<PollContext["service"]["findings"]["types"]> {
    const list = await this.context.service.findings.types(this.environment.id);
    if (list.incomplete === undefined) this.#listed = new Set(list.types);
    return list;
  }

  inOrder(types: readonly string[]): string[] {
    return startingAt(types, this.isFirst);
  }

  /** Sources for those that have none yet. */
  take(types: readonly string[]): PollSource[] {
    const added = this.inOrder(types).filter((type) => !this.#taken.has(type));
    for (const type of added) this.#taken.add(type);
    return added.map((findingType) => {
      const stream = { environment: this.environment, findingType };
      const isMissing = (): boolean => this.#listed?.has(findingType) === false;
      const isListed = (): Promise<boolean> =>
        this.list().then(
          () => !isMissing(),
          () => true,
        );
      const read = (): ReturnType<PollSource["read"]> =>
        pollStream(this.context, stream, this.#time, this.#decision, { isListed, isMissing });
      return { subject: { kind: "stream", stream }, read };
    });
  }
}
