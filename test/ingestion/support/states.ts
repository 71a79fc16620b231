import { loadState } from "../../../src/ingestion/state/load-state.ts";
import type { ConnectorState, StreamMemory } from "../../../src/ingestion/state/state.ts";
import { StateStore } from "../../../src/ingestion/state/state-store.ts";
import type { Scope, Stream } from "../../../src/ingestion/scope.ts";
import { Selection } from "../../../src/ingestion/selection.ts";
import { HOUR_MS } from "../../../src/clock.ts";
import type { Environment } from "../../../src/service/resources/environments.records.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { TENANT } from "../../support/streams.ts";

export const WEEK_MS = 7 * 24 * HOUR_MS;

/** A run's store over what the host holds, as `poll` opens it. */
export function open(host: Json): StateStore {
  const loaded = loadState(host, TENANT);
  if (loaded.kind === "newer") throw new Error("The state is of a newer version.");
  return new StateStore(loaded.state, host);
}

export const throughJson = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

/** What is known when the service lists these environments. */
export function listing(environments: readonly Environment[], selected: readonly string[] = []): Scope {
  return new Selection({ "Selected Environments": selected }).scope(environments, 0);
}

export function loaded(host: Json): ConnectorState {
  const result = loadState(host, TENANT);
  if (result.kind !== "loaded") throw new Error(`Expected a state that loads: ${JSON.stringify(result)}`);
  return result.state;
}

/** A state whose ids need not be readable. */
export function loadedWithoutCheck(host: Json): ConnectorState {
  return host as unknown as ConnectorState;
}

/** What a state says about streams; a patch need not carry anything else before the run ends. */
export function streamsIn(host: Json): Map<string, StreamMemory> {
  const { types, environments } = loaded(host);
  const entries = Object.entries(environments).flatMap(([id, { streams }]) =>
    Object.entries(streams).map(([type, memory]): [string, StreamMemory] => [`${id} ${types[type] ?? ""}`, memory]),
  );
  return new Map(entries);
}

export function stateOf(list: readonly (readonly [Stream, StreamMemory])[]): Json {
  const store = open(null);
  for (const [of, remembered] of list) store.keep(of, remembered);
  return throughJson(store.toJson());
}
