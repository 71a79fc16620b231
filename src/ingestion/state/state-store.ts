import type { Json, JsonObject } from "../../runtime/protocol.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import { DAY_HOURS, hourOf, clockMemory, type PollTime } from "../time.ts";
import type { Scope, Stream } from "../scope.ts";
import { patchBetween } from "../../runtime/merge-patch.ts";
import type {
  ConnectorState,
  EnvironmentMemory,
  NextStart,
  RefusedRoute,
  StoredDescription,
  StreamMemory,
} from "./state.ts";
import { streamPatch, withEntry } from "./stream-patch.ts";
import { afterClockChange, repeatsAfterClockChange } from "./stream-memory.ts";

/** Characters that the state may take; Google SecOps SOAR keeps at most 3,000,000 (soar-sdk, context property). */
const MOST_CHARACTERS = 2_400_000;
/** How long environments and finding types that are gone are remembered, so that a selection that changes back repeats nothing. */
const GONE_HOURS = 7 * DAY_HOURS;

type OwnFields = Omit<EnvironmentMemory, "streams">;
interface EnvironmentEntry {
  fields: OwnFields;
  streams: Map<string, StreamMemory>;
  /** The streams as the host's copy has them. */
  readonly told: Map<string, StreamMemory>;
}

/**
 * Owns the connector's memory during a run: all changes go through it. `advance` returns the merge patch that brings the
 * host's copy up to date.
 */
export class StateStore {
  readonly #state: Omit<ConnectorState, "environments">;
  readonly #environments = new Map<string, EnvironmentEntry>();
  /** What the host holds, until the first patch replaces it. */
  #host: Json | undefined;
  /** Of this run; the state holds that of the last run until the environments of this one are known. */
  #selection: string;
  /** Characters of the whole state, and how many it may take. */
  #characters: number;
  readonly #most: number;
  #forgottenStreams = 0;

  /**
   * @param state - as it was loaded, or a fresh one
   * @param host - what the host holds: the same state, or one that cannot be used
   * @param most - characters that the state may take
   */
  constructor(state: ConnectorState, host: Json, most = MOST_CHARACTERS) {
    const { environments, ...rest } = state;
    this.#state = rest;
    for (const [id, { streams, ...fields }] of Object.entries(environments)) {
      const entries = Object.entries(streams);
      this.#environments.set(id, { fields, streams: new Map(entries), told: new Map(entries) });
    }
    this.#selection = state.selection;
    this.#host = host;
    this.#most = most;
    this.#characters = JSON.stringify(state).length;
    this.#makeRoom();
  }

  get clock(): ConnectorState["clock"] {
    return this.#state.clock;
  }

  get next(): NextStart | undefined {
    return this.#state.next;
  }

  get dialect(): string | null {
    return this.#state.dialect ?? null;
  }

  get requestsPerSecond(): number | undefined {
    return this.#state.requestsPerSecond;
  }

  /** How many streams were forgotten to make room. Should they come back, their findings are repeated. */
  get forgottenStreams(): number {
    return this.#forgottenStreams;
  }

  get refused(): Readonly<Record<string, RefusedRoute>> {
    return this.#state.refused ?? {};
  }

  get descriptions(): Readonly<Record<string, StoredDescription>> {
    return this.#state.descriptions;
  }

  environment(id: string): Readonly<OwnFields> | undefined {
    return this.#environments.get(id)?.fields;
  }

