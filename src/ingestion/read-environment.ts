import { createHash } from "node:crypto";
import { endsTheRun, isNotOffered, NotFoundError, ProtocolError, ServiceError } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { findingIdentity } from "../service/resources/finding-identity.ts";
import { DAY_HOURS, hourOf, hourText, type PollTime, timeOf } from "./time.ts";
import { withinPatience } from "../clock.ts";
import { arrivalOf, nowSeconds, type PollContext, type PollItem, type PollSource } from "./poll-items.ts";
import { readStream } from "./read-stream.ts";
import { selectTypes, startingAt, type Stream, streamName } from "./scope.ts";
import {
  asksForTrend,
  canProbe,
  decide,
  type Decision,
  EMPTY_TREND,
  type Evidence,
  isUnchanged,
  type Probe,
} from "./skip.ts";
import type { StreamMemory } from "./state/state.ts";
import { cursorOf, WINDOW_HOURS, windowStart } from "./state/stream-memory.ts";

/** The hour from which on a finding counts as dated, see `timeOf`. */
const FIRST_HOUR = 0;
/** A sparkline ends now by default, and a service whose clock was set back would leave out its last analysis. */
const HOURS_AHEAD = 365 * DAY_HOURS;

/** What the tenant reports about its last analysis. */
export interface AnalysisEvidence {
  /** When it completed; null when that is not known. */
  readonly analysis: string | null;
  /** Whether another one is running. */
  readonly isRunning: boolean;
  /** Whether the tenant offers this; null when it was not asked. */
  readonly offered: boolean | "no_answer" | null;
}

/**
 * Decides what to do with an environment, lists its finding types, and gives a source for each selected one. When the
 * list does not arrive in time or cannot be loaded, the finding types of the last run are read anyway.
 */
export async function* readEnvironment(
  context: PollContext,
  environment: Environment,
  time: PollTime,
  analysis: AnalysisEvidence,
): AsyncGenerator<PollItem | PollSource[], void, undefined> {
  const { service, state } = context;
  const known = selectTypes(state.knownTypes(environment.id), context.selectedFindingTypes);
  const evidence = await evidenceOf(context, environment, { ...analysis, time }, known);
  const decision = decide(state.environment(environment.id), evidence, nowSeconds(context));
  if (decision === "skip") {
    yield { kind: "environment", environment, decision, evidence, types: null };
    return;
  }

  const listing = service.findings.types(environment.id);
  const isListed = (findingType: string): Promise<boolean> =>
    listing.then(
      ({ types }) => types.includes(findingType),
      () => true,
    );
  const sourceOf = (findingType: string): PollSource => {
    const stream = { environment, findingType };
    const poll = (): AsyncGenerator<PollItem> => pollStream(context, stream, time, decision);
    return { subject: { kind: "stream", stream }, read: () => unlessGone(context, stream, poll(), isListed) };
  };
  const begin = state.next?.environmentId === environment.id ? state.next.findingType : undefined;
  const inOrder = (types: readonly string[]): string[] => startingAt(types, (type) => type === begin);
  const first = await arrivalOf(listing, context);
  const begun = new Set<string>();
  if (first !== "listed" && known.length > 0 && !(first !== "late" && endsTheRun(first.error))) {
    for (const type of known) begun.add(type);
    yield inOrder(known).map(sourceOf);
  }
  const { types: offered, unreadable } = await listing;
  // An empty list may be a fault of the service, so the known types are read once more before they count as gone.
  const selected = inOrder(offered.length === 0 ? known : selectTypes(offered, context.selectedFindingTypes));
  yield { kind: "environment", environment, decision, evidence, types: { offered, selected, unreadable } };
  yield selected.filter((type) => !begun.has(type)).map(sourceOf);
}

/** The best available evidence; none where it could not lead to a skip. */
async function evidenceOf(
  context: PollContext,
  environment: Environment,
  { analysis, isRunning, offered, time }: AnalysisEvidence & { readonly time: PollTime },
  types: readonly string[],
): Promise<Evidence> {
  if (isRunning) return { isRunning };
  if (analysis !== null) return { analysis, ...age([analysis], time) };
  // Without an answer, the tenant may be running an analysis, and its sparkline still shows the one before.
  if (offered === "no_answer" || !asksForTrend(context.state.environment(environment.id), nowSeconds(context)))
    return {};
  return trendEvidence(context, environment, types, time);
}

/** One stream: probed if that may be enough, else read, each batch with the description of its finding type. */
async function* pollStream(
  context: PollContext,
  stream: Stream,
  time: PollTime,
  decision: Decision,
): AsyncGenerator<PollItem, void, undefined> {
  const { service, state, descriptions, batchSize } = context;
  const memory = state.stream(stream) ?? {};
  const probe = decision === "probe" && canProbe(memory) ? await probeOf(context, stream, windowStart(memory)) : null;
  if (probe !== null && isUnchanged(memory, probe)) {
    yield { kind: "unchanged", stream };
    return;
  }
  if (needsTextsSoon(context, stream, memory)) void descriptions.load(stream.findingType).catch(() => undefined);
  const lookForAll = decision === "read_all" || memory.returned === true;
  const wholeHistory = lookForAll && (await mayHoldUndated(context, stream, memory));
  const options = { time, wholeHistory, batchSize, room: () => state.roomFor(stream) };
  for await (const batch of readStream(service.findings, stream, memory, options)) {
    if (batch.listed === 0) refuseContradiction(stream, probe);
    if (batch.findings.length === 0) yield { ...batch, kind: "no_news" };
    else yield { ...batch, kind: "news", description: await descriptions.of(stream.findingType) };
  }
}

