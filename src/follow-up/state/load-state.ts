import { validate } from "../../generated/follow-up-validator.js";
import type { Json } from "../../runtime/protocol.ts";
import { readState, type StoredState } from "../../runtime/stored-state.ts";
import type { FollowUpState } from "./state.ts";

export type LoadedState = StoredState<FollowUpState>;

/**
 * Reads the state that the host stored, see `readState`. Starting afresh only means that every wait begins again.
 *
 * @param tenant - origin of the tenant that the run asks
 */
export function loadState(raw: Json, tenant: string): LoadedState {
  return readState(raw, { version: 1, tenant, environments: {}, alerts: {} }, validate);
}
