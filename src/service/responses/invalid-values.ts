import type { ValidationError, Validator } from "../../generated/validators.js";
import type { InvalidValue } from "../attack-path-service.ts";
import { oneLine } from "../../text.ts";
import { isObject, removeNulls } from "../../json.ts";
import { type InvalidField, readNullables, type Unwrapped } from "./nullables.ts";

/** Paths are made of keys that the service chose, so they may have any length. */
const LONGEST_PATH = 200;

/**
 * Removes every value that does not fit from a record, in place, and returns what was removed. The record itself is kept,
 * so that one invalid value does not cost a finding.
 */
export function removeInvalidValues(validate: Validator<unknown>, record: object): InvalidField[] {
  if (validate(record)) return [];
  const problems = new Map((validate.errors ?? []).map((error) => [error.instancePath, problemOf(error)]));
  // From the back, because removing an item of an array moves the ones after it.
  for (const path of [...problems.keys()].reverse()) remove(record, path.slice(1).split("/").map(unescape));
  return [...problems].map(([path, problem]) => ({ path: oneLine(path, LONGEST_PATH), problem }));
}

/**
 * Makes a record what its type says, in place: nulls are removed, nullable wrappers become their values, and every value
 * that does not fit is removed.
 *
 * @param levels - see `removeNulls`
 * @returns what did not fit
 */
export function checkRecord<T>(
  validate: Validator<T>,
  record: Record<string, unknown>,
  levels?: number,
): { record: Unwrapped<T>; invalidValues: InvalidField[] } {
  removeNulls(record, levels);
  const wrappers = readNullables(record, validate.nullables);
  const others = removeInvalidValues(validate, record);
  return { record: record as Unwrapped<T>, invalidValues: wrappers.length === 0 ? others : [...wrappers, ...others] };
}

/**
 * The same for a list of records. An item that is not an object becomes an empty record, so that the others keep their
 * positions.
 *
 * @param firstPosition place of the first record in the whole list
 */
export function checkRecords<T>(
  validate: Validator<T>,
  items: readonly unknown[],
  { firstPosition = 0, levels }: { firstPosition?: number; levels?: number } = {},
): { records: Unwrapped<T>[]; invalidValues: InvalidValue[] } {
  const invalidValues: InvalidValue[] = [];
  const records = items.map((item, index) => {
    const position = firstPosition + index;
    if (!isObject(item)) {
      invalidValues.push({ position, path: "", problem: "is not an object" });
      return {} as Unwrapped<T>;
    }
    const checked = checkRecord(validate, item, levels);
    for (const invalidValue of checked.invalidValues) invalidValues.push({ position, ...invalidValue });
    return checked.record;
  });
  return { records, invalidValues };
}

function problemOf({ params }: ValidationError): string {
  const types = [params.type ?? []].flat().filter((type) => type !== "null");
  return types.length > 0 ? `is not of the type ${types.join(" or ")}` : "does not fit";
}

function remove(record: object, keys: readonly string[]): void {
  let holder: unknown = record;
  for (const key of keys.slice(0, -1)) holder = hasEntries(holder) && Object.hasOwn(holder, key) ? holder[key] : null;
  const last = keys.at(-1);
  if (!hasEntries(holder) || last === undefined) return;
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
}

/** JSON pointer escapes (RFC 6901). */
function unescape(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** An object or a list. */
function hasEntries(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
