import { patchBetween } from "../../runtime/merge-patch.ts";
import type { JsonObject } from "../../runtime/protocol.ts";
import type { Stream } from "../scope.ts";
import type { StoredDescription, StreamMemory } from "./state.ts";

/** What a run delivered with one alert. */
export interface StreamChange {
  /** The stream's memory as the host has it. */
  readonly before: StreamMemory | undefined;
  readonly memory: StreamMemory;
  /** Whether the environment is no longer complete. */
  readonly isReopened: boolean;
  readonly description: StoredDescription | undefined;
}

/** The merge patch that brings the host's copy of one stream up to date. */
export function streamPatch(
  { environment, findingType }: Stream,
  { before, memory, isReopened, description }: StreamChange,
): JsonObject {
  const change = patchBetween(before as JsonObject | undefined, memory as JsonObject);
  const streams = withEntry({}, findingType, change);
  return {
    environments: withEntry({}, environment.id, { ...(isReopened ? { complete: null } : {}), streams }),
    ...(description === undefined
      ? {}
      : { descriptions: withEntry({}, findingType, description as unknown as JsonObject) }),
  };
}

/** A copy with one more entry; unlike an assignment it also takes names such as `__proto__`. */
export function withEntry<T>(entries: Readonly<Record<string, T>>, name: string, value: T): Record<string, T> {
  return Object.fromEntries([...Object.entries(entries), [name, value]]);
}
