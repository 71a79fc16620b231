import { HASH_LENGTH } from "../finding-key.ts";
import type { EnvironmentMemory, FollowUpState, StreamMemory } from "./state.ts";

/** A state that is not too long, and what it had no room for. */
export interface FittedState {
  readonly state: FollowUpState;
  /** How many missing findings begin their wait again. */
  readonly forgotten: number;
  /** How many environments nothing is remembered of: no wait ends there. */
  readonly forgottenEnvironments: number;
}

/**
 * Shortens a state that is too long. It forgets alerts that the host says the job has closed, then what vanished last: its wait
 * begins again, and nothing is closed too early. Where that is not enough, it forgets severities that were seen, so that alerts have
 * the one that the host says, or stay open without it, and then all findings of the largest environments.
 */
export function fitted(state: FollowUpState, characters: number): FittedState {
  const excess = lengthOf(state) - characters;
  if (excess <= 0) return { state, forgotten: 0, forgottenEnvironments: 0 };
  const open = withoutClosed(state, excess);
  const slim = lengthOf(withoutAnyMissing(open)) <= characters ? open : withoutSeverities(open);
  const largest = largestEnvironments(slim, characters);
  const kept = withEnvironments(slim, (memory, id) => (largest.has(id) ? { ...memory, streams: {} } : memory));
  return { ...withoutMissing(kept, lengthOf(kept) - characters), forgottenEnvironments: largest.size };
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}

function withoutClosed(state: FollowUpState, excess: number): FollowUpState {
  const alerts = Object.entries(state.alerts);
  const closed = alerts.filter(([, alert]) => alert.closed === true);
  const dropped = firstOf(closed, excess);
  return { ...state, alerts: Object.fromEntries(alerts.filter((alert) => !dropped.has(alert))) };
}

function withoutSeverities(state: FollowUpState): FollowUpState {
  const alerts = Object.entries(state.alerts).map(([hash, { worst, ...alert }]) => [hash, alert] as const);
  return { ...state, alerts: Object.fromEntries(alerts.filter(([, alert]) => Object.keys(alert).length > 0)) };
}

/** The environments that have to be forgotten although everything that is missing is. */
function largestEnvironments(state: FollowUpState, characters: number): ReadonlySet<string> {
  const bare = withoutAnyMissing(state);
  const bySize = Object.entries(bare.environments)
    .filter(([, { streams }]) => Object.keys(streams).length > 0)
    .map(([id, { streams }]) => ({ id, streams, length: lengthOf(streams) }))
    .sort((a, b) => b.length - a.length);
  const dropped = firstOf(
    bySize.map(({ streams }) => streams),
    lengthOf(bare) - characters,
  );
  return new Set(bySize.filter(({ streams }) => dropped.has(streams)).map(({ id }) => id));
}

/** The first entries that take so many characters together. */
function firstOf<T>(entries: readonly T[], characters: number): ReadonlySet<T> {
  const chosen = new Set<T>();
  let left = characters;
  for (const entry of entries) {
    if (left <= 0) break;
    chosen.add(entry);
    // At least: an entry leaves no brackets behind, and an object that is emptied keeps its own.
    left -= lengthOf(entry) - 2;
  }
  return chosen;
}

function withoutMissing(state: FollowUpState, excess: number): Pick<FittedState, "state" | "forgotten"> {
  const groups = Object.values(state.environments)
    .flatMap(({ streams }) => Object.values(streams).flatMap(({ missing, marked = [] }) => [...missing, ...marked]))
    .sort((a, b) => b.noticedAt - a.noticedAt || b.findings.length - a.findings.length);
  const dropped = firstOf(groups, excess);
  if (dropped.size === 0) return { state, forgotten: 0 };
  const withoutDropped = (stream: StreamMemory): StreamMemory => {
    const { marked = [], ...rest } = stream;
    const missing = stream.missing.filter((group) => !dropped.has(group));
    const kept = marked.filter((group) => !dropped.has(group));
    if (missing.length + kept.length === stream.missing.length + marked.length) return stream;
    // Without the alerts that it has read about, the job takes what it has forgotten for hidden, if anything is.
    const { alerts, ...others } = rest;
    return { ...others, missing, ...(kept.length > 0 && { marked: kept }) };
  };
  const forgotten = [...dropped].reduce((sum, { findings }) => sum + findings.length / HASH_LENGTH, 0);
  return { state: withStreams(state, withoutDropped), forgotten };
}

function withoutAnyMissing(state: FollowUpState): FollowUpState {
  return withStreams(state, ({ marked, ...stream }) => ({ ...stream, missing: [] }));
}

function withStreams(state: FollowUpState, change: (stream: StreamMemory) => StreamMemory): FollowUpState {
  return withEnvironments(state, (memory) => {
    const streams = Object.entries(memory.streams).map(([type, stream]) => [type, change(stream)] as const);
    return { ...memory, streams: Object.fromEntries(streams) };
  });
}

function withEnvironments(
  state: FollowUpState,
  change: (memory: EnvironmentMemory, id: string) => EnvironmentMemory,
): FollowUpState {
  const environments = Object.entries(state.environments).map(([id, memory]) => [id, change(memory, id)] as const);
  return { ...state, environments: Object.fromEntries(environments) };
}
