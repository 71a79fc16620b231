import type { CompleteList } from "./complete-list.ts";
import { type FindingKey, HASH_LENGTH, hashOf } from "../finding-key.ts";
import { mayBeHidden } from "./guards.ts";
import { sizesAfter } from "./list-sizes.ts";
import { absenceHistory, type ReadTime, MissingFindings } from "./missing.ts";
import type { ListSizes, Missing, StreamMemory, VisibleIds } from "../state/state.ts";
import { type FollowedStream, keysOf } from "../streams.ts";

/** So many alerts of a stream are remembered at least, while the token sees less than before. */
const FEWEST_ALERTS = 50;

/** A stream after a complete read. */
export interface ReadStream {
  readonly stream: FollowedStream;
  readonly list: CompleteList;
  readonly time: ReadTime;
  /** Its findings that the read did not have. */
  readonly missing: MissingFindings;
  /** See `StreamMemory`. */
  readonly marked: MissingFindings;
  /** Hashes of its findings whose risk was accepted when they were listed last, and that are not missing. */
  readonly accepted: Set<string>;
  readonly sizes: ListSizes;
  /** See `StreamMemory`. */
  readonly alerts?: string;
  /** When the token began to see less than it had seen before, by the job's time; 0 when it sees everything. */
  readonly lostAt: number;
}

/** What is known before a complete read, and what was seen just before it. */
export interface BeforeRead {
  /** The environments and the zones that the token sees. */
  readonly visible: readonly [environments: VisibleIds | undefined, zones: VisibleIds | undefined];
  readonly time: ReadTime;
  readonly memory: StreamMemory | undefined;
  /** The admin allows to close what vanished with many others. */
  readonly allowsMass: boolean;
}

/** What a complete read makes of the history of a stream's findings. */
export function afterRead(stream: FollowedStream, list: CompleteList, before: BeforeRead): ReadStream {
  const { visible, time, memory, allowsMass } = before;
  const known = new MissingFindings([...(memory?.missing ?? []), ...(memory?.marked ?? [])]);
  for (const hash of hashesIn(memory?.accepted)) known.markAccepted(hash, time);
  return {
    stream,
    list,
    time,
    missing: missingAfter(stream, list, { ...before, known }),
    marked: known.markedBeside(stream.findings.keys(), time),
    accepted: acceptedIn(list),
    // The admin has accepted the loss, so the former sizes do not count any more.
    sizes: sizesAfter(allowsMass ? undefined : memory?.sizes, list.size, time.now),
    ...(seesLess(visible) && { alerts: hashesOf(stream, memory?.alerts) }),
    lostAt: Math.max(0, ...visible.map((ids) => ids?.lostAt ?? 0)),
  };
}

/** Whether the token has ceased to see environments or zones. */
function seesLess(visible: BeforeRead["visible"]): boolean {
  return visible.some((ids) => ids?.lostAt !== undefined);
}

/** The histories of the findings that the read did not have. */
function missingAfter(
  stream: FollowedStream,
  list: CompleteList,
  before: BeforeRead & { readonly known: MissingFindings },
): MissingFindings {
  const { visible, time, memory, allowsMass, known } = before;
  const missing = new MissingFindings();
  const mayHide = seesLess(visible);
  const isNew = mayHide ? newFindings(stream, memory?.alerts) : () => false;
  for (const [key, { createdAt, source }] of stream.findings) {
    const listed = list.listed.get(key);
    if (listed !== undefined && listed.kind !== "deleted") continue;
    const history = known.get(key);
    const hidden = mayHide && (isNew(key) ? isNewHidden(createdAt, before) : mayBeHidden(visible, time.readAt));
    // Once the token sees again what it saw before, what may have been hidden has to be absent anew.
    const isAnew = history?.hidden === true && !mayHide;
    const dates = { deletedAt: notToCome(listed?.at ?? null, time), createdAt: createdBy(createdAt, time) };
    const absence = { ...dates, hidden, isPair: source !== null, isAnew };
    const absent = absenceHistory(history, time, absence);
    // A service may mark as deleted what it leaves out because its risk is accepted.
    const marked = listed?.isAccepted === true ? { ...absent, accepted: true as const } : absent;
    missing.set(key, allowsMass ? allowed(marked) : marked);
  }
  return missing;
}

/** 0 when nobody knows. */
function createdBy(date: number, time: ReadTime): number {
  return notToCome(date, time) ?? 0;
}

/**
 * A date to come was written by a clock that was ahead, and says no more than none would: until it has come, each read would be
 * the first one without the finding.
 */
function notToCome(date: number | null, { of, now }: ReadTime): number | null {
  if (date === null || date <= 0) return date;
  const { earliest, latest } = of(date);
  return earliest === 0 && latest >= now ? null : date;
}

/**
 * Whether a finding that no complete read was about may be hidden: what was delivered after an environment was gone was not hidden with
 * it. Zones may be those that only the connector's token sees.
 */
function isNewHidden(createdAt: number, { visible: [environments, zones], time }: BeforeRead): boolean {
  return mayBeHidden([environments], time.of(createdAt).earliest) || mayBeHidden([zones], 0);
}

/** A service may begin to leave findings out of its lists whose risk is accepted. */
function acceptedIn({ listed }: CompleteList): Set<string> {
  return new Set([...listed].flatMap(([key, { kind }]) => (kind === "accepted" ? [hashOf(key)] : [])));
}

/** What vanished with many others may be gone once the admin allows it. */
function allowed({ mass, ...history }: Missing): Missing {
  return { ...history, allowed: true };
}

/** Those of its alerts, and of the last ones before that: the host may leave an alert out of a run. */
function hashesOf({ alerts }: FollowedStream, before: string | undefined): string {
  const own = alerts.map(({ alertId }) => hashOf(alertId));
  const known = hashesIn(before);
  // Of a run that lacks most of them, all are kept.
  return [...new Set([...own, ...known])].slice(0, Math.max(2 * own.length, known.size, FEWEST_ALERTS)).join("");
}

function hashesIn(text = ""): Set<string> {
  const hashes = new Set<string>();
  for (let at = 0; at < text.length; at += HASH_LENGTH) hashes.add(text.slice(at, at + HASH_LENGTH));
  return hashes;
}

/** Which findings no complete read was about before: that of a new alert may have been hidden long ago. */
function newFindings({ alerts }: FollowedStream, hashes: string | undefined): (key: FindingKey) => boolean {
  const known = hashesIn(hashes);
  const keys = new Set(alerts.filter(({ alertId }) => known.has(hashOf(alertId))).flatMap(keysOf));
  return (key) => !keys.has(key);
}
