import { HASH_LENGTH } from "./finding-key.ts";
import type { ReadStream } from "./judge.ts";
import type { Missing, StreamMemory } from "./state/state.ts";
import type { Stream, Tracked } from "./streams.ts";
import { MASS_WINDOW_MS, WITHDRAWN_AFTER_MS } from "./waits.ts";

const MOST_AT_ONCE = 10;
const LARGEST_SHARE = 0.3;

/**
 * When so many findings of an environment vanished at once that its collectors are the likelier cause: as a test of a time, or null when
 * that never happened.
 *
 * @param vanished - findings that are absent, those of alerts that the job has closed included
 * @param known - how many findings the alerts have, the vanished ones included
 */
export function massLoss(vanished: Iterable<Missing>, known: number): ((at: number) => boolean) | null {
  const most = Math.max(MOST_AT_ONCE, LARGEST_SHARE * known);
  const times = Float64Array.from([...vanished].map(({ at }) => at)).sort();
  const windows: (readonly [from: number, until: number])[] = [];
  let from = 0;
  for (const [until, time] of times.entries()) {
    while (time - (times[from] ?? 0) > MASS_WINDOW_MS) from++;
    if (until - from + 1 > most) windows.push([times[from] ?? 0, time]);
  }
  return windows.length === 0 ? null : (at) => windows.some(([first, last]) => at >= first && at <= last);
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

export interface Brake {
  /** Nothing is closed. */
  readonly holds: boolean;
  /** It holds without what may have vanished where a read failed, too. */
  readonly isCertain: boolean;
  /** Something is left that vanished with many others, so it is not closed even where the brake does not hold any more. */
  readonly hasLeft: boolean;
  /** Whether what vanished at a time is not gone until it returns. */
  readonly isMass: (at: number) => boolean;
}

export const NO_BRAKE: Brake = { holds: false, isCertain: false, hasLeft: false, isMass: () => false };

/**
 * The brake of an environment. It holds until most of what vanished together has returned; the rest stays marked, and is never
 * gone until it returns, too, or the admin allows mass closing.
 */
export function brakeOf({ streams, read, absent, failed, known, now }: StreamsRead): Brake {
  let vanished: Missing[] = read.flatMap(({ missing }) => [...missing.values()]);
  let unread: Missing[] = [];
  const isRead = new Set(read.map(({ stream }) => stream));
  for (const stream of streams) {
    if (isRead.has(stream)) continue;
    const memory = known(stream);
    const open = openOf(stream).length;
    if (absent.has(stream)) {
      const since = memory?.absentSince ?? now;
      // What is withdrawn has its reason, which is not a collector.
      if (now - since < WITHDRAWN_AFTER_MS) vanished = vanished.concat(repeated(open, asMissing(since)));
      continue;
    }
    const stored = (memory?.missing ?? []).flatMap(({ findings: hashes, ...missing }) =>
      repeated(hashes.length / HASH_LENGTH, missing),
    );
    vanished = vanished.concat(stored);
    if (failed.has(stream)) unread = unread.concat(repeated(Math.max(0, open - stored.length), asMissing(now)));
  }
  const open = streams.reduce((sum, stream) => sum + openOf(stream).length, 0);
  const closed = read.flatMap(({ stream, missing }) =>
    [...stream.findings].filter(([key, { isOpen }]) => !isOpen && missing.get(key) !== null),
  );
  const all = open + closed.length;
  const isMass = massLoss(vanished, all);
  return {
    holds: isMass !== null || massLoss([...vanished, ...unread], all) !== null,
    isCertain: isMass !== null,
    hasLeft: vanished.some(({ mass }) => mass === true),
    isMass: isMass ?? NO_BRAKE.isMass,
  };
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
