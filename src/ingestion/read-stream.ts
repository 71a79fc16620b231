import { endsTheRun, ProtocolError, ServiceError, type ServiceErrorCode } from "../service/errors/errors.ts";
import type { AttackPathService, FindingsQuery, InvalidValue } from "../service/attack-path-service.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import type { Stream } from "./scope.ts";
import type { StreamMemory } from "./state/state.ts";
import type { NewFinding } from "./new-finding.ts";
import { Pass, type PassOptions } from "./pass.ts";
import type { LeftOut } from "./selection.ts";
import { cursorOf } from "./state/stream-memory.ts";
import {
  atStart,
  begun,
  finished,
  type MemoryPoint,
  afterWindowOnly,
  type ReadMemory,
  type Room,
  took,
  windowOnly,
} from "./state/transitions.ts";
import { hourText, type PollTime } from "./time.ts";

/** New findings of one stream, and the memory that becomes true once they are stored. */
export interface Batch extends MemoryPoint {
  readonly stream: Stream;
  readonly findings: readonly NewFinding[];
  /** Values that were left out of these findings because they are not of the documented type. */
  readonly invalidValues: readonly InvalidValue[];
  /** Whether the stream is read to its end. */
  readonly complete: boolean;
  /** How many findings of the window were listed so far, new or not. */
  readonly listed: number;
  /** Whether one of them is not deleted. */
  readonly hasFindings: boolean;
  /** What the criteria have left out so far. */
  readonly leftOut: LeftOut;
}

export interface ReadOptions extends Pick<PassOptions, "selection" | "firstRun"> {
  readonly time: PollTime;
  /** Whether to read the whole history, also findings without a usable time. */
  readonly all: boolean;
  /** What the stream's memory may take, at the moment. */
  readonly room: () => Room;
  /** How many findings a batch holds at most. */
  readonly batchSize: number;
}

/** Another page has arrived: the service responds, however long the next batch takes. */
export const READING = "reading";

/** How often a run reads a window again because known ids stand for other findings. */
const MOST_REPEATS = 2;
const IDS_KEEP_CHANGING =
  "The service keeps giving known ids to other findings while the list is read. Try again later. If it keeps happening, contact the support of the service.";

/**
 * Reads the window of one stream and yields what is new in it, batch by batch. The last batch is `complete` and may be
 * empty. A window that was begun in an earlier run is read to its end and then, as far as it may have changed, once more.
 * When the service fails, what was read before is yielded first. When it fails in a read of the whole history, the window is read
 * besides: new findings must not wait for a list that the service cannot give.
 *
 * @throws ServiceError when the window could not be read to its end
 */
export async function* readStream(
  service: AttackPathService["findings"],
  stream: Stream,
  memory: StreamMemory,
  options: ReadOptions,
): AsyncGenerator<Batch | typeof READING, void, undefined> {
  let next: StreamMemory | null = memory;
  let repeats = 0;
  while (next !== null) {
    const window: StreamMemory = next;
    let isRepeated = false;
    try {
      for await (const batch of readWindow(service, stream, window, { ...options, isRepeat: repeats > 0 })) {
        yield batch;
        if (batch === READING) continue;
        next = batch.complete ? null : batch.memory;
        isRepeated = batch.idsReused;
      }
    } catch (error) {
      if (next !== null && isListAtFault(error) && isWholeRead(next, options)) {
        yield* readWindowInstead(service, stream, next, options);
      }
      throw error;
    }
    // A service that gives ids to other findings again and again must not keep a run from its end.
    if (isRepeated && ++repeats > MOST_REPEATS) throw new ProtocolError(IDS_KEEP_CHANGING, { whoActs: "service" });
  }
}

const FAULTS_OF_A_LIST: ReadonlySet<ServiceErrorCode> = new Set(["protocol", "server", "timeout"]);

