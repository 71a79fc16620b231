import type { Json, JsonObject } from "../../runtime/protocol.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import { HOUR_MS } from "../../clock.ts";
import { clockMemory, hourOf, type PollTime } from "../time.ts";
import { Ring } from "../turns.ts";
import type { Scope, Stream } from "../scope.ts";
import { patchBetween } from "../../runtime/merge-patch.ts";
import { type ListedTypes, storedFields } from "./absence.ts";
import { applyScope, applyTypes } from "./listings.ts";
import { checksOf, type EnvironmentFields, initialMemory, MemoryTable } from "./memory-table.ts";
import { type Learned, learnedFrom, type TenantState, withLearned } from "./learned.ts";
import type { ConnectorState, NextStart, StoredDescription, StreamMemory } from "./state.ts";
import { unreadSince } from "./stream-memory.ts";
import { clockMoved, repeatsAfterClockChange, type Room } from "./transitions.ts";

/** Characters that the state may take; Google SecOps SOAR keeps at most 3,000,000 (soar-sdk, context property). */
const MOST_CHARACTERS = 2_400_000;
/** Of these, for checks that tell each finding: all of a small tenant, and a few of a large one. */
const CHECK_CHARACTERS = 2_400;
/** With less room than this, what is gone counts as free. */
const SCARCE_CHARACTERS = 200_000;
/** Beyond this, streams are forgotten that are read. */
const MOST_OF_ALL = 2_450_000;

/** Owns the connector's memory during a run. `advance` returns the merge patch that brings the host's copy up to date. */
export class StateStore {
  readonly #begin: NextStart | undefined;
  #state: TenantState;
  readonly #table: MemoryTable;
  /** What the host holds, until the first patch replaces it. */
  #host: Json | undefined;
  /** Characters that the state may take. */
  readonly #most: number;
  /** Characters of what is not in the table. */
  #others: number;
  #forgottenStreams = 0;
  /** The known environments; null when some of them may not be known any more. */
  #ring: Ring | null = null;

  /**
   * @param state - as it was loaded, or a fresh one
   * @param host - what the host holds: the same state, or one that cannot be used
   * @param most - characters that the state may take
   */
  constructor(state: ConnectorState, host: Json, most = MOST_CHARACTERS) {
    const { environments, types, ...rest } = state;
    this.#state = rest;
    this.#begin = state.next;
    this.#table = new MemoryTable({ environments, types });
    this.#host = host;
    this.#most = most;
    this.#others = JSON.stringify(rest).length;
    this.#makeRoom();
  }

  get clock(): ConnectorState["clock"] {
    return this.#state.clock;
  }

