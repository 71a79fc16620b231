import type { Json } from "../../src/runtime/protocol.ts";

/** RFC 7396, section 2, as a host applies it. */
export function applyMergePatch(target: Json, patch: Json): Json {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const old = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result = new Map(Object.entries(old));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, applyMergePatch(result.get(key) ?? null, value));
  }
  return Object.fromEntries(result);
}
