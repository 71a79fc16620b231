import { ProtocolError } from "../service/errors/errors.ts";
import type { AttackPathService, InvalidValue } from "../service/attack-path-service.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import type { Stream } from "./scope.ts";
import type { StreamMemory } from "./state/state.ts";
import type { NewFinding } from "./new-finding.ts";
import { type MemoryPoint, type WindowOptions, WindowRead } from "./window-read.ts";

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
}

export interface ReadOptions extends WindowOptions {
  /** How many findings a batch holds at most. */
  readonly batchSize: number;
}

/** How often a run reads a window again because known ids stand for other findings. */
const MOST_REPEATS = 2;
const IDS_KEEP_CHANGING =
  "The service gives known ids to other findings again and again, while they are read. Try again later. If it keeps happening, contact the support of the service.";

/**
 * Reads the window of one stream and yields what is new in it, batch by batch. The last batch is `complete` and may be
 * empty. A window that was begun in an earlier run is read to its end and then, as far as it may have changed, once more.
 * When the service fails, what was read before is yielded first.
 *
 * @throws ServiceError when the window could not be read to its end
 */
export async function* readStream(
  service: AttackPathService["findings"],
  stream: Stream,
  memory: StreamMemory,
  options: ReadOptions,
): AsyncGenerator<Batch, void, undefined> {
  let next: StreamMemory | null = memory;
  let { wholeHistory } = options;
  let repeats = 0;
  while (next !== null) {
    const window: StreamMemory = next;
    let isRepeated = false;
    for await (const batch of readWindow(service, stream, window, {
      ...options,
      wholeHistory,
      isRepeat: repeats > 0,
    })) {
      next = batch.complete ? null : batch.memory;
      isRepeated = batch.idsReused;
      yield batch;
    }
    if (!isRepeated) wholeHistory = false;
    // A service that gives ids to other findings again and again must not keep a run from its end.
    else if (++repeats > MOST_REPEATS) throw new ProtocolError(IDS_KEEP_CHANGING, { whoActs: "service" });
  }
}

async function* readWindow(
  service: AttackPathService["findings"],
  stream: Stream,
  memory: StreamMemory,
  { batchSize, ...options }: ReadOptions,
): AsyncGenerator<Batch, void, undefined> {
  const read = new WindowRead(memory, options);
  const begunAt = read.position;
  const query = { environmentId: stream.environment.id, findingType: stream.findingType, ...read.query };
  let findings: NewFinding[] = [];
  let invalidValues: InvalidValue[] = [];
  const batch = (end: MemoryPoint, complete: boolean): Batch => {
    const content = { findings, invalidValues };
    findings = [];
    invalidValues = [];
    return { stream, ...content, ...end, complete, listed: read.position, hasFindings: read.hasFindings };
  };
  try {
    for await (const page of service.pages(query)) {
      if (page.skip === 0) read.begin();
      if (!page.inOrder) read.doubtOrder();
      for (const [index, finding] of page.findings.entries()) {
        // Only now it is known that the batch is not the last one.
        if (findings.length === batchSize) {
          // Free the delivered findings.
          page.findings.fill(DONE, 0, index);
          yield batch(read.unfinished(), false);
        }
        const position = page.skip + index;
        const found = read.take(finding, position);
        if (found === null) continue;
        findings.push(found);
        for (const value of page.invalidValues) if (value.position === position) invalidValues.push(value);
      }
      // A batch that waits for its turn keeps its own findings, and nothing else of the page.
      page.findings.length = 0;
    }
    read.refuseUnreadable();
  } catch (error) {
    if (error instanceof ProtocolError) {
      if (read.position === begunAt) read.giveUpPlace();
      else read.doubt();
    }
    // Also without a new finding: otherwise a window that takes longer than a run would never be read to its end.
    if (findings.length > 0 || read.position !== begunAt) yield batch(read.unfinished(), false);
    throw error;
  }
  const end = read.finished();
  yield batch(end, end.memory.unfinished === undefined);
}

/** Replaces a finding that is no longer needed. */
const DONE: Finding = {};
