import {
  CHECK_LENGTH,
  CHECKS,
  checksIn,
  type Hour,
  type IdEntry,
  type Key,
  holdsKey,
  idsIn,
  sharesIn,
  textOf,
} from "./id-text.ts";

/** Where an identity is remembered: one share of one text in the state. */
interface Remembered {
  /** Null for findings that this run has delivered. */
  readonly name: string | null;
  readonly hour: Hour;
  readonly size: number;
  readonly check: number | null;
}

const isUnchecked = ({ name, check }: Remembered): boolean => name === null && check === null;

/** What a pass over a list shows of one finding. */
export interface ListedFinding {
  readonly hour: Hour;
  readonly check: number;
  readonly isDeleted: boolean;
}

/** Identities that no longer stand for the findings that were delivered under them. */
export interface Reused {
  readonly keys: ReadonlySet<Key>;
  /** Whether checks differ. Otherwise, later dates alone speak for it: the same findings may only have been dated anew. */
  readonly isProven: boolean;
}

/** The findings of one pass over a list. Each is one number, because a list may hold a million. */
export class Listing {
  readonly #packed = new Map<Key, number>();
  readonly #hours: Hour[] = [];
  readonly #places = new Map<Hour, number>();
  #ambiguous = 0;

  get size(): number {
    return this.#packed.size;
  }

  /** How many findings came under the key of another finding. Where the service counts its list, that shows, too. */
  get ambiguous(): number {
    return this.#ambiguous;
  }