  /** The environments that the last run read with the same selection: known without asking the service. */
  knownEnvironments(): Environment[] {
    if (this.#selection !== this.#state.selection) return [];
    return [...this.#environments]
      .filter(([, { fields }]) => fields.goneSince === undefined)
      .map(([id, { fields }]) => ({
        id,
        ...(fields.name === undefined ? {} : { name: fields.name }),
        ...(fields.type === undefined ? {} : { type: fields.type }),
      }));
  }

  /** The finding types of an environment that the last runs read. */
  knownTypes(environmentId: string): string[] {
    const streams = this.#environments.get(environmentId)?.streams ?? new Map<string, StreamMemory>();
    return [...streams].filter(([, { goneSince }]) => goneSince === undefined).map(([findingType]) => findingType);
  }

  /** How many requests it takes to ask once for everything that is known: each list, and a page of each stream. */
  knownRequests(): number {
    return [...this.#environments.values()].reduce((sum, { streams }) => sum + 1 + streams.size, 1);
  }

  stream({ environment, findingType }: Stream): StreamMemory | undefined {
    return this.#environments.get(environment.id)?.streams.get(findingType);
  }

  /** How many characters the ids of this stream may take, so that the whole state stays within its bound. */
  roomFor(stream: Stream): number {
    const own = JSON.stringify(this.stream(stream) ?? {}).length;
    return Math.max(0, this.#most - (this.#characters - own));
  }

  /** Forgets the evidence of the last run when the selection has changed, so that nothing is skipped because of it. */
  select(selection: string): void {
    this.#selection = selection;
    if (this.#state.selection === selection) return;
    for (const { fields } of this.#environments.values()) delete fields.complete;
  }

  /**
   * Moves cursors back where the service's clock was.
   *
   * @returns how many streams may repeat findings, because they were forgotten already
   */
  followClock(time: PollTime): number {
    let repeating = 0;
    for (const { streams } of this.#environments.values()) {
      for (const [findingType, memory] of streams) {
        const moved = afterClockChange(memory, time);
        if (repeatsAfterClockChange(memory, moved)) repeating += 1;
        streams.set(findingType, moved);
      }
    }
    this.#state.clock = clockMemory(time);
    return repeating;
  }

  /** Stores a stream's memory when nothing is delivered with it. The host gets it with the result. */
  keep({ environment, findingType }: Stream, memory: StreamMemory): void {
    const { streams } = this.#entry(environment);
    this.#characters += JSON.stringify(memory).length - JSON.stringify(streams.get(findingType) ?? {}).length;
    streams.set(findingType, memory);
  }

  /**
   * Stores a stream's memory and, when it was loaded in this run, the description of its finding type.
   *
   * @returns the merge patch that brings the host's copy up to date
   */
  advance(stream: Stream, memory: StreamMemory, description?: StoredDescription): JsonObject {
    const { environment, findingType } = stream;
    this.keep(stream, memory);
    const { fields, told } = this.#entry(environment);
    // A run that is killed now leaves the rest of the environment unread: the next one must not skip it.
    const isReopened = fields.complete !== undefined;
    if (isReopened) delete fields.complete;
    if (description !== undefined)
      this.#state.descriptions = withEntry(this.#state.descriptions, findingType, description);
    if (this.#host !== undefined) return this.#wholePatch(this.#host);
    const before = told.get(findingType);
    told.set(findingType, memory);
    return streamPatch(stream, { before, memory, isReopened, description });
  }

  /** Stores what is known of an environment besides its streams. */
  setEnvironment(environment: Environment, fields: Omit<OwnFields, "name" | "type" | "goneSince">): void {
    this.#entry(environment).fields = { ...describe(environment), ...fields };
  }

  /**
   * Remembers finding types, so that the next run can read them without waiting for the list, and forgets those that have
   * been gone for a week.
   *
   * @param types - `selected` are those that are read, offered or not
   */
  setTypes(
    environment: Environment,
    { offered, selected }: { offered: readonly string[]; selected: readonly string[] },
    hour: number,
  ): void {
    const { streams } = this.#entry(environment);
    for (const type of selected) streams.set(type, present(streams.get(type) ?? {}));
    for (const [type, memory] of streams) {
      if (selected.includes(type)) continue;
      if (offered.includes(type)) streams.set(type, { ...present(memory), returned: true });
      else if (isLongGone(memory.goneSince, hour)) streams.delete(type);
      else streams.set(type, { ...memory, goneSince: memory.goneSince ?? hour });
    }
  }

  /** Marks environments that are no longer read, and forgets those that have not been listed for a week. */
  setScope({ selected, visible }: Pick<Scope, "selected" | "visible">, now: number): void {
    this.#state.selection = this.#selection;
    const ids = new Set(selected.map(({ id }) => id));
    const visibleIds = new Set(visible.map(({ id }) => id));
    const hour = hourOf(now);
    for (const [id, entry] of this.#environments) {
      // Anything may have happened while the environment was gone, so it is read in full.
      if (ids.has(id) && entry.fields.goneSince !== undefined)
        entry.fields = { ...describe(entry.fields), readAllAt: 0 };
      else if (!ids.has(id)) {
        const goneSince = visibleIds.has(id) ? hour : (entry.fields.goneSince ?? hour);
        entry.fields = { ...entry.fields, goneSince };
      }
      if (isLongGone(entry.fields.goneSince, hour)) this.#environments.delete(id);
    }
    this.#makeRoom();
  }

  setNext(next: NextStart | null): void {
    if (next === null) delete this.#state.next;
    else this.#state.next = next;
  }

  setDialect(name: string | null): void {
    if (name !== null) this.#state.dialect = name;
  }

  setRequestsPerSecond(most: number | null): void {
    if (most === null) delete this.#state.requestsPerSecond;
    else this.#state.requestsPerSecond = most;
  }

  setRefused(refused: Readonly<Record<string, RefusedRoute>>): void {
    if (Object.keys(refused).length === 0) delete this.#state.refused;
    else this.#state.refused = refused;
  }

  setDescriptions(descriptions: Readonly<Record<string, StoredDescription>>): void {
    this.#state.descriptions = descriptions;
  }

  /** When the state is full, forgets what is gone, the longest gone first, to leave room for what is read. */
  #makeRoom(): void {
    const gone = [...this.#environments].flatMap(([id, { fields, streams }]) =>
      [...streams].map(([type, memory]) => ({ id, type, memory, since: fields.goneSince ?? memory.goneSince })),
    );
    const longestFirst = gone
      .filter(({ since }) => since !== undefined)
      .sort((a, b) => Number(a.since) - Number(b.since));
    for (const { id, type, memory } of longestFirst) {
      if (this.#characters <= this.#most) return;
      this.#environments.get(id)?.streams.delete(type);
      this.#characters -= JSON.stringify(memory).length;
      this.#forgottenStreams += 1;
    }
  }

  /** The whole state as the host is to keep it. */
  toJson(): JsonObject {
    const environments = [...this.#environments].map(([id, { fields, streams }]): [string, EnvironmentMemory] => [
      id,
      { ...fields, streams: Object.fromEntries(streams) },
    ]);
    const state: ConnectorState = { ...this.#state, environments: Object.fromEntries(environments) };
    return state as unknown as JsonObject;
  }

  #entry(environment: Environment): EnvironmentEntry {
    const known = this.#environments.get(environment.id);
    if (known !== undefined) return known;
    const entry: EnvironmentEntry = { fields: describe(environment), streams: new Map(), told: new Map() };
    this.#environments.set(environment.id, entry);
    return entry;
  }

  #wholePatch(host: Json): JsonObject {
    this.#host = undefined;
    for (const { streams, told } of this.#environments.values()) {
      told.clear();
      for (const [findingType, memory] of streams) told.set(findingType, memory);
    }
    return patchBetween(host, this.toJson());
  }
}

const LONGEST_NAME = 200;

function describe({ name, type }: Pick<OwnFields, "name" | "type">): OwnFields {
  return {
    ...(name === undefined ? {} : { name: storableText(name) }),
    ...(type === undefined ? {} : { type: storableText(type) }),
  };
}

/** A host may keep the state as UTF-8, which has no half of a pair. */
function storableText(text: string): string {
  return text.slice(0, LONGEST_NAME).toWellFormed();
}

function present(memory: StreamMemory): StreamMemory {
  const { goneSince, ...rest } = memory;
  return goneSince === undefined ? memory : { ...rest, returned: true };
}

function isLongGone(since: number | undefined, hour: number): boolean {
  return since !== undefined && hour - since > GONE_HOURS;
}
