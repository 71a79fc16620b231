import type { ValidationError, Validator } from "../generated/validators.js";
import type { Misfit } from "./attack-path-service.ts";

export type ValueMisfit = Omit<Misfit, "position">;

/**
 * Takes out of a record, in place, every value that does not fit, and says what was taken. The record itself stays: one
 * odd value must not cost a finding. A fitting record costs one call of the validator.
 */
export function salvage(validate: Validator<unknown>, record: object): ValueMisfit[] {
  if (validate(record)) return [];
  const problems = new Map((validate.errors ?? []).map((error) => [error.instancePath, problemOf(error)]));
  const misfits = [...problems].map(([path, problem]) => ({ path, problem }));
  // From the back: taking an item out of an array moves the ones behind it.
  for (const { path } of misfits.toReversed()) remove(record, path.slice(1).split("/").map(unescape));
  return misfits;
}

/**
 * Salvages a list of records. What is no object at all becomes an empty record, so that the others keep their places.
 *
 * @param firstPosition place of the first record in the whole list
 */
export function salvageList<T>(
  validate: Validator<T>,
  items: readonly unknown[],
  firstPosition = 0,
): { records: T[]; misfits: Misfit[] } {
  const misfits: Misfit[] = [];
  const records = items.map((item, index) => {
    const position = firstPosition + index;
    if (typeof item !== "object" || item === null || Array.isArray(item)) {
      misfits.push({ position, path: "", problem: "is no object" });
      return {} as T;
    }
    for (const misfit of salvage(validate, item)) misfits.push({ position, ...misfit });
    return item as T;
  });
  return { records, misfits };
}

function problemOf({ params }: ValidationError): string {
  const types = [params.type ?? []].flat().filter((type) => type !== "null");
  return types.length > 0 ? `is not of the type ${types.join(" or ")}` : "does not fit";
}

function remove(record: object, keys: readonly string[]): void {
  let holder: unknown = record;
  for (const key of keys.slice(0, -1)) holder = (holder as Record<string, unknown> | undefined)?.[key];
  const last = keys.at(-1);
  if (typeof holder !== "object" || holder === null || last === undefined) return;
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
}

/** JSON pointer escapes (RFC 6901). */
function unescape(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}
