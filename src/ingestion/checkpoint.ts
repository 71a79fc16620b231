import type { Json, JsonObject } from "../runtime/protocol.ts";
import { parseInstant } from "../service/instants.ts";
import { isObject } from "./merge-patch.ts";
import { readSeen, type PairState, type Pass } from "./pair-progress.ts";

const VERSION = 1;

/** One (environment, finding type) pair, the unit of polling. */
export interface PairKey {
  environmentId: string;
  findingType: string;
}

/** What the analysis gate remembers of an environment; without it the environment is read in full. */
export interface Gate {
  /** Polls since the last change that brought nothing new. */
  quietPolls: number;
  /** Fingerprint of the service's analysis history since the newest finding, as of the last poll that asked for it. */
  history?: string;
}

/** Texts of a finding type, packed, with the epoch milliseconds at which they were read. */
export type StoredDocument = [readAt: number, packed: string];

/** The connector's memory between runs. Instants are texts exactly as the service wrote them. */
export interface Checkpoint {
  /** Origin of the tenant that all of this belongs to. */
  tenant: string;
  /** Fingerprint of the selection of the last run. */
  selection: string;
  /** Epoch milliseconds of the last full sweep that succeeded; 0 before the first. */
  sweptAt: number;
  /** The pair at which the next run begins, when the last one was cut short. */
  next: PairKey | null;
  pairs: Map<string, Map<string, PairState>>;
  gates: Map<string, Gate>;
  documents: Map<string, StoredDocument>;
}

export function emptyCheckpoint(tenant: string): Checkpoint {
  return { tenant, selection: "", sweptAt: 0, next: null, pairs: new Map(), gates: new Map(), documents: new Map() };
}

export type LoadedCheckpoint =
  | { kind: "loaded"; checkpoint: Checkpoint }
  /** There is none, or it belongs to another tenant, or it is damaged: the reason is null only on a first run. */
  | { kind: "fresh"; checkpoint: Checkpoint; reason: "other_tenant" | "damaged" | null; detail: string }
  | { kind: "newer"; version: number };

/** Reads what a host kept. Never throws: what cannot be understood is a fresh start that says why. */
export function loadCheckpoint(raw: Json, tenant: string): LoadedCheckpoint {
  const fresh = (reason: "other_tenant" | "damaged" | null, detail = ""): LoadedCheckpoint => ({
    kind: "fresh",
    checkpoint: emptyCheckpoint(tenant),
    reason,
    detail,
  });
  if (raw === null || (isObject(raw) && Object.keys(raw).length === 0)) return fresh(null);
  if (!isObject(raw)) return fresh("damaged", "it is not a JSON object");
  if (typeof raw["version"] !== "number") return fresh("damaged", "it has no version");
  if (raw["version"] > VERSION) return { kind: "newer", version: raw["version"] };
  if (typeof raw["tenant"] !== "string") return fresh("damaged", "it names no tenant");
  if (raw["tenant"] !== tenant) return fresh("other_tenant", raw["tenant"]);
  try {
    return { kind: "loaded", checkpoint: readBody(raw, tenant) };
  } catch (error) {
    if (error instanceof Damage) return fresh("damaged", error.message);
    throw error;
  }
}

/** The whole state as a host keeps it. Holds no null, so that merge patches can speak of all of it. */
export function checkpointJson(checkpoint: Checkpoint): JsonObject {
  const environments = new Set([...checkpoint.pairs.keys(), ...checkpoint.gates.keys()]);
  return {
    version: VERSION,
    tenant: checkpoint.tenant,
    selection: checkpoint.selection,
    sweptAt: checkpoint.sweptAt,
    ...(checkpoint.next === null ? {} : { next: [checkpoint.next.environmentId, checkpoint.next.findingType] }),
    environments: Object.fromEntries([...environments].map((id) => [id, environmentJson(checkpoint, id)])),
    documents: Object.fromEntries(checkpoint.documents),
  };
}

