import { isObject } from "../json.ts";
import type { Json, JsonObject } from "./protocol.ts";

/**
 * The JSON merge patch (RFC 7396) that turns one value into another. The target must not hold null inside an object:
 * a merge patch cannot say it.
 */
export function patchBetween(from: Json | undefined, to: JsonObject): JsonObject {
  const patch: [string, Json][] = [];
  const before = isObject(from) ? from : {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(to, key)) patch.push([key, null]);
  for (const [key, value] of Object.entries(to)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (isObject(value) && isObject(old)) {
      const inner = patchBetween(old, value);
      if (Object.keys(inner).length > 0) patch.push([key, inner]);
    } else if (JSON.stringify(old) !== JSON.stringify(value)) patch.push([key, value]);
  }
  return Object.fromEntries(patch);
}

/** The target with a JSON merge patch applied to it (RFC 7396, section 2); neither is changed. */
export function applyMergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, Json>(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, applyMergePatch(merged.get(key) ?? null, value));
  }
  return Object.fromEntries(merged);
}
