import type { RunRecord } from "../history.ts";
import type { Law } from "./law.ts";

const LARGEST = 2_500_000;

/** The state and each patch stay small enough for any host. */
export const smallState: Law = (_world, _history, run) => {
  const state = sizeOf(run.result?.checkpoint ?? null);
  if (state >= LARGEST) return `the state has ${state} characters`;
  const patch = Math.max(0, ...run.alerts.map((alert) => sizeOf(alert.patch)));
  return patch >= LARGEST ? `a patch has ${patch} characters` : null;
};

/** What a run may send in patches for each alert, and besides. */
const CHARACTERS_PER_ALERT = 300;
const CHARACTERS_PER_RUN = 4_000;

/** The patches of a run grow with what they deliver, and not with what the state holds. */
export const linearPatches: Law = (_world, _history, run) => {
  if (run.result?.checkpoint === undefined) return null;
  const sizes = run.alerts.map(({ patch }) => sizeOf(patch));
  // A state that is foreign or damaged is taken away by the first patch, field by field.
  const replaced = run.plan.memory.kind === "damaged" ? (sizes[0] ?? 0) : 0;
  const most = 3 * sizeOf(run.result.checkpoint) + CHARACTERS_PER_ALERT * sizes.length + CHARACTERS_PER_RUN + replaced;
  const sum = sizes.reduce((total, size) => total + size, 0);
  return sum > most ? `${sum} characters of patches for ${sizes.length} alerts; at most ${most} were expected` : null;
};

/** What the plugin wrote itself it never calls damaged, wherever it was killed. */
export const ownStateIsGood: Law = (_world, history, run) => {
  const spoilt = history.runs.some(({ plan }) => plan.memory.kind === "damaged");
  const message = run.result?.message ?? "";
  return !spoilt && /damaged|corrupt|was ignored/i.test(message) ? `it says: ${message.slice(0, 300)}` : null;
};

/** A state that cannot be read is said so. */
export const damageIsSaid: Law = (_world, _history, run) => {
  const { memory } = run.plan;
  if (memory.kind !== "damaged" || memory.how === "field" || !isUnmistakable(run) || run.result === null) return null;
  return /\bstate\b/i.test(run.result.message) ? null : `it says: ${run.result.message.slice(0, 300)}`;
};

/** Some hosts hand over an empty text or object for no state at all. A run that reads nothing has other news. */
function isUnmistakable({ stateBefore, result }: RunRecord): boolean {
  const isEmpty = stateBefore === null || stateBefore === "" || JSON.stringify(stateBefore) === "{}";
  return !isEmpty && result?.status !== "failed";
}

function sizeOf(value: unknown): number {
  return value === undefined || value === null ? 0 : JSON.stringify(value).length;
}
