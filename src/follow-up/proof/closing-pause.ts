import type { ReadStream } from "./after-read.ts";
import { lossOf, sizesAfter } from "./list-sizes.ts";
import { MissingFindings } from "./missing.ts";
import type { ListSizes, Missing, StreamMemory } from "../state/state.ts";
import type { FollowedStream, Tracked } from "../streams.ts";
import { isWithdrawn, MASS_WINDOW_MS } from "./waits.ts";

const MOST_VANISHED = 10;
const LARGEST_SHARE = 0.3;

/** A span of time, in epoch milliseconds. */
interface Span {
  readonly from: number;
  readonly until: number;
}

/**
 * The times in which so many findings of an environment vanished at once, or may have, that its collectors are the likelier cause.
 *
 * @param vanished - findings that are absent without an explanation, those of alerts that the job has closed included
 * @param known - how many findings the alerts have, the vanished ones included
 * @returns whether a finding vanished in one of them; null when there is none
 */
export function massLoss(vanished: Iterable<Missing>, known: number): ((missing: Missing) => boolean) | null {
  const most = mostOf(known);
  const spans = [...vanished].map(spanOf);
  const begins = Float64Array.from(spans, ({ from }) => from).sort();
  const ends = Float64Array.from(spans, ({ until }) => until).sort();
  const losses: { from: number; until: number }[] = [];
  let begun = 0;
  for (const [ended, from] of ends.entries()) {
    const until = from + MASS_WINDOW_MS;
    while (begun < begins.length && (begins[begun] ?? 0) <= until) begun++;
    if (begun - ended <= most) continue;
    const last = losses.at(-1);
    if (last !== undefined && from <= last.until) last.until = until;
    else losses.push({ from, until });
  }
  if (losses.length === 0) return null;
  return (missing) => {
    const { from, until } = spanOf(missing);
    return losses.some((loss) => from <= loss.until && until >= loss.from);
  };
}

/** When a finding vanished at the earliest and at the latest. */
function spanOf({ noticedAt, vanishedAt: until = noticedAt, listedAt = until }: Missing): Span {
  return { from: Math.min(listedAt, until), until };
}

/** How many of some findings may vanish at once. */
function mostOf(known: number): number {
  return Math.max(MOST_VANISHED, LARGEST_SHARE * known);
}

/** What is known about a stream. */
export interface StreamFacts {
  readonly stream: FollowedStream;
  /** From earlier runs. */
  readonly known: StreamMemory | undefined;
  /** Null when this run did not read it. */
  readonly read: ReadStream | null;
  /** The service does not know its type any more, as this run found, or an earlier one after the same analysis. */
  readonly isAbsent: boolean;
  /** It could not be read. */
  readonly isFailed: boolean;
}

/** Nothing is held back, whatever vanished. */
export const NO_PAUSE = { holds: false, isCertain: false, keepsOpen: false, marks: () => false } as const;

export interface PauseTerms {
  /** How many findings the alerts had in earlier runs. */
  readonly before: ListSizes | undefined;
  readonly now: number;
}

/** A stream, and what its last complete read lacked. */
type Lacking = Pick<ReadStream, "stream" | "missing">;

export interface ClosingPause {
  /** Nothing is closed. */
  readonly holds: boolean;
  /** It holds even without counting the findings of streams that could not be read. */
  readonly isCertain: boolean;
  /** Whether an alert stays open because of it: also one whose finding vanished with many others, long after that. */
  readonly keepsOpen: boolean;
  /** Whether a missing finding is not gone until it returns. */
  readonly marks: (missing: Missing) => boolean;
  /** How many findings the alerts have and had. */
  readonly findings: ListSizes;
}

/**
 * Whether closing pauses in an environment. It counts the findings of the alerts, and those of the lists that are read for them: alerts may be
 * about few of the findings, as when the connector leaves out severities. It holds until most of what vanished together has
 * returned, or the lists have been shorter for 8 days. The rest stays marked, and is never gone until it returns, too, or the
 * admin allows mass closing. What a type has that is not known for a while marks nothing.
 */