  add(key: Key, { hour, check, isDeleted }: ListedFinding): void {
    let place = this.#places.get(hour);
    if (place === undefined) {
      place = this.#hours.push(hour) - 1;
      this.#places.set(hour, place);
    }
    const before = this.#packed.get(key);
    // The first one is the finding that was delivered under this key, or known by it.
    if (before !== undefined && this.#unpack(before).check !== check) this.#ambiguous += 1;
    else this.#packed.set(key, (place * CHECKS + check) * 2 + Number(isDeleted));
  }

  get(key: Key): ListedFinding | undefined {
    const packed = this.#packed.get(key);
    return packed === undefined ? undefined : this.#unpack(packed);
  }

  *entries(): Generator<[Key, ListedFinding]> {
    for (const [key, packed] of this.#packed) yield [key, this.#unpack(packed)];
  }

  /** The hours of its findings, each once. */
  hours(): readonly Hour[] {
    return this.#hours;
  }

  #unpack(packed: number): ListedFinding {
    const rest = Math.floor(packed / 2);
    return { hour: this.#hours[Math.floor(rest / CHECKS)] ?? null, check: rest % CHECKS, isDeleted: packed % 2 === 1 };
  }
}

/** What is to be remembered once a pass over a list is at its end. */
export interface RestateOptions {
  /** Whether to go on remembering a finding that the pass did not list, or listed as deleted. */
  readonly keepsUnlisted: (hour: Hour, isDeleted: boolean) => boolean;
  /** Findings that count as never delivered. */
  readonly without: ReadonlySet<Key>;
  /** Findings created before this hour are remembered under the hour before it. */
  readonly oldest: number;
  /** Characters of checks that there is room for, see `textOf`. */
  readonly checkRoom: number;
}

/**
 * The identities of the delivered findings of one stream, with the hour in which each finding was created. In the state they are
 * texts by hour, see `textOf`; an hour may have several texts, whose names add a number: `526389`, `526389.0`.
 */
export class DeliveredIds {
  readonly #stored: Readonly<Record<string, string>>;
  readonly #places = new Map<Key, Remembered>();
  readonly #fresh = new Map<Hour, Remembered>();

  /** @param stored - texts by name, as the state holds them */
  constructor(stored: Readonly<Record<string, string>> = {}) {
    this.#stored = stored;
    for (const [name, text] of Object.entries(stored)) {
      const hour = hourOfName(name);
      for (const { keys, check } of sharesIn(text)) {
        const place = { name, hour, size: keys.length, check };
        for (const key of keys) this.#places.set(key, place);
      }
    }
  }

  get size(): number {
    return this.#places.size;
  }

  has(key: Key): boolean {
    return this.#places.has(key);
  }

  /**
   * Remembers a finding that this run delivers.
   *
   * @param check - null when the pass keeps it in its listing
   */
  add(key: Key, hour: Hour, check: number | null): void {
    if (check !== null) {
      this.#places.set(key, { name: null, hour, size: 1, check });
      return;
    }
    let place = this.#fresh.get(hour);
    if (place === undefined) {
      place = { name: null, hour, size: 0, check: null };
      this.#fresh.set(hour, place);
    }
    this.#places.set(key, place);
  }

  /** The list begins once more: from now on, what this run has delivered is compared with what it lists. */
  beginAgain(listing: Listing): void {
    for (const [key, { check, hour }] of listing.entries()) {
      const place = this.#places.get(key);
      if (place !== undefined && isUnchecked(place)) this.add(key, hour, check);
    }
  }

  /** The hours of all identities, each hour as often as it has identities. */
  *hours(): Generator<Hour> {
    for (const { hour } of this.#places.values()) yield hour;
  }

  /**
   * The identities that no longer stand for the findings that were delivered under them: shares that the pass has listed as a
   * whole, and whose check is another one. Then also those that cannot be compared because some of their share is gone or
   * because they have no check, and all of them where most checks differ. Of what cannot be compared, a finding with a later date
   * than the delivered one counts as another one in any case.
   */
  reused(listing: Listing): Reused {
    const shares = new Map<Remembered, { keys: Key[]; sum: number; later: Key[] }>();
    for (const [key, { check, hour }] of listing.entries()) {
      const place = this.#places.get(key);
      // A hash already holds what the finding is about.
      if (place === undefined || isUnchecked(place) || typeof key === "string") continue;
      const share = shares.get(place) ?? { keys: [], sum: 0, later: [] };
      shares.set(place, share);
      share.keys.push(key);
      share.sum += check;
      if (hour !== null && hour > (place.hour ?? -Infinity)) share.later.push(key);
    }
    const all = [...shares];
    const compared = all.filter(([{ size, check }, { keys }]) => check !== null && keys.length === size);
    const same = compared.filter(([{ check }, { sum }]) => sum % CHECKS === check);
    if (same.length === compared.length) {
      const unknown = all.filter((share) => !compared.includes(share));
      return { keys: new Set(unknown.flatMap(([, { later }]) => later)), isProven: false };
    }
    const trusted = new Set(2 * same.length >= compared.length ? same : []);
    const keys = new Set(all.filter((share) => !trusted.has(share)).flatMap(([, share]) => share.keys));
    return { keys, isProven: true };
  }

  /**
   * The texts after a pass over the whole window, and the latest hour of what they no longer hold: of findings that are gone, and
   * of those that are to be delivered again. It is null when they hold everything, and 0 when nothing of it had an hour.
   */
  restated(
    listing: Listing,
    { keepsUnlisted, without, oldest, checkRoom }: RestateOptions,
  ): { stored: Record<string, string>; forgottenUpTo: number | null } {
    const stored = new Texts(checkRoom);
    const listed = new Map<Hour, IdEntry[]>();
    /** By the name of their text, or by hour what this run has delivered: no text holds that yet. */
    const unlisted = new Map<string | Hour, { hour: Hour; entries: IdEntry[] }>();
    const forgotten = [...without].flatMap((key) => [this.#places.get(key)?.hour, listing.get(key)?.hour]);
    for (const [key, { name, hour, size, check }] of this.#places) {
      if (without.has(key)) continue;
      const found = listing.get(key);
      if (found?.isDeleted === false) {
        const isOld = found.hour !== null && found.hour < oldest;
        entriesOf(listed, isOld ? oldest - 1 : found.hour).push({ key, check: found.check });
      } else if (keepsUnlisted(hour, found !== undefined)) {
        const rest = unlisted.get(name ?? hour) ?? { hour, entries: [] };
        unlisted.set(name ?? hour, rest);
        rest.entries.push({ key, check: size === 1 ? check : null });
      } else {
        forgotten.push(hour);
      }
    }
    for (const [hour, entries] of listed) stored.add(hour, textOf(entries, stored.room));
    for (const [name, { hour, entries }] of unlisted) stored.add(hour, this.#textOf(name, entries, stored.room));
    return { stored: stored.byName, forgottenUpTo: forgotten.length === 0 ? null : latestOf(forgotten) };
  }

  /** The text of a name as far as it is kept. When it lost some of its identities, it keeps checks only if each has its own. */
  #textOf(name: string | Hour, kept: readonly IdEntry[], room: number): string {
    const before = typeof name === "string" ? (this.#stored[name] ?? "") : "";
    return idsIn(before) === kept.length ? before : textOf(kept, room);
  }
}

function latestOf(hours: readonly (Hour | undefined)[]): number {
  return hours.reduce<number>((latest, hour) => Math.max(latest, hour ?? 0), 0);
}

/** Texts under names that no other text has. */
class Texts {
  readonly byName: Record<string, string> = {};
  #checkRoom: number;

  constructor(checkRoom: number) {
    this.#checkRoom = checkRoom;
  }

  /** Checks that there is still room for. */
  get room(): number {
    return Math.max(0, Math.floor(this.#checkRoom / CHECK_LENGTH));
  }

  add(hour: Hour, text: string): void {
    this.#checkRoom -= checksIn(text);
    let name = nameOf(hour);
    for (let i = 0; Object.hasOwn(this.byName, name); i++) name = `${nameOf(hour)}.${i}`;
    this.byName[name] = text;
  }
}

/** Texts of findings that a run delivers with one alert, under names that no other batch uses. */
export function storedBatch(
  batch: number,
  added: readonly (IdEntry & { readonly hour: Hour })[],
  checkRoom = 0,
): Record<string, string> {
  const byHour = new Map<Hour, IdEntry[]>();
  for (const { hour, key, check } of added) entriesOf(byHour, hour).push({ key, check });
  const room = Math.floor(checkRoom / CHECK_LENGTH / Math.max(1, byHour.size));
  return Object.fromEntries([...byHour].map(([hour, entries]) => [`${nameOf(hour)}.${batch}`, textOf(entries, room)]));
}

/** The first number for batches that none of these names has. */
export function nextBatch(stored: Readonly<Record<string, string>>): number {
  return Object.keys(stored).reduce((most, name) => Math.max(most, Number(name.split(".")[1] ?? -1)), -1) + 1;
}

/** The hour that a name in the state stands for. */
export function hourOfName(name: string): Hour {
  const hour = Number.parseInt(name, 10);
  return Number.isNaN(hour) ? null : hour;
}

/** How many identities are remembered from this hour on; those without an hour stand in no window that has a start. */
export function countIds(stored: Readonly<Record<string, string>>, from: number): number {
  let count = 0;
  for (const [name, text] of Object.entries(stored)) if ((hourOfName(name) ?? -Infinity) >= from) count += idsIn(text);
  return count;
}

/** Whether an identity is remembered, without reading all of them. */
export function holdsId(stored: Readonly<Record<string, string>>, key: Key): boolean {
  return Object.values(stored).some((text) => holdsKey(text, key));
}

function nameOf(hour: Hour): string {
  return hour === null ? "none" : String(hour);
}

function entriesOf(byHour: Map<Hour, IdEntry[]>, hour: Hour): IdEntry[] {
  const known = byHour.get(hour);
  if (known !== undefined) return known;
  const entries: IdEntry[] = [];
  byHour.set(hour, entries);
  return entries;
}