/**
 * Whether to load the texts while the first page is on its way, so that findings need not wait for them. A stream that
 * stays empty would load them in each run.
 */
function needsTextsSoon({ state }: PollContext, { environment }: Stream, memory: StreamMemory): boolean {
  return cursorOf(memory) === null && state.environment(environment.id)?.readAt === undefined;
}

/** A finding type that is no longer listed is gone where the service does not know it from the beginning. */
async function* unlessGone(
  { state, clock }: PollContext,
  stream: Stream,
  items: AsyncGenerator<PollItem>,
  isListed: (findingType: string) => Promise<boolean>,
): AsyncGenerator<PollItem, void, undefined> {
  let isKnown = false;
  try {
    for await (const item of items) {
      isKnown = true;
      yield item;
    }
  } catch (error) {
    if (isKnown || !(error instanceof NotFoundError) || (await isListed(stream.findingType))) throw error;
    const memory = { ...state.stream(stream), goneSince: hourOf(clock.now()) };
    const nothing = { findings: [], invalidValues: [], complete: true, listed: 0, memoryCut: null };
    yield { kind: "no_news", stream, memory, ...nothing };
  }
}

/** @throws ProtocolError when the service counted findings and then listed none */
function refuseContradiction(stream: Stream, probe: Probe | null): void {
  const counted = probe?.count ?? 0;
  if (counted === 0) return;
  const message = `The service counted ${counted} findings of ${streamName(stream)} and then listed none.`;
  throw new ProtocolError(message, { whoActs: "service" });
}

/**
 * Whether the service counts more findings than it counts findings with a time: no window contains those. When it does
 * not count, everything is read.
 */
async function mayHoldUndated(context: PollContext, stream: Stream, memory: StreamMemory): Promise<boolean> {
  if (windowStart(memory) === null && (memory.unfinished?.skip ?? 0) === 0) return false;
  const countFrom = async (hour: number | null): Promise<number | null> =>
    (await probeOf(context, stream, hour))?.count ?? null;
  const dated = await countFrom(FIRST_HOUR);
  const all = await countFrom(null);
  if (dated === null || all !== dated) return true;
  // A dated finding that came or went between the two could hide an undated one.
  return (await countFrom(FIRST_HOUR)) !== dated;
}

/** Null when the probe fails: then the stream is read. */
async function probeOf(context: PollContext, stream: Stream, from: number | null): Promise<Probe | null> {
  const { service, clock, patienceMs } = context;
  const query = {
    environmentId: stream.environment.id,
    findingType: stream.findingType,
    ...(from === null ? {} : { createdFrom: hourText(from) }),
  };
  const answer = await orElse(withinPatience(service.findings.newest(query), patienceMs, clock), () => null);
  if (answer === null || answer === "late") return null;
  return { count: answer.total, newestId: answer.newest === null ? null : findingIdentity(answer.newest) };
}

/**
 * The fingerprint of the environment's sparkline since shortly before its newest finding. A service that does not tell its
 * time may have dated an analysis before that.
 */
async function trendEvidence(
  { service, state, clock, patienceMs }: PollContext,
  environment: Environment,
  types: readonly string[],
  time: PollTime,
): Promise<Evidence> {
  const [findingType] = types;
  if (findingType === undefined || service.time() === null) return {};
  const cursors = types.map((type) => cursorOf(state.stream({ environment, findingType: type }) ?? {}) ?? 0);
  const from = hourText(Math.max(0, cursors.reduce((a, b) => Math.max(a, b), 0) - WINDOW_HOURS));
  const to = hourText(hourOf(time.service) + HOURS_AHEAD);
  const asked = service.findings.sparkline({ environmentId: environment.id, findingType, from, to });
  const points = await orElse(withinPatience(asked, patienceMs, clock), (error) =>
    isNotOffered(error) ? null : "failed",
  );
  // With few requests a second, it waited for its turn.
  if (points === "failed" || (points === "late" && state.requestsPerSecond !== undefined)) return {};
  // One that is always late would hold up every run.
  if (points === null || points === "late") return { noTrend: true };
  if (points.length === 0) return { trend: EMPTY_TREND };
  const content = JSON.stringify([findingType, from, points]);
  const trend = createHash("sha256").update(content).digest("base64url").slice(0, 12);
  const instants = points.map(({ created_at }) => created_at);
  return { trend, ...age(instants, time) };
}

/** Whether all of these instants lie before the last run. */
function age(instants: readonly (string | undefined)[], { lastRun }: PollTime): Pick<Evidence, "isOld"> {
  const isOld = lastRun !== null && instants.every((instant) => (timeOf(instant) ?? Infinity) < lastRun);
  return isOld ? { isOld } : {};
}

/** Requests that only save work may fail, unless the failure ends the run. */
async function orElse<T, U>(answer: Promise<T>, instead: (error: ServiceError) => U): Promise<T | U> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
    return instead(error);
  }
}
