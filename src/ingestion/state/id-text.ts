import { shortHash } from "../../hash.ts";
import { isWholeNumber } from "../../service/resources/finding-identity.ts";

/** Whole hours since the epoch; null for a finding without a usable time. */
export type Hour = number | null;

/** An identity as it is remembered: a whole number as it is, every other text as 66 bits of its hash. */
export type Key = number | string;

/** What the state remembers of one finding. */
export interface IdEntry {
  readonly key: Key;
  /** See `checkOf`; null when it is not known any more. */
  readonly check: number | null;
}

/** Identities that share one check: the sum of theirs, modulo `CHECKS`. */
export interface IdShare {
  readonly keys: readonly Key[];
  readonly check: number | null;
}

/**
 * The text form of identities: tokens joined by commas and, after a colon, checks. `17` is one number; `17+49` is fifty numbers
 * from 17 on; `17+49*60` is fifty numbers from 17 on, sixty apart; `~` and eleven characters are the hash of any other identity.
 * The numbers, in ascending order, are divided into equal shares. Each has a check of three characters, which shows when the
 * service has given a number to another finding. Where there is room, each number has a check of its own.
 *
 * @param room - shares beyond the least that a text has
 */
export function textOf(entries: readonly IdEntry[], room = 0): string {
  const numbers = entries
    .flatMap(({ key, check }) => (typeof key === "number" ? [{ key, check }] : []))
    .sort((a, b) => a.key - b.key);
  const hashes = entries.flatMap(({ key }) => (typeof key === "string" ? [key] : []));
  const tokens = [...progressions(numbers.map(({ key }) => key)), ...hashes].join(",");
  if (numbers.length === 0 || numbers.some(({ check }) => check === null)) return tokens;
  const sums = new Array<number>(sharesOf(numbers.length, room)).fill(0);
  for (const [index, { check }] of numbers.entries()) {
    const share = shareOf(index, numbers.length, sums.length);
    sums[share] = (sums[share] ?? 0) + (check ?? 0);
  }
  return `${tokens}:${sums.map(checkText).join("")}`;
}

/** The identities of a text form. Hashes are a share of their own without a check: they hold what the findings are about. */
export function sharesIn(text: string): IdShare[] {
  const [list, checks = ""] = text.split(":");
  const keys = tokensOf(list ?? "").flatMap((token) => [...keysOf(token)]);
  const hashes = keys.filter((key) => typeof key === "string");
  const numbers = keys.filter((key) => typeof key === "number");
  const shares: { keys: Key[]; check: number | null }[] = hashes.length > 0 ? [{ keys: hashes, check: null }] : [];
  const count = checks === "" ? 1 : checks.length / CHECK_LENGTH;
  let last = -1;
  for (const [index, key] of numbers.entries()) {
    const share = shareOf(index, numbers.length, count);
    if (share !== last) shares.push({ keys: [], check: checkAt(checks, share) });
    last = share;
    shares.at(-1)?.keys.push(key);
  }
  return shares;
}

/** The key of an identity, see `findingIdentity`. Texts are hashed together with what the finding is about. */
export function identityKeyOf(identity: string, principals: string): Key {
  if (isWholeNumber(identity)) return Number(identity);
  const content = JSON.stringify([identity, principals]);
  return `~${shortHash(content, HASH_LENGTH)}`;
}

/** The greatest check and one. */
export const CHECKS = 262_144;

/**
 * Eighteen bits of what a finding is about. A cheap hash, because every finding of every read has one: FNV-1a, with the last step of
 * MurmurHash3, without which the sums of similar texts would often be the same.
 */
export function checkOf(principals: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < principals.length; i++) hash = Math.imul(hash ^ principals.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & (CHECKS - 1);
}

/** Whether a text is of the form that `textOf` writes. */
export function isIdText(text: string): boolean {
  const [list = "", checks, more] = text.split(":");
  if (more !== undefined || (checks !== undefined && !isCheckText(checks))) return false;
  return list === "" || list.split(",").every((token) => TOKEN.test(token));
}

function isCheckText(checks: string): boolean {
  return checks.length % CHECK_LENGTH === 0 && CHECK_TEXT.test(checks);
}

/** Characters of the checks in a text. */
export function checksIn(text: string): number {
  const colon = text.indexOf(":");
  return colon === -1 ? 0 : text.length - colon - 1;
}

/** How many identities a text holds. */
export function idsIn(text: string): number {
  return tokensOf(text.split(":")[0] ?? "").reduce((sum, { more }) => sum + more + 1, 0);
}

/** Whether a text holds an identity, without reading all of them. */
export function holdsKey(text: string, key: Key): boolean {
  return tokensOf(text.split(":")[0] ?? "").some((token) => covers(token, key));
}

const HASH_LENGTH = 11;
const LEAST_SHARES = 4;
/** Characters of a check. */
export const CHECK_LENGTH = 3;
/** A token of the text form. A pattern for the whole text would overflow on a very long one. */
const TOKEN = /^(?:\d{1,15}(?:\+\d{1,7}(?:\*\d{1,15})?)?|~[A-Za-z0-9_-]{11})$/;
const CHECK_TEXT = /^[A-Za-z0-9_-]+$/;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function sharesOf(count: number, room: number): number {
  return Math.min(count, LEAST_SHARES + room);
}

function shareOf(index: number, count: number, shares: number): number {
  return Math.floor((index * shares) / count);
}

/** A sum of checks as digits of base 64. */
function checkText(sum: number): string {
  const check = sum % CHECKS;
  return [check >> 12, (check >> 6) & 63, check & 63].map((digit) => DIGITS.charAt(digit)).join("");
}

function checkAt(checks: string, share: number): number | null {
  if (checks === "") return null;
  let check = 0;
  for (let i = 0; i < CHECK_LENGTH; i++) check = check * 64 + DIGITS.indexOf(checks.charAt(CHECK_LENGTH * share + i));
  return check;
}

/** `more + 1` keys, `step` apart when they are numbers. */
interface Token {
  first: Key;
  more: number;
  step: number;
}

function tokensOf(list: string): Token[] {
  return list === "" ? [] : list.split(",").map(tokenOf);
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
