import { validate } from "../../generated/state-validator.js";
import type { Json } from "../../runtime/protocol.ts";
import { countIds } from "./delivered-ids.ts";
import { isIdText } from "./id-text.ts";
import { isObject } from "../../json.ts";
import type { ConnectorState, EnvironmentMemory } from "./state.ts";

const VERSION = 1;
/** A few damaged characters can expand to more ids than fit into memory. */
const MOST_IDS = 10_000_000;

export type LoadedState =
  /** As it was stored, or a fresh one where there is none yet. */
  | { kind: "loaded"; state: ConnectorState }
  | { kind: "other_tenant"; state: ConnectorState; tenant: string }
  | { kind: "damaged"; state: ConnectorState; problem: string }
  | { kind: "newer"; version: number };

/**
 * Reads the state that the host stored. Never throws: an unusable one is replaced by a fresh state, with the reason.
 *
 * @param raw - null or an empty object when the host keeps nothing
 * @param tenant - origin of the tenant that the run reads
 */
export function loadState(raw: Json, tenant: string): LoadedState {
  const state = freshState(tenant);
  if (raw === null || (isObject(raw) && Object.keys(raw).length === 0)) return { kind: "loaded", state };
  if (!isObject(raw)) return { kind: "damaged", state, problem: "it is not a JSON object" };
  const { version } = raw;
  if (typeof version === "number" && version > VERSION) return { kind: "newer", version };
  if (version !== VERSION) return { kind: "damaged", state, problem: "it has no version" };
  const stored: unknown = raw;
  if (!validate(stored)) {
    return { kind: "damaged", state, problem: `unexpected value at ${validate.errors?.[0]?.instancePath || "/"}` };
  }
  const problem = problemWithTypes(stored) ?? problemWithIds(stored);
  if (problem !== null) return { kind: "damaged", state, problem };
  if (stored.tenant !== tenant) return { kind: "other_tenant", state, tenant: stored.tenant };
  return { kind: "loaded", state: ownMembers(stored) };
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
  return { version: VERSION, tenant, selection: "", types: {}, environments: {}, descriptions: {} };
}
