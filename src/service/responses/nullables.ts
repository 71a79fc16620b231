import { isObject } from "../../json.ts";

/** A value of the wrong type that was removed from a record. */
export interface InvalidField {
  /** JSON pointer inside the record, shortened; empty when the record was not an object, or not one that was asked for. */
  readonly path: string;
  readonly problem: string;
}

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

const valueTypes = { time: "string", string: "string", int32: "number", int64: "number" } as const;

/** Where a wrapper has its value. */
export type NullableKey = keyof typeof valueTypes;

export function isNullableKey(text: string): text is NullableKey {
  return Object.hasOwn(valueTypes, text);
}

/** The same key in Go's own encoding. */
const capitalised = { time: "Time", string: "String", int32: "Int32", int64: "Int64" } as const;

/** The fields of a record type that are declared as wrappers, and those of the objects and lists of objects in it. */
export interface NullableFields {
  readonly [field: string]: NullableKey | NullableFields;
}

/**
 * Replaces each declared wrapper by its value, and by null when its `valid` is false. A number or text may stand there
 * without its wrapper, as the service's own encoding of some has it. Anything else in such a field is removed. Keys may begin with a capital letter, as in Go's own encoding of `sql.NullTime`. A time that is valid and
 * cannot be read becomes an empty text: when something was deleted is not known, but that it was deleted is.
 *
 * @returns the wrappers that could not be read
 */
export function readNullables(record: Record<string, unknown>, fields: NullableFields, path = ""): InvalidField[] {
  const invalid: InvalidField[] = [];
  for (const field in fields) {
    const value = record[field];
    const declared = fields[field];
    if (value === undefined || value === null || declared === undefined) continue;
    const place = `${path}/${field}`;
    if (typeof declared === "object") {
      invalid.push(...readInside(value, declared, place));
      continue;
    }
    const content = contentOf(value, declared);
    if (content !== UNREADABLE && content !== NO_WRAPPER) {
      record[field] = content;
      continue;
    }
    invalid.push({ path: place, problem: `is not a nullable ${declared}` });
    if (content === UNREADABLE && declared === "time") record[field] = "";
    else Reflect.deleteProperty(record, field);
  }
  return invalid;
}

/** An object or a list of them. */
function readInside(value: unknown, fields: NullableFields, path: string): InvalidField[] {
  if (isObject(value)) return readNullables(value, fields, path);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) => (isObject(item) ? readNullables(item, fields, `${path}/${index}`) : []));
}

const NO_WRAPPER = Symbol("no wrapper");
const UNREADABLE = Symbol("valid, but without a value of its type");

/** What a wrapper holds; null when it is not valid. Numbers and texts may come without one, but a time says that something was deleted. */
function contentOf(value: unknown, key: NullableKey): unknown {
  if (key !== "time" && typeof value === valueTypes[key]) return value;
  const valid = isObject(value) ? (value["valid"] ?? value["Valid"]) : undefined;
  if (!isObject(value) || typeof valid !== "boolean") return NO_WRAPPER;
  if (!valid) return null;
  const content = value[key] ?? value[capitalised[key]];
  return typeof content === valueTypes[key] ? content : UNREADABLE;
}
