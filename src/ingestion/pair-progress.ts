import { compareInstants, parseInstant, type Instant } from "../service/instants.ts";
import { HOUR_MS, Seen, type Hour } from "./seen.ts";

/** Findings are asked for again from one full hour before the cursor's hour on: late ones appear inside it. */
const OVERLAP_HOURS = 1;
/** A `created_at` further ahead than this would push the cursor past findings that are still to come. */
const TRUSTED_AHEAD_MS = 24 * HOUR_MS;

/** Where a pass over a pair stands that a run had to leave unfinished. */
export interface Pass {
  /** The lower bound that the pass asks with, RFC 3339; null when it asks for everything. */
  from: string | null;
  /** How many findings of that list are done. */
  skip: number;
  /** Identity of the last one done; empty when `skip` is 0. */
  after: string;
}

/** What is remembered of one (environment, finding type) pair between two runs. */
export interface PairState {
  /** The newest delivered `created_at`, exactly as received; null before the first. */
  cursor: string | null;
  /** Text form of {@link Seen}, relative to the cursor's hour. */
  seen: string;
  /**
   * How many findings the window held when it was last read from end to end, where that differs from how many are
   * remembered: what was deleted stays remembered.
   */
  listed: number | null;
  pass: Pass | null;
}

export interface PairQuery {
  createdFrom?: string;
  resume?: { skip: number; after: string };
}

/**
 * Tells new findings of one pair from known ones during a run, and says at any moment what a host may store.
 *
 * Laws: the cursor never moves back; every finding that was considered is either new once or known; what `interrupted`
 * or `completed` return after the n-th finding covers exactly the first n.
 */
export class PairProgress {
  readonly query: PairQuery;
  readonly #from: string | null;
  readonly #seen: Seen;
  readonly #startFloor: number;
  readonly #now: number;
  /** Findings that the window is known to hold. */
  readonly #known: number;
  /** Findings that this pass has found in the window, by hour; null when it did not begin at the beginning. */
  #listed: Map<Hour, number> | null = null;
  #newest: Instant | null;
  #previous: Instant | null = null;
  #last: Instant | null = null;
  #ascending = true;
  #done: { skip: number; after: string };

  /** @param now - epoch milliseconds of the run, to judge times that lie in the future */
  constructor(stored: PairState | null, now: number) {
    const state = stored ?? { cursor: null, seen: "", listed: null, pass: null };
    const cursor = state.cursor === null ? null : parseInstant(state.cursor);
    const pass = state.pass ?? { from: floorText(cursor), skip: 0, after: "" };
    this.#now = now;
    this.#seen = readSeen(state) ?? new Seen();
    this.#newest = cursor;
    this.#from = pass.from;
    this.#known = state.listed ?? this.#seen.count(floorOf(cursor));
    this.#startFloor = pass.from === null ? -Infinity : hourOf(pass.from);
    this.#done = { skip: pass.skip, after: pass.after };
    this.query = {
      ...(this.#from === null ? {} : { createdFrom: this.#from }),
      ...(this.#done.skip === 0 ? {} : { resume: this.#done }),
    };
  }

  /**
   * Whether the window holds just what is known, judged by its count and its finding of the greatest id. Ids are given in
   * ascending order, so that whatever was added has a greater one, also when something else was deleted.
   */
  isUnchanged(total: number | null, lastAdded: string | null): boolean {
    const greatest = this.#seen.greatest(this.#startFloor);
    return greatest !== null && lastAdded === String(greatest) && total === this.#known;
  }

  /**
   * True when the finding is to be delivered.
   *
   * @param position - its place in the list that `query` asks for
   */
  consider(identity: string, createdAt: string | undefined, position: number): boolean {
    const instant = this.#trusted(createdAt);
    if (position >= this.#done.skip) this.#advance(identity, instant, position);
    const hour: Hour = instant === null ? null : hourOfInstant(instant);
    this.#count(hour, position);
    // A time that lay too far ahead may have come within reach since.
    if (this.#seen.has(hour, identity) || this.#seen.has(null, identity)) return false;
    // A service that ignores the filter returns findings of long ago, which are no longer remembered.
    if (hour !== null && hour < this.#startFloor) return false;
    this.#seen.add(hour, identity);
    if (instant !== null && (this.#newest === null || compareInstants(instant, this.#newest) > 0)) {
      this.#newest = instant;
    }
    return true;
  }

  /**
   * The state once everything considered so far is stored and the pass is to go on. A list that is not in the order
   * that was asked for is read from its beginning again: what is seen of it stays remembered until the pass is over.
   */
  interrupted(): PairState {
    return this.#state({ from: this.#from, ...(this.#ascending ? this.#done : { skip: 0, after: "" }) });
  }

  /** The state once everything considered is stored and the list is at its end. */
  completed(): PairState {
    const floor = floorOf(this.#newest);
    this.#seen.prune(floor);
    return { ...this.#state(null), listed: this.#listedFrom(floor) };
  }

  #count(hour: Hour, position: number): void {
    if (position === 0) this.#listed = new Map();
    this.#listed?.set(hour, (this.#listed.get(hour) ?? 0) + 1);
  }

  /** Null when it is what is remembered, or is not known; findings without an id let nothing be known by counting. */
  #listedFrom(floor: number): number | null {
    if (this.#listed === null || this.#seen.hasOthers) return null;
    let listed = 0;
    for (const [hour, count] of this.#listed) if (hour === null || hour >= floor) listed += count;
    return listed === this.#seen.count(floor) ? null : listed;
  }

  #advance(identity: string, instant: Instant | null, position: number): void {
    this.#done = { skip: position + 1, after: identity };
    if (instant === null) return;
    if (this.#previous !== null && compareInstants(instant, this.#previous) < 0) this.#ascending = false;
    this.#previous = instant;
  }

  #state(pass: Pass | null): PairState {
    return { cursor: this.#newest?.text ?? null, seen: this.#seen.toText(baseOf(this.#newest)), listed: null, pass };
  }

  #trusted(createdAt: string | undefined): Instant | null {
    // Findings of one analysis share their time.
    if (createdAt !== undefined && createdAt === this.#last?.text) return this.#last;
    const instant = createdAt === undefined ? null : parseInstant(createdAt);
    return (this.#last = instant !== null && instant.epochMs <= this.#now + TRUSTED_AHEAD_MS ? instant : null);
  }
}

/** What a stored pair has seen; null when its texts are damaged. */
export function readSeen(stored: PairState): Seen | null {
  const cursor = stored.cursor === null ? null : parseInstant(stored.cursor);
  if (cursor === null && stored.cursor !== null) return null;
  return Seen.fromText(stored.seen, baseOf(cursor));
}

/** Hour of an RFC 3339 text; minus infinity when it is none, so that nothing counts as older. */
function hourOf(text: string): number {
  const instant = parseInstant(text);
  return instant === null ? -Infinity : hourOfInstant(instant);
}

function hourOfInstant(instant: Instant): number {
  return Math.floor(instant.epochMs / HOUR_MS);
}

function baseOf(cursor: Instant | null): number {
  return cursor === null ? 0 : hourOfInstant(cursor);
}

function floorOf(cursor: Instant | null): number {
  return cursor === null ? -Infinity : hourOfInstant(cursor) - OVERLAP_HOURS;
}

function floorText(cursor: Instant | null): string | null {
  return cursor === null ? null : new Date(floorOf(cursor) * HOUR_MS).toISOString().replace(".000Z", "Z");
}
