import { validate } from "../../generated/state-validator.js";
import type { Json } from "../../runtime/protocol.ts";
import { readState, type StoredState } from "../../runtime/stored-state.ts";
import { countIds } from "./delivered-ids.ts";
import { isIdText } from "./id-text.ts";
import type { ConnectorState, EnvironmentMemory } from "./state.ts";

/** A few damaged characters can expand to more ids than fit into memory. */
const MOST_IDS = 10_000_000;

export type LoadedState = StoredState<ConnectorState>;

/**
 * Reads the state that the host stored, see `readState`.
 *
 * @param tenant - origin of the tenant that the run reads
 */
export function loadState(raw: Json, tenant: string): LoadedState {
  const loaded = readState(
    raw,
    freshState(tenant),
    validate,
    (state) => problemWithTypes(state) ?? problemWithIds(state),
  );
  return loaded.kind === "loaded" ? { ...loaded, state: ownMembers(loaded.state) } : loaded;
}

const MEMBERS = {
  version: true,
  tenant: true,
  dialect: true,
  selection: true,
  requestsPerSecond: true,
  refusedRate: true,
  pageSize: true,
  clock: true,
  firstRun: true,
  next: true,
  refused: true,
  types: true,
  environments: true,
  descriptions: true,
} satisfies Record<keyof ConnectorState, true>;

/** Without what this version does not know: nothing would ever shorten it, and it would take the room of what is remembered. */
function ownMembers(state: ConnectorState): ConnectorState {
  return Object.fromEntries(
    Object.entries(state).filter(([name]) => Object.hasOwn(MEMBERS, name)),
  ) as unknown as ConnectorState;
}

function problemWithTypes({ types, environments }: ConnectorState): string | null {
  const isNumber = (text: string): boolean => /^(?:0|[1-9]\d{0,8})$/.test(text);
  const isNamed = ({ streams }: EnvironmentMemory): boolean =>
    Object.keys(streams).every((n) => Object.hasOwn(types, n));
  if (!Object.keys(types).every(isNumber)) return "unexpected value at /types";
  return Object.values(environments).every(isNamed) ? null : "a finding type has no name";
}

function problemWithIds({ environments }: ConnectorState): string | null {
  let count = 0;
  for (const { streams } of Object.values(environments)) {
    for (const { ids = {} } of Object.values(streams)) {
      if (!Object.values(ids).every(isIdText)) return "unexpected value among the delivered ids";
      count += countIds(ids, -Infinity);
    }
  }
  return count > MOST_IDS ? "it remembers more ids than fit into it" : null;
}

function freshState(tenant: string): ConnectorState {
  return { version: 1, tenant, selection: "", types: {}, environments: {}, descriptions: {} };
}