  /** When the first run with this state began, in epoch milliseconds by the service's clock, as far as that is within an hour of the host's. */
  get firstRun(): number {
    return (this.#state.firstRun ?? 0) * HOUR_MS;
  }

  /** Where this run begins. */
  get begin(): NextStart | undefined {
    return this.#begin;
  }

  /** What earlier runs have learned. */
  get learned(): Learned {
    return learnedFrom(this.#state);
  }

  /** How many streams were forgotten to make room. Should they come back, their findings are repeated. */
  get forgottenStreams(): number {
    return this.#forgottenStreams;
  }

  environment(id: string): Readonly<EnvironmentFields> | undefined {
    return this.#table.fields(id);
  }

  /** The environments that the last run read, with this selection or another one. */
  knownEnvironments(): Environment[] {
    return this.#environments(({ goneSince }) => goneSince === undefined);
  }

  /** Those that no complete list has left out since, selected or not: known without asking the service. */
  listedEnvironments(): Environment[] {
    return this.#environments(({ goneSince, isListed }) => goneSince === undefined || isListed === true);
  }

  #environments(isMeant: (fields: EnvironmentFields) => boolean): Environment[] {
    return this.#table.ids().flatMap((id) => {
      const fields = this.#table.fields(id) ?? {};
      return isMeant(fields) ? [{ id, ...storedFields(fields) }] : [];
    });
  }

  /** The finding types of an environment that no complete list has left out since, selected or not. */
  knownTypes(environmentId: string): string[] {
    return this.#types(environmentId, ({ goneSince }) => goneSince === undefined);
  }

  #types(environmentId: string, isMeant: (memory: StreamMemory) => boolean): string[] {
    return this.#table.streams(environmentId).flatMap(([type, memory]) => (isMeant(memory) ? [type] : []));
  }

  /** Whether any environment has had this finding type, as far as the state remembers. */
  hasKnown(findingType: string): boolean {
    const isStream = (id: string): boolean => this.#table.stream(id, findingType) !== undefined;
    return Object.hasOwn(this.#state.descriptions, findingType) || this.#table.ids().some(isStream);
  }

  /** How many requests it takes to ask once for everything that is known: each list, and a page of each stream. */
  knownRequests(): number {
    return 1 + this.#table.size;
  }

  stream({ environment, findingType }: Stream): StreamMemory | undefined {
    return this.#table.memory(environment.id, findingType);
  }

  /** What this stream may take, so that the whole state stays within its bound. Each id has a few characters for its check besides. */
  roomFor(stream: Stream): Room {
    const memory = this.stream(stream) ?? {};
    const free = this.#most - (this.#others + this.#table.characters - JSON.stringify(memory).length);
    const gone = (): number => this.#table.goneCharactersBeside(stream.environment.id, stream.findingType);
    return {
      ids: Math.max(0, free < SCARCE_CHARACTERS ? free + gone() : free),
      checks: Math.max(0, CHECK_CHARACTERS - (this.#table.checks - checksOf(memory))),
    };
  }

  /** When the selection has changed, nothing is skipped because of what was read with the other one. */
  select(selection: string): void {
    if (this.#state.selection === selection) return;
    this.#state.selection = selection;
    // What an earlier run left unread is less than everything.
    for (const id of this.#table.ids()) this.#table.setFields(id, { ...this.#table.fields(id), due: "selection" });
  }

  /**
   * Moves cursors back where the service's clock was.
   *
   * @returns how many streams may repeat findings, because they were forgotten already
   */
  followClock(time: PollTime): number {
    let repeating = 0;
    for (const id of this.#table.ids()) {
      for (const [findingType, memory] of this.#table.streams(id)) {
        const moved = clockMoved(memory, time);
        if (repeatsAfterClockChange(memory, moved)) repeating += 1;
        if (moved !== memory) this.#table.setStream(id, findingType, moved);
      }
    }
    this.#state.clock = clockMemory(time);
    // The service rejects requests from a clock that differs by more than an hour; its Date header may come from a gateway.
    this.#state.firstRun ??= hourOf(Math.max(time.trusted, time.host - HOUR_MS));
    return repeating;
  }

  /** Stores a stream's memory when nothing is delivered with it. The host gets it with the result. */
  keep({ environment, findingType }: Stream, memory: StreamMemory): void {
    if (this.#table.fields(environment.id) === undefined) {
      this.#table.setFields(environment.id, storedFields(environment));
      this.#ring?.add(environment.id);
    }
    this.#table.setStream(environment.id, findingType, memory);
  }

  /**
   * Stores a stream's memory and, when it was loaded in this run, the description of its finding type.
   *
   * @returns the merge patch that brings the host's copy up to date
   */
  advance(stream: Stream, memory: StreamMemory, description?: StoredDescription): JsonObject {
    const { environment, findingType } = stream;
    this.keep(stream, memory);
    // Should this run be killed, as every one may be on a slow host, the next one goes on after this stream.
    const next = this.#after(stream);
    this.#state.next = next;
    // A run that is killed now leaves the rest of the environment unread: the next one must not skip it.
    const isNewlyDue = this.#leave(environment.id);
    const described = description === undefined ? undefined : { [findingType]: description };
    if (described !== undefined) this.#setDescriptions({ ...this.#state.descriptions, ...described });
    this.#makeRoom(stream);
    if (this.#host !== undefined) return this.#wholePatch(this.#host, stream);
    return {
      ...this.#table.patch(environment.id, findingType, isNewlyDue ? { due: "left" } : {}),
      // A patch keeps what it does not name: the finding type of an earlier place, too.
      next: { findingType: null, ...next },
      ...(described && { descriptions: described as unknown as JsonObject }),
    };
  }

  /**
   * What stays true when the host leaves an alert for the next run, and takes later ones (`checkpointWithoutAlert` in
   * docs/host-contract.md): their patches build on that of the first alert of the run, and the next run must not skip the environment. Call
   * it before `advance`, which makes its patch from the same state of the host.
   *
   * @returns the merge patch of everything but this alert, whose stream keeps its memory; undefined when there is nothing
   */
  withoutAlert(stream: Stream): JsonObject | undefined {
    const host = this.#host;
    if (host === undefined) {
      const { id } = stream.environment;
      const isDue = this.#table.fields(id)?.due !== undefined;
      return isDue ? undefined : { environments: { [id]: { due: "left", streams: {} } } };
    }
    const patch = this.advance(stream, this.stream(stream) ?? {});
    this.#host = host;
    return patch;
  }

  #after({ environment: { id }, findingType }: Stream): NextStart {
    const read = this.#types(id, (memory) => unreadSince(memory) === undefined);
    const later = read.filter((type) => type > findingType);
    const [first] = later;
    if (first !== undefined) return { environmentId: id, findingType: later.reduce((a, b) => (a < b ? a : b), first) };
    this.#ring ??= new Ring(this.knownEnvironments().map((environment) => environment.id));
    return { environmentId: this.#ring.next(id) };
  }

  /** @returns whether the environment was not due until now */
  #leave(id: string): boolean {
    const fields = this.#table.fields(id) ?? {};
    if (fields.due !== undefined) return false;
    this.#table.setFields(id, { ...fields, due: "left" });
    return true;
  }

  /** Stores what a run has learned of an environment. One that was read before the list without it arrived stays gone. */
  setEnvironment(
    environment: Environment,
    fields: Omit<EnvironmentFields, "name" | "type" | "goneSince" | "isListed" | "collected" | "forgotAt">,
  ): void {
    const known = this.#table.fields(environment.id) ?? {};
    const { goneSince, isListed, collected } = known;
    const absence = {
      ...initialMemory(known),
      ...(goneSince !== undefined && { goneSince }),
      ...(isListed !== undefined && { isListed }),
      ...(collected !== undefined && { collected }),
    };
    this.#table.setFields(environment.id, { ...storedFields(environment), ...fields, ...absence });
  }

  setTypes(environment: Environment, types: ListedTypes, hour: number): void {
    const isNew = this.environment(environment.id) === undefined;
    applyTypes(this.#table, environment, types, hour);
    if (isNew && this.environment(environment.id) !== undefined) this.#ring?.add(environment.id);
  }

  setScope(scope: Pick<Scope, "selected" | "visible">, now: number): void {
    this.#ring = null;
    applyScope(this.#table, scope, hourOf(now));
    this.#makeRoom();
  }

  /** Stores what a run has learned besides its environments and streams. */
  learn(learned: Learned): void {
    this.#state = withLearned(this.#state, learned);
    this.#setDescriptions(learned.descriptions);
  }

  #setDescriptions(descriptions: Readonly<Record<string, StoredDescription>>): void {
    this.#state.descriptions = descriptions;
    this.#others = JSON.stringify(this.#state).length;
  }

  /** @param kept - a stream that must not be forgotten, because its findings are being delivered */
  #makeRoom(kept?: Stream): void {
    const { environment, findingType } = kept ?? {};
    const place = environment && findingType !== undefined ? { id: environment.id, type: findingType } : undefined;
    const bounds = { most: this.#most - this.#others, mostOfAll: MOST_OF_ALL - this.#others };
    const forgotten = this.#table.makeRoom(bounds, place);
    this.#forgottenStreams += forgotten;
    if (forgotten > 0) this.#ring = null;
  }

  /**
   * The whole state as the host is to keep it.
   *
   * @param kept - see `#makeRoom`
   */
  toJson(kept?: Stream): JsonObject {
    this.#makeRoom(kept);
    const state: ConnectorState = { ...this.#state, ...this.#table.toJson() };
    return state as unknown as JsonObject;
  }

  #wholePatch(host: Json, kept: Stream): JsonObject {
    this.#host = undefined;
    const patch = patchBetween(host, this.toJson(kept));
    this.#table.markAllSent();
    return patch;
  }
}
