import { patchBetween } from "../../runtime/merge-patch.ts";
import type { JsonObject } from "../../runtime/protocol.ts";
import { checksIn } from "./id-text.ts";
import type { ConnectorState, EnvironmentMemory, StreamMemory } from "./state.ts";
import { unreadSince } from "./stream-memory.ts";

/** What is known of an environment besides its streams. */
export type EnvironmentFields = Omit<EnvironmentMemory, "streams">;

interface Entry {
  fields: EnvironmentFields;
  /** By finding type. */
  readonly streams: Map<string, StreamMemory>;
  /** The streams as the host's copy has them. */
  readonly sent: Map<string, StreamMemory>;
}

/** A quotation mark on each side, and a colon and a comma. */
const AROUND_A_KEY = 4;
const AROUND_STREAMS = ',"streams":{}'.length;

/**
 * What the connector knows of environments and their streams, how many characters of JSON that takes, and what the host's copy
 * lacks of it. The names of finding types stand in the state once, and streams under their numbers.
 */
export class MemoryTable {
  readonly #entries = new Map<string, Entry>();
  readonly #numbers = new Map<string, string>();
  /** In how many environments each finding type has a stream. */
  readonly #uses = new Map<string, number>();
  /** Finding types that the host's copy names, whichever alerts of this run the host stores. */
  readonly #sentTypes = new Set<string>();
  /** What the host's copy still holds of what was forgotten. */
  readonly #removed: { id: string; type: string | null }[] = [];
  #nextNumber = 0;
  #streams = 0;
  #checks = 0;
  #characters = 0;
  /** Null when streams have come to be gone, or are not gone any more, since it was counted. */
  #goneCharacters: number | null = null;

  constructor({ environments, types }: Pick<ConnectorState, "environments" | "types">) {
    for (const [number, type] of Object.entries(types)) this.#number(type, number);
    for (const [id, { streams, ...fields }] of Object.entries(environments)) {
      this.setFields(id, fields);
      for (const [number, memory] of Object.entries(streams)) this.setStream(id, types[number] ?? number, memory);
    }
    this.markAllSent();
  }

  get characters(): number {
    return this.#characters;
  }

  /** Characters of the streams besides this one that are gone or not selected: they are forgotten when there is no room for it. */
  goneCharactersBeside(id: string, type: string): number {
    this.#goneCharacters ??= this.#gone().reduce((sum, gone) => sum + this.#streamSize(gone.id, gone.type), 0);
    const since = this.#entries.get(id)?.fields.goneSince ?? unreadSince(this.stream(id, type) ?? {});
    return this.#goneCharacters - (since === undefined ? 0 : this.#streamSize(id, type));
  }

  /** Characters of all checks. */
  get checks(): number {
    return this.#checks;
  }

  /** How many environments and streams it holds. */
  get size(): number {
    return this.#entries.size + this.#streams;
  }