/** How one pair stands in the state: pairs of an environment share their cursors, so these are the keys. */
export function pairJson(pair: PairState): { cursor: string; value: Json } {
  const { pass, seen, listed, cursor } = pair;
  const value =
    pass !== null ? [seen, pass.from ?? "", pass.skip, pass.after] : listed !== null ? [seen, listed] : seen;
  return { cursor: cursor ?? "", value };
}

function environmentJson(checkpoint: Checkpoint, environmentId: string): JsonObject {
  const cursors = new Map<string, [string, Json][]>();
  for (const [findingType, pair] of checkpoint.pairs.get(environmentId) ?? []) {
    const { cursor, value } = pairJson(pair);
    const group = cursors.get(cursor) ?? [];
    cursors.set(cursor, group);
    group.push([findingType, value]);
  }
  const gate = checkpoint.gates.get(environmentId);
  return {
    ...(gate === undefined ? {} : { gate: gateJson(gate) }),
    cursors: Object.fromEntries([...cursors].map(([cursor, group]) => [cursor, Object.fromEntries(group)])),
  };
}

function gateJson({ quietPolls, history }: Gate): Json {
  return history === undefined ? [quietPolls] : [quietPolls, history];
}

class Damage extends Error {}

function readBody(raw: JsonObject, tenant: string): Checkpoint {
  const checkpoint = emptyCheckpoint(tenant);
  checkpoint.selection = text(raw["selection"] ?? "", "selection");
  checkpoint.sweptAt = count(raw["sweptAt"] ?? 0, "sweptAt");
  if (raw["next"] !== undefined) {
    const [environmentId, findingType] = list(raw["next"], "next");
    checkpoint.next = { environmentId: text(environmentId, "next"), findingType: text(findingType, "next") };
  }
  for (const [id, environment] of entries(raw["environments"] ?? {}, "environments")) {
    readEnvironment(checkpoint, id, environment);
  }
  for (const [findingType, stored] of entries(raw["documents"] ?? {}, "documents")) {
    const [readAt, packed] = list(stored, "documents");
    checkpoint.documents.set(findingType, [count(readAt, "documents"), text(packed, "documents")]);
  }
  return checkpoint;
}

function readEnvironment(checkpoint: Checkpoint, id: string, raw: Json): void {
  const environment = Object.fromEntries(entries(raw, `environments/${id}`));
  const pairs = new Map<string, PairState>();
  for (const [cursor, group] of entries(environment["cursors"] ?? {}, `environments/${id}/cursors`)) {
    for (const [findingType, value] of entries(group, `environments/${id}/cursors/${cursor}`)) {
      pairs.set(findingType, readPair(cursor, value, `${id} / ${findingType}`));
    }
  }
  checkpoint.pairs.set(id, pairs);
  if (environment["gate"] === undefined) return;
  const [quietPolls, history] = list(environment["gate"], `environments/${id}/gate`);
  checkpoint.gates.set(id, {
    quietPolls: count(quietPolls, "gate"),
    ...(history === undefined ? {} : { history: text(history, "gate") }),
  });
}

function readPair(cursor: string, value: Json, where: string): PairState {
  const [seen, ...rest] = Array.isArray(value) ? value : [value];
  const [from, skip, after] = rest;
  const listed = rest.length === 1 ? count(from, where) : null;
  const pass: Pass | null =
    rest.length < 2 ? null : { from: text(from, where) || null, skip: count(skip, where), after: text(after, where) };
  const pair = { cursor: cursor === "" ? null : cursor, seen: text(seen, where), listed, pass };
  const passIsReadable = pass === null || pass.from === null || parseInstant(pass.from) !== null;
  if (!passIsReadable || readSeen(pair) === null) throw new Damage(`what it says of ${where} is unreadable`);
  return pair;
}

function entries(value: Json, where: string): [string, Json][] {
  if (!isObject(value)) throw new Damage(`${where} is not an object`);
  return Object.entries(value);
}

function list(value: Json, where: string): Json[] {
  if (!Array.isArray(value)) throw new Damage(`${where} is not a list`);
  return value;
}

function text(value: Json | undefined, where: string): string {
  if (typeof value !== "string") throw new Damage(`${where} is not a text`);
  return value;
}

function count(value: Json | undefined, where: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw new Damage(`${where} is not a count`);
  }
  return value;
}
