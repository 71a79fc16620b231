import type { Validator } from "../generated/validators.js";
import { isObject } from "../json.ts";
import type { Json } from "./protocol.ts";

export type StoredState<S> =
  /** As it was stored, or a fresh one where there is none yet. */
  | { readonly kind: "loaded"; readonly state: S }
  | { readonly kind: "other_tenant"; readonly state: S; readonly tenant: string }
  | { readonly kind: "damaged"; readonly state: S; readonly problem: string }
  | { readonly kind: "newer"; readonly version: number };

/**
 * Reads the state that the host stored. Never throws: an unusable one is replaced by a fresh state, with the reason.
 *
 * @param raw - null or an empty object when the host keeps nothing
 * @param fresh - an empty state of this version, for the tenant that the run asks
 * @param problemIn - what the validator cannot see; null when nothing is wrong
 */
export function readState<S extends { readonly version: number; readonly tenant: string }>(
  raw: Json,
  fresh: S,
  validate: Validator<S>,
  problemIn: (state: S) => string | null = () => null,
): StoredState<S> {
  const damaged = (problem: string): StoredState<S> => ({ kind: "damaged", state: fresh, problem });
  if (raw === null || (isObject(raw) && Object.keys(raw).length === 0)) return { kind: "loaded", state: fresh };
  if (!isObject(raw)) return damaged("it is not a JSON object");
  const { version } = raw;
  if (typeof version === "number" && version > fresh.version) return { kind: "newer", version };
  if (version !== fresh.version) return damaged("it has no version");
  const stored: unknown = raw;
  if (!validate(stored)) return damaged(`unexpected value at ${validate.errors?.[0]?.instancePath || "/"}`);
  const problem = problemIn(stored);
  if (problem !== null) return damaged(problem);
  if (stored.tenant !== fresh.tenant) return { kind: "other_tenant", state: fresh, tenant: stored.tenant };
  return { kind: "loaded", state: stored };
}