  ids(): string[] {
    return [...this.#entries.keys()];
  }

  fields(id: string): Readonly<EnvironmentFields> | undefined {
    return this.#entries.get(id)?.fields;
  }

  streams(id: string): [findingType: string, memory: StreamMemory][] {
    return [...(this.#entries.get(id)?.streams ?? [])];
  }

  stream(id: string, type: string): StreamMemory | undefined {
    return this.#entries.get(id)?.streams.get(type);
  }

  /** What is known of a stream, or what it begins with; undefined when that is nothing. */
  memory(id: string, type: string): StreamMemory | undefined {
    const { forgotAt } = this.fields(id) ?? {};
    return this.stream(id, type) ?? (forgotAt === undefined ? undefined : { forgotAt });
  }

  setFields(id: string, fields: EnvironmentFields): void {
    const entry = this.#entries.get(id);
    this.#characters += sizeOf(fields) - (entry === undefined ? 0 : sizeOf(entry.fields));
    if (entry !== undefined) {
      if (fields.goneSince !== entry.fields.goneSince) this.#goneCharacters = null;
      entry.fields = fields;
      return;
    }
    this.#characters += keySize(id) + AROUND_STREAMS;
    this.#entries.set(id, { fields, streams: new Map(), sent: new Map() });
  }

  setStream(id: string, type: string, memory: StreamMemory): void {
    if (!this.#entries.has(id)) this.setFields(id, {});
    const { streams, fields } = this.#entries.get(id) ?? {};
    const unread = [fields?.goneSince, unreadSince(memory), unreadSince(this.stream(id, type) ?? {})];
    if (unread.some((since) => since !== undefined)) this.#goneCharacters = null;
    this.#characters += sizeOf(memory) + keySize(this.#number(type)) - this.#streamSize(id, type);
    this.#checks += checksOf(memory) - checksOf(this.stream(id, type) ?? {});
    if (streams?.has(type) === false) this.#use(type, 1);
    streams?.set(type, memory);
  }

  /** Counts the name of a finding type for as long as a stream has it. */
  #use(type: string, more: 1 | -1): void {
    this.#streams += more;
    const before = this.#uses.get(type) ?? 0;
    this.#uses.set(type, before + more);
    if (before === 0 || before + more === 0)
      this.#characters += more * (keySize(this.#number(type)) + JSON.stringify(type).length);
  }

  deleteStream(id: string, type: string): void {
    const entry = this.#entries.get(id);
    this.#goneCharacters = null;
    this.#characters -= this.#streamSize(id, type);
    this.#checks -= checksOf(this.stream(id, type) ?? {});
    if (entry?.streams.delete(type) === true) this.#use(type, -1);
    if (entry?.sent.delete(type) === true) this.#removed.push({ id, type });
  }

  deleteEnvironment(id: string): void {
    for (const [type] of this.streams(id)) this.deleteStream(id, type);
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#characters -= sizeOf(entry.fields) + keySize(id) + AROUND_STREAMS;
    this.#entries.delete(id);
    this.#removed.push({ id, type: null });
  }

  /** Characters that a stream takes: its number included. */
  #streamSize(id: string, type: string): number {
    const memory = this.stream(id, type);
    return memory === undefined ? 0 : sizeOf(memory) + keySize(this.#number(type));
  }

  /**
   * Forgets streams that are gone or not selected until the rest fits, those first that have been so for longest, and then what is left of
   * environments that are gone. Beyond `mostOfAll` it also forgets the last finding type of the last environment, and so on, so that each
   * run forgets the same ones.
   *
   * @param kept - a stream that stays
   * @returns how many streams were forgotten, and environments of which only that was still known
   */
  makeRoom({ most, mostOfAll }: { most: number; mostOfAll: number }, kept?: { id: string; type: string }): number {
    let forgotten = 0;
    if (this.#characters <= most) return forgotten;
    for (const { id, type } of this.#forgettable(mostOfAll)) {
      if (this.#characters <= most) return forgotten;
      if (id === kept?.id && (type === kept.type || type === null)) continue;
      if (type === null) {
        // Should it come back, its alerts have the ids that they had before it was forgotten.
        const { goneSince, forgotAt } = this.fields(id) ?? {};
        if (goneSince !== undefined && forgotAt !== undefined) forgotten += 1;
        this.deleteEnvironment(id);
      } else {
        if (this.stream(id, type) !== undefined) forgotten += 1;
        this.deleteStream(id, type);
      }
    }
    return forgotten;
  }

  /** The streams that are gone or not selected, those first that have been so for longest. */
  #gone(): { id: string; type: string }[] {
    const gone: { id: string; type: string; since: number }[] = [];
    for (const [id, { fields, streams }] of this.#entries) {
      for (const [type, memory] of streams) {
        const since = fields.goneSince ?? unreadSince(memory);
        if (since !== undefined) gone.push({ id, type, since });
      }
    }
    return gone.sort((a, b) => a.since - b.since);
  }

  *#forgettable(mostOfAll: number): Generator<{ id: string; type: string | null }> {
    yield* this.#gone();
    for (const [id, { fields, streams }] of this.#entries)
      if (fields.goneSince !== undefined && streams.size === 0) yield { id, type: null };
    if (this.#characters > mostOfAll) yield* this.#fromTheEnd();
  }

  /** Every stream and, after its streams, every environment, the last ones first. */
  *#fromTheEnd(): Generator<{ id: string; type: string | null }> {
    for (const [id, { streams }] of [...this.#entries].reverse()) {
      for (const type of [...streams.keys()].reverse()) yield { id, type };
      yield { id, type: null };
    }
  }

  /**
   * The merge patch that brings the host's copy of one stream up to date, and of what was forgotten since the last one.
   *
   * @param fields - of its environment, to be changed with it; null removes one
   */
  patch(id: string, type: string, fields: JsonObject): JsonObject {
    const sent = this.#entries.get(id)?.sent;
    const memory = this.stream(id, type) ?? {};
    const change = patchBetween(sent?.get(type) as JsonObject | undefined, memory as JsonObject);
    sent?.set(type, memory);
    const environments = new Map<string, Map<string, JsonObject | null> | null>();
    for (const removed of this.#removed.splice(0)) {
      const streams = environments.get(removed.id) ?? new Map<string, JsonObject | null>();
      if (removed.type !== null) streams.set(this.#number(removed.type), null);
      // One that has come back lacks the streams that it had: a patch cannot remove it and then add it.
      environments.set(removed.id, removed.type === null && removed.id !== id ? null : streams);
    }
    const streams = environments.get(id) ?? new Map<string, JsonObject | null>();
    environments.set(id, streams.set(this.#number(type), change));
    // The host may leave the alert whose patch named the type first, and take later ones.
    const isNewType = !this.#sentTypes.has(type);
    return {
      ...(isNewType ? { types: { [this.#number(type)]: type } } : {}),
      environments: Object.fromEntries(
        [...environments].map(([each, changes]) => [
          each,
          changes && {
            ...initialMemory(this.fields(each) ?? {}),
            ...(each === id ? fields : {}),
            streams: Object.fromEntries(changes),
          },
        ]),
      ),
    };
  }

  /** To be called when the host gets the whole state: later patches start from it. */
  markAllSent(): void {
    this.#removed.length = 0;
    this.#sentTypes.clear();
    for (const [type, uses] of this.#uses) if (uses > 0) this.#sentTypes.add(type);
    for (const { streams, sent } of this.#entries.values()) {
      sent.clear();
      for (const [type, memory] of streams) sent.set(type, memory);
    }
  }

  toJson(): Pick<ConnectorState, "environments" | "types"> {
    const environments = [...this.#entries].map(([id, { fields, streams }]): [string, EnvironmentMemory] => {
      const byNumber = [...streams].map(([type, memory]): [string, StreamMemory] => [this.#number(type), memory]);
      return [id, { ...fields, streams: Object.fromEntries(byNumber) }];
    });
    const types = [...this.#numbers].flatMap(([type, number]) =>
      (this.#uses.get(type) ?? 0) > 0 ? [[number, type]] : [],
    );
    return {
      types: Object.fromEntries(types) as Record<string, string>,
      environments: Object.fromEntries(environments),
    };
  }

  /** The number of a finding type; a new one when it has none yet. */
  #number(type: string, given?: string): string {
    const known = this.#numbers.get(type);
    if (known !== undefined) return known;
    const number = given ?? String(this.#nextNumber);
    this.#nextNumber = Math.max(this.#nextNumber, Number(number) + 1);
    this.#numbers.set(type, number);
    return number;
  }
}

/** What the streams of an environment begin with: that some were forgotten. */
export function initialMemory({ forgotAt }: EnvironmentFields): Pick<StreamMemory, "forgotAt"> {
  return forgotAt === undefined ? {} : { forgotAt };
}

/** Characters of the checks in a stream's memory. */
export function checksOf({ ids = {} }: StreamMemory): number {
  return Object.values(ids).reduce((sum, text) => sum + checksIn(text), 0);
}

function keySize(key: string): number {
  return JSON.stringify(key).length - 2 + AROUND_A_KEY;
}

function sizeOf(value: object): number {
  return JSON.stringify(value).length;
}
