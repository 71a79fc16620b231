import type { CompleteList } from "./complete-list.ts";
import { type FindingKey, HASH_LENGTH, hashOf } from "../finding-key.ts";
import { mayBeHidden } from "./guards.ts";
import { sizesAfter } from "./list-sizes.ts";
import { absenceHistory, type ReadTime, MissingFindings } from "./missing.ts";
import type { ListSizes, Missing, StreamMemory, VisibleIds } from "../state/state.ts";
import { type FollowedStream, keysOf } from "../streams.ts";

/** A stream after a complete read. */
export interface ReadStream {
  readonly stream: FollowedStream;
  readonly list: CompleteList;
  readonly time: ReadTime;
  /** Its findings that the read did not have. */
  readonly missing: MissingFindings;
  /** See `StreamMemory`. */
  readonly unseen: MissingFindings;
  /** Hashes of its findings whose risk was accepted when they were listed last. */
  readonly accepted: ReadonlySet<string>;
  readonly sizes: ListSizes;
  /** See `StreamMemory`. */
  readonly alerts?: string;
}

/** What is known before a complete read, and what was seen just before it. */
export interface BeforeRead {
  /** The environments and the zones that the token sees. */
  readonly visible: readonly (VisibleIds | undefined)[];
  readonly time: ReadTime;
  readonly memory: StreamMemory | undefined;
  /** The admin allows to close what vanished with many others. */
  readonly allowsMass: boolean;
}

/** What a complete read makes of the history of a stream's findings. */
export function afterRead(
  stream: FollowedStream,
  list: CompleteList,
  { visible, time, memory, allowsMass }: BeforeRead,
): ReadStream {
  const { missing: before, unseen: left = [], ...earlier }: Partial<StreamMemory> = memory ?? {};
  const known = new MissingFindings([...(before ?? []), ...left]);
  const missing = new MissingFindings();
  const seesLess = visible.some((list) => list?.lostAt !== undefined);
  const isNew = seesLess ? newFindings(stream, earlier.alerts) : () => false;
  for (const [key, { createdAt, source }] of stream.findings) {
    const listed = list.listed.get(key);
    if (listed !== undefined && listed.kind !== "deleted") continue;
    const history = lasting(known.get(key), allowsMass);
    const hidden = mayBeHidden(visible, isNew(key) ? 0 : time.readAt);
    // Once the token sees again what it saw before, what may have been hidden has to be absent anew.
    const isAnew = history?.hidden === true && !seesLess;
    const absence = { deletedAt: listed?.at ?? null, createdAt, hidden, isPair: source !== null, isAnew };
    missing.set(key, absenceHistory(history, time, absence));
  }
  // The admin has accepted the loss, so the former sizes do not count any more.
  const sizes = sizesAfter(allowsMass ? undefined : earlier.sizes, list.size, time.now);
  const unseen = known.marksBeside(stream.findings.keys(), time.now);
  const accepted = acceptedAfter(stream, list, earlier.accepted);
  return { stream, list, time, missing, unseen, accepted, sizes, ...(seesLess && { alerts: hashesOf(stream) }) };
}

/** A service may begin to leave findings out of its lists whose risk is accepted. */
function acceptedAfter({ findings }: FollowedStream, { listed }: CompleteList, before = ""): Set<string> {
  const known = hashesIn(before);
  const accepted = new Set<string>();
  for (const key of findings.keys()) {
    const kind = listed.get(key)?.kind;
    if (kind === "accepted" || (kind === undefined && known.size > 0 && known.has(hashOf(key))))
      accepted.add(hashOf(key));
  }
  return accepted;
}

/** What vanished with many others may be gone once the admin allows it. */
function lasting(history: Missing | null, allowsMass: boolean): Missing | null {
  if (history === null) return null;
  const { mass, ...rest } = history;
  return mass === true && allowsMass ? rest : history;
}

function hashesOf({ alerts }: FollowedStream): string {
  return alerts.map(({ alertId }) => hashOf(alertId)).join("");
}

function hashesIn(text: string): Set<string> {
  const hashes = new Set<string>();
  for (let at = 0; at < text.length; at += HASH_LENGTH) hashes.add(text.slice(at, at + HASH_LENGTH));
  return hashes;
}

/** Which findings no complete read was about before: that of a new alert may have been hidden long ago. */
function newFindings({ alerts }: FollowedStream, hashes = ""): (key: FindingKey) => boolean {
  const known = hashesIn(hashes);
  const keys = new Set(alerts.filter(({ alertId }) => known.has(hashOf(alertId))).flatMap(keysOf));
  return (key) => !keys.has(key);
}
