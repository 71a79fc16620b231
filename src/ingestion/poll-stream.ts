import { BadRequestError, NotFoundError, ProtocolError } from "../service/errors/errors.ts";
import { findingIdentity } from "../service/resources/finding-identity.ts";
import type { NewsItem, NoNewsItem, PollContext, PollItem, ReadingItem, UnchangedItem } from "./poll-items.ts";
import { READING, readStream } from "./read-stream.ts";
import { type Stream, streamName } from "./scope.ts";
import { type Decision, isUnchanged, reasonToReadStream, type Probe, type StreamReason } from "./skip-decision.ts";
import { windowStart } from "./state/stream-memory.ts";
import { gone } from "./state/transitions.ts";
import { hourOf, hourText, type PollTime } from "./time.ts";

/** What the environment's list says of a finding type. */
export interface TypeListing {
  /** Whether the list names it. Waits for the list; true when that cannot be loaded to its end. */
  isListed(): Promise<boolean>;
  /** Whether the list has arrived and does not name it. */
  isMissing(): boolean;
}

/**
 * One stream: probed if that may be enough, else read. Texts are requested once there are findings that need them. A finding
 * type that is not listed counts as gone once the service denies it, too, or has no findings of it.
 */
export async function* pollStream(
  context: PollContext,
  stream: Stream,
  time: PollTime,
  decision: Decision,
  listing: TypeListing,
): AsyncGenerator<PollItem, void, undefined> {
  let hasFindings = false;
  try {
    for await (const item of readOrProbe(context, stream, time, decision)) {
      if ("hasFindings" in item) hasFindings ||= item.hasFindings;
      yield item;
    }
    if (hasFindings || !listing.isMissing() || (await hasAnyFinding(context, stream))) return;
  } catch (error) {
    // Not in the middle of a list: a type that the service does not know any more has no first page. What a gateway says does not count.
    const isDenied = (error instanceof NotFoundError || error instanceof BadRequestError) && error.wrapped;
    if (hasFindings || !isDenied || (await listing.isListed())) throw error;
  }
  yield { kind: "gone", stream, memory: gone(context.state.stream(stream) ?? {}, hourOf(context.clock.now())) };
}

/** Whether the service has a finding of this stream, whatever its date: an empty window may have older ones before it. */
async function hasAnyFinding({ service }: PollContext, { environment, findingType }: Stream): Promise<boolean> {
  for await (const { findings } of service.findings.pages({ environmentId: environment.id, findingType }))
    if (findings.some(({ deleted_at }) => deleted_at == null)) return true;
  return false;
}

async function* readOrProbe(
  context: PollContext,
  stream: Stream,
  time: PollTime,
  decision: Decision,
): AsyncGenerator<ReadingItem | UnchangedItem | NewsItem | NoNewsItem, void, undefined> {
  const { service, state, descriptions, awaitingDescription, batchSize } = context;
  const memory = state.stream(stream) ?? {};
  let reason: StreamReason = reasonToReadStream(state.stream(stream)) ?? "environment";
  const canProbe = decision === "probe" && reason === "environment";
  const probe = canProbe ? await probeOf(context, stream, windowStart(memory)) : null;
  if (probe !== null && isUnchanged(memory, probe)) {
    yield { kind: "unchanged", stream, hasFindings: probe.count !== 0 };
    return;
  }
  if (canProbe) reason = probe === null ? "probe_failed" : "changed";
  const { selection } = context;
  const all = decision === "read_all";
  const options = { time, all, batchSize, selection, firstRun: state.firstRun, room: () => state.roomFor(stream) };
  for await (const batch of readStream(service.findings, stream, memory, options)) {
    if (batch === READING) {
      yield { kind: "reading" };
      continue;
    }
    if (batch.listed === 0) refuseContradiction(stream, probe);
    if (batch.findings.length === 0) yield { ...batch, kind: "no_news", reason };
    else {
      awaitingDescription.add(stream);
      const description = await descriptions.of(stream.findingType);
      awaitingDescription.delete(stream);
      yield { ...batch, kind: "news", reason, description };
    }
  }
}

/** @throws ProtocolError when the service counted findings and then listed none */
function refuseContradiction(stream: Stream, probe: Probe | null): void {
  const counted = probe?.count ?? 0;
  if (counted === 0) return;
  const message = `The service counted ${counted} findings of ${streamName(stream)} and then listed none.`;
  throw new ProtocolError(message, { whoActs: "service" });
}

/** Null when the probe fails: then the stream is read. */
async function probeOf(
  { service, routes }: PollContext,
  { environment, findingType }: Stream,
  from: number | null,
): Promise<Probe | null> {
  const query = {
    environmentId: environment.id,
    findingType,
    ...(from === null ? {} : { createdFrom: hourText(from) }),
  };
  const newest = await routes.ask("newest", environment.id, (options) => service.findings.newest(query, options));
  if (newest.kind !== "answer") return null;
  const { total, newest: finding } = newest.value;
  return { count: total, newestId: finding === null ? null : findingIdentity(finding) };
}
