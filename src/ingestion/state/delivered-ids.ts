import { createHash } from "node:crypto";
import { isWholeNumber } from "../../service/resources/finding-identity.ts";

/** Whole hours since the epoch; null for a finding without a usable time. */
export type Hour = number | null;

/** An identity as it is remembered: a whole number as it is, every other text as 66 bits of its hash. */
type Key = number | string;

const HASH_LENGTH = 11;

/**
 * The identities of delivered findings of one stream, with the hour in which each finding was created.
 *
 * Text form of one hour: tokens joined by commas. `17` is one number; `17+49` is fifty numbers from 17 on; `17+49*60` is
 * fifty numbers from 17 on, sixty apart; `~` and eleven characters are the hash of any other identity.
 */
export class DeliveredIds {
  readonly #hours = new Map<Key, Hour>();

  /** @param stored - text forms by hour, as the state holds them */
  static parse(stored: Readonly<Record<string, string>> = {}): DeliveredIds {
    const ids = new DeliveredIds();
    for (const [name, text] of Object.entries(stored)) {
      const hour = hourOfName(name);
      for (const token of tokensOf(text)) for (const key of keysOf(token)) ids.#hours.set(key, hour);
    }
    return ids;
  }

  has(identity: string): boolean {
    return this.#hours.has(keyOf(identity));
  }

  /** @returns whether it was not known, or under another hour */
  add(identity: string, hour: Hour): boolean {
    const key = keyOf(identity);
    const isNew = !this.#hours.has(key) || this.#hours.get(key) !== hour;
    this.#hours.set(key, hour);
    return isNew;
  }

  /** The hours of all identities, each hour as often as it has identities. */
  hours(): Iterable<Hour> {
    return this.#hours.values();
  }

  /** Text forms by hour of all identities from this hour on, those without an hour included. */
  toStored(from = -Infinity): Record<string, string> {
    return storedForm([...this.#hours].filter(([, hour]) => hour === null || hour >= from));
  }
}

/** Text forms of a few identities, under names that no other batch uses. */
export function storedBatch(batch: number, ids: readonly { id: string; hour: Hour }[]): Record<string, string> {
  const named = storedForm(ids.map(({ id, hour }) => [keyOf(id), hour]));
  return Object.fromEntries(Object.entries(named).map(([name, text]) => [`${name}.${batch}`, text]));
}

/** The hour that a name in the state stands for. */
export function hourOfName(name: string): Hour {
  const hour = Number.parseInt(name, 10);
  return Number.isNaN(hour) ? null : hour;
}

/** A token of the text form. A pattern for the whole text would overflow on a very long one. */
const TOKEN = /^(?:\d{1,15}(?:\+\d{1,7}(?:\*\d{1,15})?)?|~[A-Za-z0-9_-]{11})$/;

/** Whether a text is of the form that `DeliveredIds` writes. */
export function isIdText(text: string): boolean {
  return text === "" || text.split(",").every((token) => TOKEN.test(token));
}

/** How many identities are remembered from this hour on; those without an hour stand in no window that has a start. */
export function countIds(stored: Readonly<Record<string, string>>, from: number): number {
  let count = 0;
  for (const [name, text] of Object.entries(stored)) {
    if ((hourOfName(name) ?? -Infinity) < from) continue;
    for (const { more } of tokensOf(text)) count += more + 1;
  }
  return count;
}

/** Whether an identity is remembered, without reading all of them. */
export function holdsId(stored: Readonly<Record<string, string>>, identity: string): boolean {
  const key = keyOf(identity);
  return Object.values(stored).some((text) => tokensOf(text).some((token) => covers(token, key)));
}

/** `more + 1` keys, `step` apart when they are numbers. */
interface Token {
  first: Key;
  more: number;
  step: number;
}

function keyOf(identity: string): Key {
  if (isWholeNumber(identity)) return Number(identity);
  return `~${createHash("sha256").update(identity).digest("base64url").slice(0, HASH_LENGTH)}`;
}

function tokensOf(text: string): Token[] {
  return text === "" ? [] : text.split(",").map(tokenOf);
}

function tokenOf(text: string): Token {
  if (text.startsWith("~")) return { first: text, more: 0, step: 1 };
  const [first = "", rest = "0"] = text.split("+");
  const [more = "0", step = "1"] = rest.split("*");
  return { first: Number(first), more: Number(more), step: Number(step) };
}

function* keysOf({ first, more, step }: Token): Generator<Key> {
  if (typeof first === "string") yield first;
  else for (let i = 0; i <= more; i++) yield first + i * step;
}

function covers({ first, more, step }: Token, key: Key): boolean {
  if (typeof first === "string" || typeof key === "string") return first === key;
  const distance = key - first;
  return distance >= 0 && distance <= more * step && distance % Math.max(step, 1) === 0;
}

function storedForm(entries: readonly (readonly [Key, Hour])[]): Record<string, string> {
  const byHour = new Map<Hour, Key[]>();
  for (const [key, hour] of entries) {
    const keys = byHour.get(hour);
    if (keys === undefined) byHour.set(hour, [key]);
    else keys.push(key);
  }
  return Object.fromEntries([...byHour].map(([hour, keys]) => [hour === null ? "none" : String(hour), textOf(keys)]));
}

function textOf(keys: readonly Key[]): string {
  const numbers = keys.filter((key) => typeof key === "number").sort((a, b) => a - b);
  const hashes = keys.filter((key) => typeof key === "string");
  return [...progressions(numbers), ...hashes].join(",");
}

/** Sorted numbers as runs of equal distance. */
function* progressions(numbers: readonly number[]): Generator<string> {
  for (let i = 0; i < numbers.length;) {
    const first = numbers[i] ?? 0;
    const step = (numbers[i + 1] ?? first) - first;
    let end = i + 1;
    while (end < numbers.length && (numbers[end] ?? 0) - (numbers[end - 1] ?? 0) === step) end++;
    const more = end - i - 1;
    if (more >= 2 || (more === 1 && step === 1)) {
      yield step === 1 ? `${first}+${more}` : `${first}+${more}*${step}`;
      i = end;
    } else {
      yield `${first}`;
      i++;
    }
  }
}
