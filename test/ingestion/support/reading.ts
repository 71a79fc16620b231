import { READING, readStream, type Batch, type ReadOptions } from "../../../src/ingestion/read-stream.ts";
import { Selection } from "../../../src/ingestion/selection.ts";
import type { Room } from "../../../src/ingestion/state/transitions.ts";
import type { StreamMemory } from "../../../src/ingestion/state/state.ts";
import { findingIdentity } from "../../../src/service/resources/finding-identity.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { instant, streamOf, timeAt } from "../../support/streams.ts";
import { findingsService, type ListedFindings } from "./listed-findings.ts";

const STREAM = streamOf();

/** Characters for ids and, besides, for checks: as much as a large tenant has. */
export const roomOf = (ids: number, checks = 0): Room => ({ ids, checks });

function optionsOf(changed: Partial<ReadOptions> = {}): ReadOptions {
  return {
    time: timeAt(),
    all: false,
    selection: new Selection({}),
    firstRun: 0,
    batchSize: 500,
    room: () => roomOf(Infinity),
    ...changed,
  };
}

export const reading = (
  list: ListedFindings,
  memory: StreamMemory,
  changed: Partial<ReadOptions> = {},
): ReturnType<typeof readStream> => readStream(findingsService(list), STREAM, memory, optionsOf(changed));

/** Its batches alone. */
export async function* read(...options: Parameters<typeof reading>): AsyncGenerator<Batch> {
  for await (const batch of reading(...options)) if (batch !== READING) yield batch;
}

/** What a read gives until it ends; `error` is what it ended with. */
export async function collect(
  batches: AsyncGenerator<Batch>,
): Promise<{ batches: Batch[]; ids: string[]; memory: StreamMemory; error: unknown }> {
  const all: Batch[] = [];
  let error: unknown = null;
  try {
    for await (const batch of batches) all.push(batch);
  } catch (thrown) {
    error = thrown;
  }
  const ids = all.flatMap(({ findings }) => findings.map(({ id }) => id));
  return { batches: all, ids, memory: all.at(-1)?.memory ?? {}, error };
}

/** Findings `first`, `first + 1`, … that were created at the same moment, so many hours after `NOW`. */
export function made(first: number, count: number, hours = -1): Finding[] {
  return Array.from({ length: count }, (_, i) => ({ id: first + i, created_at: instant(hours) }));
}

export const idsOf = (findings: readonly Finding[]): string[] => findings.map(findingIdentity);
