import { NotFoundError, ProtocolError } from "../service/errors/errors.ts";
import { findingIdentity } from "../service/resources/finding-identity.ts";
import type { PollContext, PollItem } from "./poll-items.ts";
import { readStream } from "./read-stream.ts";
import { type Stream, streamName } from "./scope.ts";
import { canProbe, type Decision, isUnchanged, type Probe } from "./skip.ts";
import { windowStart } from "./state/stream-memory.ts";
import { hourOf, hourText, type PollTime } from "./time.ts";

/**
 * One stream: probed if that may be enough, else read. Texts are requested once there are findings that need them.
 *
 * @param isListed - whether the environment's list names its finding type
 */
export async function* pollStream(
  context: PollContext,
  stream: Stream,
  time: PollTime,
  decision: Decision,
  isListed: () => Promise<boolean>,
): AsyncGenerator<PollItem, void, undefined> {
  let isKnown = false;
  try {
    for await (const item of readOrProbe(context, stream, time, decision)) {
      isKnown = true;
      yield item;
    }
  } catch (error) {
    // A 404 of the service on the first request for an unlisted type means that it was removed. A gateway's does not.
    if (isKnown || !(error instanceof NotFoundError && error.wrapped) || (await isListed())) throw error;
    const memory = { ...context.state.stream(stream), goneSince: hourOf(context.clock.now()) };
    const nothing = { findings: [], invalidValues: [], complete: true, listed: 0, memoryCut: null, idsReused: false };
    yield { kind: "no_news", stream, memory, ...nothing };
  }
}

async function* readOrProbe(
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
  const wholeHistory = decision === "read_all" || memory.returned === true;
  const options = {
    time,
    wholeHistory,
    batchSize,
    room: () => state.roomFor(stream),
    checkRoom: () => state.checkRoomFor(stream),
  };
  for await (const batch of readStream(service.findings, stream, memory, options)) {
    if (batch.listed === 0) refuseContradiction(stream, probe);
    if (batch.findings.length === 0) yield { ...batch, kind: "no_news" };
    else yield { ...batch, kind: "news", description: await descriptions.of(stream.findingType) };
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
