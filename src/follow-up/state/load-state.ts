import { validate } from "../../generated/follow-up-validator.js";
import { isObject } from "../../json.ts";
import type { Json } from "../../runtime/protocol.ts";
import type { FollowUpState } from "./state.ts";

const VERSION = 1;

export type LoadedState =
  /** As it was stored, or a fresh one where there is none yet. */
  | { readonly kind: "loaded"; readonly state: FollowUpState }
  | { readonly kind: "other_tenant"; readonly state: FollowUpState; readonly tenant: string }
  | { readonly kind: "damaged"; readonly state: FollowUpState; readonly problem: string }
  | { readonly kind: "newer"; readonly version: number };

/**
 * Reads the state that the host stored. Never throws: an unusable one is replaced by a fresh state, with the reason. Starting
 * afresh only means that every wait begins again.
 *
 * @param raw - null or an empty object when the host keeps nothing
 * @param tenant - origin of the tenant that the run asks
 */
export function loadState(raw: Json, tenant: string): LoadedState {
  const state: FollowUpState = { version: VERSION, tenant, environments: {}, alerts: {} };
  if (raw === null || (isObject(raw) && Object.keys(raw).length === 0)) return { kind: "loaded", state };
  if (!isObject(raw)) return { kind: "damaged", state, problem: "it is not a JSON object" };
  const { version } = raw;
  if (typeof version === "number" && version > VERSION) return { kind: "newer", version };
  if (version !== VERSION) return { kind: "damaged", state, problem: "it has no version" };
  const stored: unknown = raw;
  if (!validate(stored)) {
    return { kind: "damaged", state, problem: `unexpected value at ${validate.errors?.[0]?.instancePath || "/"}` };
  }
  if (stored.tenant !== tenant) return { kind: "other_tenant", state, tenant: stored.tenant };
  return { kind: "loaded", state: stored };
}
