import { HASH_LENGTH } from "./finding-key.ts";
import type { ReadStream } from "./judge.ts";
import type { Missing, StreamMemory } from "./state/state.ts";
import type { Stream, Tracked } from "./streams.ts";
import { MASS_WINDOW_MS } from "./waits.ts";

const MOST_AT_ONCE = 10;
const LARGEST_SHARE = 0.3;

/**
 * Whether so many findings of an environment vanished at once that its collectors are the likelier cause. It holds until they
 * return, however long that takes: what vanished together stays together.
 *
 * @param vanished - findings that are absent, those of alerts that the job has closed included
 * @param known - how many findings the alerts have, the vanished ones included
 */
export function brakeHolds(vanished: Iterable<Missing>, known: number): boolean {
  const most = Math.max(MOST_AT_ONCE, LARGEST_SHARE * known);
  const times = Float64Array.from([...vanished].map(({ at }) => at)).sort();
  let from = 0;
  for (let until = 0; until < times.length; until++) {
    while ((times[until] ?? 0) - (times[from] ?? 0) > MASS_WINDOW_MS) from++;
    if (until - from + 1 > most) return true;
  }
  return false;
}

/** What a run found out about the streams of an environment. */
export interface StreamsRead {
  readonly streams: readonly Stream[];
  readonly read: readonly ReadStream[];
  /** Streams of types that the service does not know any more. */
  readonly absent: ReadonlySet<Stream>;
  /** Streams that could not be read. */
  readonly failed: ReadonlySet<Stream>;
  /** What is known about a stream from earlier runs. */
  readonly known: (stream: Stream) => StreamMemory | undefined;
  readonly now: number;
}

/** Whether the brake holds for an environment, and whether it does without what may have vanished where a read failed. */
export function brakeOf({ streams, read, absent, failed, known, now }: StreamsRead): {
  holds: boolean;
  isCertain: boolean;
} {
  let vanished: Missing[] = read.flatMap(({ missing }) => [...missing.values()]);
  let unread: Missing[] = [];
  const isRead = new Set(read.map(({ stream }) => stream));
  for (const stream of streams) {
    if (isRead.has(stream)) continue;
    const memory = known(stream);
    const open = openOf(stream).length;
    if (absent.has(stream)) vanished = vanished.concat(repeated(open, asMissing(memory?.absentSince ?? now)));
    else if (failed.has(stream)) unread = unread.concat(repeated(open, asMissing(now)));
    else {
      for (const { findings: hashes, ...missing } of memory?.missing ?? []) {
        vanished = vanished.concat(repeated(hashes.length / HASH_LENGTH, missing));
      }
    }
  }
  const open = streams.reduce((sum, stream) => sum + openOf(stream).length, 0);
  const closed = read.flatMap(({ stream, missing }) =>
    [...stream.findings].filter(([key, { isOpen }]) => !isOpen && missing.get(key) !== null),
  );
  const all = open + closed.length;
  return { holds: brakeHolds([...vanished, ...unread], all), isCertain: brakeHolds(vanished, all) };
}

function openOf({ findings }: Stream): Tracked[] {
  return [...findings.values()].filter(({ isOpen }) => isOpen);
}

function repeated(count: number, missing: Missing): Missing[] {
  return Array.from({ length: count }, () => missing);
}

function asMissing(at: number): Missing {
  return { first: at, from: at, at, censuses: 0 };
}
