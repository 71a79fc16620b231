import { isObject } from "../../json.ts";
/** Optional values as the service sends them (Attack Path Analysis Service API, section Nullable wrappers). */
export interface NullableTime {
  /** RFC 3339 date-time. */
  time: string;
  valid: boolean;
}
export interface NullableInt32 {
  int32: number;
  valid: boolean;
}
/** In answers of BloodHound Enterprise (docs/openapi.json). Above 2^53 the last digits are rounded. */
export interface NullableInt64 {
  int64: number;
  valid: boolean;
}
export interface NullableString {
  string: string;
  valid: boolean;
}

/** A record as it leaves this client: each wrapper is its value or null. */
export type Unwrapped<T> = T extends NullableTime | NullableString
  ? string | null
  : T extends NullableInt32 | NullableInt64
    ? number | null
    : T extends readonly (infer Item)[]
      ? Unwrapped<Item>[]
      : T extends object
        ? { [Key in keyof T]: Unwrapped<T[Key]> }
        : T;

/** Deeper than any record. The limit keeps a response that is nested without end from ending the run. */
const DEEPEST = 50;

const VALUE_KEYS = ["time", "int32", "int64", "string"] as const;

/**
 * Replaces each nullable wrapper by its value or null, and removes fields that are null, because null means absent. Works in
 * place: nobody else holds the record.
 *
 * @param levels - how far below the record's own fields to look; with 0 the free-form objects inside it are left as sent
 */
export function unwrapNullables<T>(record: T, levels = DEEPEST): Unwrapped<T> {
  if (Array.isArray(record)) unwrapItems(record, levels);
  else if (isObject(record)) unwrapFields(record, levels);
  return record as Unwrapped<T>;
}

function unwrapFields(record: Record<string, unknown>, levels: number): void {
  for (const key in record) {
    const value = record[key];
    if (typeof value !== "object") continue;
    if (value === null) Reflect.deleteProperty(record, key);
    else if (isWrapper(value)) record[key] = unwrapped(value);
    else if (levels > 0) unwrapNullables(value, levels - 1);
  }
}

function unwrapItems(items: unknown[], levels: number): void {
  let kept = 0;
  for (const item of items) {
    if (item === null) continue;
    items[kept++] = levels > 0 ? unwrapNullables(item, levels - 1) : item;
  }
  items.length = kept;
}

function isWrapper(value: object): value is Record<string, unknown> {
  if (!("valid" in value) || typeof value.valid !== "boolean") return false;
  const keys = Object.keys(value);
  return keys.length <= 2 && keys.every((key) => key === "valid" || VALUE_KEYS.some((known) => known === key));
}

function unwrapped(wrapper: Record<string, unknown>): unknown {
  if (wrapper["valid"] !== true) return null;
  for (const key of VALUE_KEYS) if (wrapper[key] !== undefined) return wrapper[key];
  return null;
}