export function closingPauseOf(streams: readonly StreamFacts[], { before, now }: PauseTerms): ClosingPause {
  const remembered: Lacking[] = [];
  const ofAbsentTypes: Missing[] = [];
  const unread: Missing[] = [];
  const read = streams.flatMap((each) => each.read ?? []);
  for (const { stream, known, read: own, isAbsent, isFailed } of streams) {
    if (own !== null) continue;
    const open = openOf(stream).length;
    if (isAbsent) {
      const since = known?.absentSince ?? now;
      // Withdrawn findings are explained, so they do not count as a mass loss.
      if (!isWithdrawn(since, now)) append(ofAbsentTypes, open, asMissing(since));
      continue;
    }
    const lacks = { stream, missing: new MissingFindings(known?.missing) };
    remembered.push(lacks);
    if (isFailed) append(unread, open - missingOf(lacks, true).length, asMissing(now));
  }
  const lacking = [...read, ...remembered];
  const unlisted = lacking.flatMap(({ missing }) => [...missing.values()].filter(isUnexplained));
  const vanished = [...unlisted, ...ofAbsentTypes];
  const open = streams.reduce((sum, { stream }) => sum + openOf(stream).length, 0);
  /** Of alerts that are closed. */
  const closed = lacking.flatMap((each) => missingOf(each, false).filter(isUnexplained)).length;
  const findings = sizesAfter(before, open + closed, now);
  const all = lossOf([findings], now).had;
  const isMass = massLoss(unlisted, all);
  const lists = lossOfLists(streams, now);
  const isCertain = lists.isMass || massLoss(vanished, all) !== null;
  return {
    holds: isCertain || lists.mayBeMass || massLoss([...vanished, ...unread], all) !== null,
    isCertain,
    keepsOpen: vanished.length > closed && (isCertain || lacking.some(hasOpenMass)),
    marks: (missing) => isMass?.(missing) === true || (lists.marks && missing.noticedAt >= lists.from),
    findings,
  };
}

/** Whether the lists became so much shorter that collectors are the likelier cause, or may have where they could not be read. */
function lossOfLists(streams: readonly StreamFacts[], now: number) {
  const lists = streams.flatMap((each) => listOf(each, now) ?? []);
  const lossIn = (some: typeof lists): ReturnType<typeof lossOf> =>
    lossOf(
      some.map(({ sizes }) => sizes),
      now,
    );
  const { had, lost } = lossIn(lists);
  const known = lossIn(lists.filter(({ isAbsent }) => !isAbsent));
  const unread = lists.reduce((sum, list) => sum + list.unread, 0);
  const most = mostOf(had);
  const from = firstOf(streams, now);
  return { isMass: lost > most, marks: known.lost > most, mayBeMass: lost + unread > most, from };
}

/** How many findings a list has and had, and how many it may have lost besides; null when that says nothing. */
function listOf({ known, read, isAbsent, isFailed }: StreamFacts, now: number) {
  if (read !== null) return { sizes: read.sizes, isAbsent: false, unread: 0 };
  const { sizes, absentSince = now } = known ?? {};
  if (sizes === undefined || (isAbsent && isWithdrawn(absentSince, now))) return null;
  if (isAbsent) return { sizes: sizesAfter(sizes, 0, absentSince), isAbsent, unread: 0 };
  return { sizes, isAbsent, unread: isFailed ? sizes.current : 0 };
}

/** From when on findings may have vanished together with those that the lists lost: after a pause, that may be long ago. */
function firstOf(streams: readonly StreamFacts[], now: number): number {
  const before = streams.flatMap(({ read }) => (read !== null && read.time.readAt > 0 ? [read.time.readAt] : []));
  return Math.min(now - MASS_WINDOW_MS, ...before);
}

/** Whether an open alert has something that vanished with many others. */
function hasOpenMass(lacking: Lacking): boolean {
  return missingOf(lacking, true).some(({ mass }) => mass === true);
}

/** The missing findings of alerts that are open, or of those that are not. */
function missingOf({ stream: { findings }, missing }: Lacking, ofOpen: boolean): Missing[] {
  return [...findings].flatMap(([key, { isOpen }]) => (isOpen === ofOpen ? (missing.get(key) ?? []) : []));
}

/** What the admin has allowed to be gone is no sign of a dead collector. */
function isUnexplained({ allowed }: Missing): boolean {
  return allowed !== true;
}

function openOf({ findings }: FollowedStream): Tracked[] {
  return [...findings.values()].filter(({ isOpen }) => isOpen);
}

/** @param count - nothing is appended for less than one */
function append(list: Missing[], count: number, missing: Missing): void {
  for (let left = count; left > 0; left--) list.push(missing);
}

function asMissing(at: number): Missing {
  return { firstAnalysis: at, absentSince: at, noticedAt: at, analyses: 0 };
}
