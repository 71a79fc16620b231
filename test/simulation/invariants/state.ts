import type { History, RunRecord } from "../history.ts";
import type { World } from "../world.ts";
import type { Invariant } from "./invariant.ts";
import { LARGEST_STATE, sizeOf } from "./room.ts";

/** What no bound can save: beside what is known of each environment and stream, what is on its way to the host. */
const LEAST_STATE = 500;
const PER_ENVIRONMENT = 100;
const PER_STREAM = 200;
const ALERTS_ON_THEIR_WAY = 8;

/** The state and each patch stay small enough for any host, and the state as small as the scenario wants it. */
export const smallState: Invariant = (world, history, run) => {
  const state = sizeOf(run.result?.checkpoint ?? null);
  if (state >= largestState(world, history)) return `the state has ${state} characters`;
  const patch = Math.max(0, ...run.alerts.map((alert) => sizeOf(alert.patch)));
  return patch >= LARGEST_STATE ? `a patch has ${patch} characters` : null;
};

function largestState({ scenario: { host, environments } }: World, { runs }: History): number {
  if (host.stateCharacters === undefined) return LARGEST_STATE;
  const streams = environments.reduce((sum, { types }) => sum + types.length, 0);
  const bare = LEAST_STATE + PER_ENVIRONMENT * environments.length + PER_STREAM * streams;
  const largestAlert = Math.max(0, ...runs.flatMap(({ alerts }) => alerts.map(({ keys }) => keys.length)));
  return host.stateCharacters + bare + ALERTS_ON_THEIR_WAY * CHARACTERS_PER_ID * largestAlert;
}

/** What a run may send in patches for each alert, and besides. */
const CHARACTERS_PER_ALERT = 300;
const CHARACTERS_PER_RUN = 4_000;
const CHARACTERS_PER_ID = 15;

/** The patches of a run grow with what they deliver, and not with what the state holds. */
export const linearPatches: Invariant = (world, _history, run) => {
  if (run.result?.checkpoint === undefined) return null;
  const sizes = run.alerts.map(({ patch }) => sizeOf(patch));
  // A state that is foreign or damaged is taken away by the first patch, field by field.
  const replaced = run.plan.memory.kind === "damaged" ? (sizes[0] ?? 0) : 0;
  // What has no room in the state was in a patch before it was forgotten.
  const events = run.alerts.reduce((total, { keys }) => total + keys.length, 0);
  // With the hour, and once more to say that it is forgotten.
  const forgotten = world.scenario.host.stateCharacters === undefined ? 0 : 3 * CHARACTERS_PER_ID * events;
  const state = 3 * sizeOf(run.result.checkpoint);
  const most = state + CHARACTERS_PER_ALERT * sizes.length + CHARACTERS_PER_RUN + replaced + forgotten;
  const sum = sizes.reduce((total, size) => total + size, 0);
  return sum > most ? `${sum} characters of patches for ${sizes.length} alerts; at most ${most} were expected` : null;
};

/** What the plugin wrote itself it never calls damaged, wherever it was killed. */
export const ownStateIsGood: Invariant = (_world, history, run) => {
  const message = run.result?.message ?? "";
  const isCalledDamaged = /damaged|corrupt|was ignored/i.test(message);
  if (!isCalledDamaged || mayBeDamaged(history, run) || mayBeMixed(history, run)) return null;
  return `it says: ${message.slice(0, 300)}`;
};

/**
 * Whether runs overlapped, which no host may let them do, and no run on its own has stored its state since, nor since the
 * host handed over an old state, which may be one of theirs.
 */
function mayBeMixed({ runs }: History, { index }: RunRecord): boolean {
  const overlapping = runs.slice(0, index).findLastIndex(({ overlapped }) => overlapped);
  if (overlapping === -1) return false;
  const spoilt = runs.slice(0, index + 1).findLastIndex(({ plan }) => plan.memory.kind === "stale");
  return runs.slice(Math.max(overlapping + 1, spoilt), index).every(({ result }) => result?.checkpoint === undefined);
}

/** Whether the run got a state that was damaged, perhaps earlier: the plugin has not written a whole one since. */
function mayBeDamaged({ runs }: History, { index, start }: RunRecord): boolean {
  const changed = runs.slice(0, index + 1).findLastIndex(({ plan }) => plan.memory.kind !== "kept");
  if (!runs.slice(0, changed + 1).some(({ plan }) => plan.memory.kind === "damaged")) return false;
  return !runs.slice(changed, index).some(({ result, end }) => result?.checkpoint !== undefined && end <= start);
}

/** A state that cannot be read is said so. */
export const damageIsSaid: Invariant = (_world, _history, run) => {
  const { memory } = run.plan;
  if (memory.kind !== "damaged" || memory.how === "field" || !isUnmistakable(run) || run.result === null) return null;
  return /\bstate\b/i.test(run.result.message) ? null : `it says: ${run.result.message.slice(0, 300)}`;
};

/** Some hosts hand over an empty text or object for no state at all. A run that reads nothing has other news. */
function isUnmistakable({ stateBefore, result }: RunRecord): boolean {
  const isEmpty = stateBefore === null || stateBefore === "" || JSON.stringify(stateBefore) === "{}";
  return !isEmpty && result?.status !== "failed";
}
