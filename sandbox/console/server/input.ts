import { isObject } from "../../../src/json.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import { Refusal } from "./problems.ts";

/** Takes a value from outside as what the contract says it is. @throws Refusal (400) that names the field. */
export type Reader<T> = (value: unknown, name: string) => T;

interface Optional<T> {
  optional: Reader<T>;
}

type Fields<T> = {
  [K in keyof T]-?: object extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Reader<T[K]>;
};

const MOST_CHARACTERS = 100_000;

export const text: Reader<string> = (value, name) => {
  if (typeof value !== "string") throw new Refusal(400, `${name} must be text.`);
  if (value.length > MOST_CHARACTERS) throw new Refusal(400, `${name} is longer than ${MOST_CHARACTERS} characters.`);
  return value;
};

export const flag: Reader<boolean> = (value, name) => {
  if (typeof value !== "boolean") throw new Refusal(400, `${name} must be true or false.`);
  return value;
};

/** A whole number, or the text of one as an address holds it. */
export function whole(least: number, most: number): Reader<number> {
  return (value, name) => {
    const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(number) && number >= least && number <= most) return number;
    throw new Refusal(400, `${name} must be a whole number from ${least} to ${most}.`);
  };
}

export function oneOf<const T extends string>(...choices: readonly T[]): Reader<T> {
  return (value, name) => {
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined) throw new Refusal(400, `${name} must be one of: ${choices.join(", ")}.`);
    return chosen;
  };
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (value, name) => (value === null ? null : reader(value, name));
}

export function optional<T>(reader: Reader<T>): Optional<T> {
  return { optional: reader };
}

export function list<T>(reader: Reader<T>): Reader<T[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw new Refusal(400, `${name} must be a list.`);
    return value.map((entry) => reader(entry, `An entry of ${name}`));
  };
}

export const json: Reader<JsonObject> = (value, name) => record(value, name) as JsonObject;

/** An object with these fields and no others. */
export function object<T extends object>(fields: Fields<T>): Reader<T> {
  return (value, name) => {
    const given = record(value, name);
    const unknown = Object.keys(given).find((field) => !Object.hasOwn(fields, field));
    if (unknown !== undefined) throw new Refusal(400, `${name} has no field "${unknown.slice(0, 80)}".`);
    const entries = Object.entries<Reader<unknown> | Optional<unknown>>(fields).flatMap(([field, reader]) => {
      if (typeof reader === "function") return [[field, reader(given[field], field)]];
      return given[field] === undefined ? [] : [[field, reader.optional(given[field], field)]];
    });
    return Object.fromEntries(entries) as T;
  };
}

/** One of several kinds of objects, distinguished by the text of a field. */
export function variants<T extends object, Tag extends keyof T & string>(
  tag: Tag,
  kinds: { [K in T[Tag] & string]: Fields<Omit<Extract<T, Record<Tag, K>>, Tag>> },
): Reader<T> {
  const choose = oneOf(...(Object.keys(kinds) as (T[Tag] & string)[]));
  return (value, name) => {
    const { [tag]: given, ...rest } = record(value, name);
    const kind = choose(given, tag);
    return { [tag]: kind, ...object(kinds[kind])(rest, name) } as unknown as T;
  };
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (!isObject(value)) throw new Refusal(400, `${name} must be a JSON object.`);
  return value;
}

/** The key of a case or an alert. */
export const KEY = whole(1, Number.MAX_SAFE_INTEGER);
export const CURSOR = optional(text);
export const LIMIT = optional(whole(1, 200));

/** A key in an address. What is no number leads to nothing. */
export function keyIn(path: string, what: string): number {
  if (!/^\d{1,15}$/.test(path)) throw new Refusal(404, `There is no ${what} "${path.slice(0, 40)}".`);
  return Number(path);
}