/** Whether a shorter list may succeed where this one failed. A gateway may also drop the connection instead of answering. */
function isListAtFault(error: unknown): boolean {
  if (!(error instanceof ServiceError) || endsTheRun(error)) return false;
  return FAULTS_OF_A_LIST.has(error.code) || (error.code === "network" && error.retryable);
}

/** Whether a read covers the whole history although the stream has a window. */
function isWholeRead(memory: StreamMemory, { all, time }: Pick<ReadOptions, "all" | "time">): boolean {
  return cursorOf(memory) !== null && begun(memory, { all, time }).unfinished.from === undefined;
}

/** Reads the window of a stream whose whole history could not be read. That is still to be read. */
async function* readWindowInstead(
  service: AttackPathService["findings"],
  stream: Stream,
  memory: StreamMemory,
  options: ReadOptions,
): AsyncGenerator<Batch | typeof READING, void, undefined> {
  try {
    const window = { ...options, all: false, isRepeat: false };
    for await (const batch of readWindow(service, stream, windowOnly(memory), window)) {
      yield batch === READING ? batch : { ...batch, complete: false, memory: afterWindowOnly(batch, memory) };
    }
  } catch (error) {
    // The caller throws the error of the whole read.
    if (!isListAtFault(error)) throw error;
  }
}

async function* readWindow(
  service: AttackPathService["findings"],
  stream: Stream,
  before: StreamMemory,
  { time, all, room, batchSize, ...options }: ReadOptions & Pick<PassOptions, "isRepeat">,
): AsyncGenerator<Batch | typeof READING, void, undefined> {
  let memory = begun(before, { all, time });
  const { skip } = memory.unfinished;
  const pass = new Pass(memory, { trusted: time.trusted, ...options });
  let findings: NewFinding[] = [];
  let invalidValues: InvalidValue[] = [];
  const batch = (point: MemoryPoint, complete: boolean): Batch => {
    const content = { findings, invalidValues };
    findings = [];
    invalidValues = [];
    const { hasFindings, leftOut } = pass;
    return { stream, ...content, ...point, complete, listed: pass.position, hasFindings, leftOut };
  };
  const taken = (): Batch => {
    const point = took(memory, pass.batch(), room());
    memory = point.memory;
    return batch(point, false);
  };
  try {
    for await (const page of service.pages(queryOf(stream, memory))) {
      if (pass.position !== skip) yield READING;
      if (page.skip === 0) {
        memory = atStart(memory, time);
        pass.begin();
      }
      pass.doubtPage(page);
      for (const [index, finding] of page.findings.entries()) {
        // Only now it is known that the batch is not the last one.
        if (findings.length === batchSize) {
          // Free the delivered findings.
          page.findings.fill(DONE, 0, index);
          yield taken();
        }
        const position = page.skip + index;
        const found = pass.take(finding, position);
        if (found === null) continue;
        findings.push(found);
        for (const value of page.invalidValues) if (value.position === position) invalidValues.push(value);
      }
      // A batch that waits for its turn keeps its own findings, and nothing else of the page.
      page.findings.length = 0;
    }
    pass.refuseUnreadable();
  } catch (error) {
    // A response that was broken off says nothing about the list.
    if (error instanceof ProtocolError && !error.retryable) {
      if (pass.position === skip) pass.giveUpPlace();
      else pass.doubt();
    }
    // Also without a new finding: otherwise a window that takes longer than a run would never be read to its end.
    if (findings.length > 0 || pass.position !== skip) yield taken();
    throw error;
  }
  const end = finished(memory, pass.end(), time, room());
  yield batch(end, end.memory.unfinished === undefined);
}

function queryOf(
  { environment, findingType }: Stream,
  { unfinished: { from, skip, after, order } }: ReadMemory,
): FindingsQuery {
  return {
    environmentId: environment.id,
    findingType,
    ...(from === undefined ? {} : { createdFrom: hourText(from) }),
    ...(skip === 0 ? {} : { resume: { skip, after, ...(order === undefined ? {} : { order }) } }),
  };
}

/** Replaces a finding that is no longer needed. */
const DONE: Finding = {};
