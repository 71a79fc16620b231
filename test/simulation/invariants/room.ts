import type { RunRecord } from "../history.ts";
import type { World } from "../world.ts";

/** Characters that a state and a patch may have, whatever they hold. */
export const LARGEST_STATE = 2_500_000;
const NEARLY_FULL = 0.7 * LARGEST_STATE;
/** Names alone may need more than there is, and with names of a thousand characters few are many. */
const SHORTEST_NAMES = NEARLY_FULL / 2;

/** Whether the state has little room: because the scenario says so, or because of what the tenant holds. */
export function isRoomScarce({ scenario, charactersOfNames }: World, { result }: RunRecord): boolean {
  if (scenario.host.stateCharacters !== undefined) return true;
  if (charactersOfNames < SHORTEST_NAMES && scenario.findings.length < 50_000) return false;
  return result?.checkpoint == null || sizeOf(result.checkpoint) >= NEARLY_FULL;
}

export function sizeOf(value: unknown): number {
  return value === undefined || value === null ? 0 : JSON.stringify(value).length;
}
