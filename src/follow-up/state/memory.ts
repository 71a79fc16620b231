import type { LearnedRate } from "../../ingestion/state/learned.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import { patchBetween } from "../../runtime/merge-patch.ts";
import type { Json, JsonObject } from "../../runtime/protocol.ts";
import { hashOf } from "../finding-key.ts";
import type { ClosingPause } from "../proof/closing-pause.ts";
import { afterList, hasLost, zonesOf } from "../proof/guards.ts";
import { explained, MissingFindings, vanishingOf } from "../proof/missing.ts";
import { MASS_WINDOW_MS, UNSEEN_MS, UNTOLD_MS } from "../proof/waits.ts";
import { type FittedState, fitted } from "./fitted-state.ts";
import type {
  AlertMemory,
  ClockMemory,
  EnvironmentMemory,
  FollowUpState,
  Missing,
  VisibleIds,
  StreamMemory,
} from "./state.ts";

/** A host need not keep more than 2,500,000 characters. */
const MOST_CHARACTERS = 2_400_000;

/** Where a run ended, and what it has learned of the tenant. */
export interface RunEnd {
  readonly next: string | null;
  readonly dialect: string | null;
  readonly rate: LearnedRate;
  readonly clock: ClockMemory;
}

/** Nobody selects an environment by a longer name. */
const LONGEST_NAME = 256;

/** Owns the state of a run: everything that changes it goes through here. */
export class FollowUpMemory {
  readonly #loaded: FollowUpState;
  /** What the host holds, as long as it is not the loaded state. */
  #host: Json | undefined;
  #visible: VisibleIds | undefined;
  #settings: string | undefined;
  #tellsAnalysis: boolean;
  #untoldSince: number | undefined;
  readonly #environments: Map<string, EnvironmentMemory>;
  readonly #alerts: Map<string, AlertMemory>;
  readonly #seen = new Set<string>();
  readonly #characters: number;

  /**
   * @param state - the loaded state, or a fresh one
   * @param host - what the host holds
   * @param characters - how many the state may take
   */
  constructor(state: FollowUpState, host: Json, characters = MOST_CHARACTERS) {
    this.#loaded = state;
    this.#host = host === (state as unknown as Json) ? undefined : host;
    this.#visible = state.visible;
    this.#settings = state.settings;
    this.#tellsAnalysis = state.tellsAnalysis === true;
    this.#untoldSince = state.untoldSince;
    this.#environments = new Map(Object.entries(state.environments));
    this.#alerts = new Map(Object.entries(state.alerts));
    this.#characters = characters;
  }

  get dialect(): string | null {
    return this.#loaded.dialect ?? null;
  }

  /** How many requests a second the tenant takes, as far as that is known. */
  get rate(): LearnedRate {
    const { requestsPerSecond = null, refusedRate = null } = this.#loaded;
    return { requestsPerSecond, refusedRate };
  }

  /** With other parameters than in the last run, everything is due. */
  apply(settings: string): void {
    if (this.#loaded.settings === settings) return;
    this.#settings = settings;
    this.#changeStreams((stream) => ({ ...stream, due: 0 }));
  }

  /** The environment with which the run begins. */
  get next(): string | undefined {
    return this.#loaded.next;
  }

  get clock(): ClockMemory | undefined {
    return this.#loaded.clock;
  }

  get tellsAnalysis(): boolean {
    return this.#tellsAnalysis;
  }

  /** The tenant reports the time of its analysis. */
  tellAnalysis(now: number): void {
    this.#untoldSince = undefined;
    if (this.#tellsAnalysis) return;
    this.#tellsAnalysis = true;
    this.#measureAnew(now);
  }

  /** The tenant does not report the time of its analysis. @returns whether it ceases to, after it has not for long */
  ceasesToTell(now: number): boolean {
    if (!this.#tellsAnalysis) return false;
    this.#untoldSince ??= now;
    if (now - this.#untoldSince <= UNTOLD_MS) return false;
    this.#tellsAnalysis = false;
    this.#untoldSince = undefined;
    this.#measureAnew(now);
    return true;
  }

  /** Something else tells of analyses from now on: all waits begin anew. */
  #measureAnew(now: number): void {
    this.#changeStreams(({ missing, marked = [], ...stream }) => {
      const time = { now, lookedAt: lastLookAt(stream) };
      const kept = new MissingFindings([...missing, ...marked]).markedBeside([], time).toGroups();
      return { ...stream, missing: [], ...(kept.length > 0 && { marked: kept }) };
    });
  }

  #changeStreams(change: (stream: StreamMemory) => StreamMemory): void {
    for (const id of this.#environments.keys()) this.#changeStreamsOf(id, change);
  }

  #changeStreamsOf(id: string, change: (stream: StreamMemory) => StreamMemory): void {
    const known = this.environment(id);
    const streams = Object.entries(known.streams).map(([type, stream]) => [type, change(stream)] as const);
    this.#environments.set(id, { ...known, streams: Object.fromEntries(streams) });
  }

  get visible(): VisibleIds | undefined {
    return this.#visible;
  }

  /** The service has listed all environments. What is known of them is kept without alerts, too: their zones may become fewer. */
  see(environments: readonly Environment[], now: number): void {
    // The service may hide the data of an environment that it still lists.
    const ids = environments.filter(({ collected }) => collected !== false).map(({ id }) => id);
    const visible = afterList(this.#visible, ids, now);
    if (hasLost(this.#visible, visible)) this.#changeStreams(withHidden);
    this.#visible = visible;
    for (const environment of environments) {
      const { absentSince, name: nameBefore, ...known } = this.environment(environment.id);
      const name = (environment.name ?? nameBefore)?.slice(0, LONGEST_NAME).toWellFormed();
      const seen = zonesOf(environment);
      const zones = seen === null ? known.zones : afterList(known.zones, seen, now);
      this.#environments.set(environment.id, { ...known, ...(name && { name }), ...(zones && { zones }) });
      if (hasLost(known.zones, zones)) this.#changeStreamsOf(environment.id, withHidden);
    }
  }

  get environmentIds(): Iterable<string> {
    return this.#environments.keys();
  }

  environment(id: string): EnvironmentMemory {
    return this.#environments.get(id) ?? { streams: {} };
  }

  /** A complete list lacks the environment. */
  unlisted(id: string, now: number): EnvironmentMemory {
    const known = this.environment(id);
    const memory = { ...known, absentSince: known.absentSince ?? now };
    this.#environments.set(id, memory);
    return memory;
  }

  stream(id: string, type: string): StreamMemory | undefined {
    const { streams } = this.environment(id);
    return Object.hasOwn(streams, type) ? streams[type] : undefined;
  }

  setStream(id: string, type: string, memory: StreamMemory): void {
    const known = this.environment(id);
    const streams = new Map([...Object.entries(known.streams), [type, memory]]);
    this.#environments.set(id, { ...known, streams: Object.fromEntries(streams) });
  }

  /** Marks what vanished with many others. */
  markMass(id: string, isMass: (missing: Missing) => boolean): void {
    this.#changeStreamsOf(id, (stream) => {
      const missing = stream.missing.map((group) =>
        group.allowed !== true && isMass(group) ? { ...group, mass: true as const } : group,
      );
      return { ...stream, missing };
    });
  }

  /** @param findingType - with which the next run begins to read the environment; null for the first one */
  beginAt(id: string, findingType: string | null): void {
    const { next, ...known } = this.environment(id);
    this.#environments.set(id, { ...known, ...(findingType !== null && { next: findingType }) });
  }

  setClosingPause(id: string, { keepsOpen, findings }: Pick<ClosingPause, "keepsOpen" | "findings">): void {
    const { closingPaused, ...known } = this.environment(id);
    this.#environments.set(id, { ...known, findings, ...(keepsOpen && { closingPaused: true }) });
  }

  alert(alertId: string): AlertMemory {
    const hash = hashOf(alertId);
    this.#seen.add(hash);
    const { unseenSince, ...memory } = this.#alerts.get(hash) ?? {};
    return memory;
  }

  setAlert(alertId: string, memory: AlertMemory): void {
    this.#alerts.set(hashOf(alertId), memory);
  }

  /** The patch that makes the host's state true about an alert, once it has the change that goes with it. */
  patchOf(alertId: string): JsonObject {
    const hash = hashOf(alertId);
    const memory = this.#alerts.get(hash) ?? {};
    const known = Object.hasOwn(this.#loaded.alerts, hash) ? this.#loaded.alerts[hash] : undefined;
    const change = patchBetween((known ?? null) as Json, memory as JsonObject);
    if (this.#host === undefined) return { alerts: { [hash]: change } };
    // Nothing of an unusable state may stay with the host.
    const { environments, ...rest } = this.#loaded;
    const alerts = { ...this.#loaded.alerts, [hash]: memory };
    const whole = patchBetween(this.#host, { ...rest, environments, alerts } as unknown as JsonObject);
    this.#host = undefined;
    return whole;
  }

  /** Alerts and finding types that the host has sent nothing about for a month are forgotten. */
  toState(end: RunEnd, used: ReadonlyMap<string, ReadonlySet<string>>): FittedState {
    const visible = new Set(this.#visible?.ids);
    const environments = [...this.#environments]
      .map(([id, memory]): [string, EnvironmentMemory] => {
        const streams = streamsAt(end.clock.time, memory.streams, used.get(id));
        return [id, { ...memory, streams: Object.fromEntries(streams) }];
      })
      .filter(
        ([id, { zones, streams }]) =>
          used.has(id) || (zones !== undefined && visible.has(id)) || Object.keys(streams).length > 0,
      );
    const state: FollowUpState = {
      version: 1,
      tenant: this.#loaded.tenant,
      ...(end.dialect !== null && { dialect: end.dialect }),
      ...(end.next !== null && { next: end.next }),
      ...(this.#settings !== undefined && { settings: this.#settings }),
      clock: end.clock,
      ...(this.#tellsAnalysis && { tellsAnalysis: true }),
      ...(this.#untoldSince !== undefined && { untoldSince: this.#untoldSince }),
      ...(this.#visible && { visible: this.#visible }),
      environments: Object.fromEntries(environments),
      alerts: Object.fromEntries(this.#alertsAt(end.clock.time)),
    };
    return fitted(withRate(state, end.rate), this.#characters);
  }

  #alertsAt(now: number): [string, AlertMemory][] {
    return [...this.#alerts].flatMap(([hash, memory]): [string, AlertMemory][] => {
      const { unseenSince = now, ...known } = memory;
      if (Object.keys(known).length === 0) return [];
      if (this.#seen.has(hash)) return [[hash, known]];
      return now - unseenSince > UNSEEN_MS ? [] : [[hash, { ...known, unseenSince }]];
    });
  }
}

/** Pure: what is not known any more is left out. */
export function withRate(state: FollowUpState, { requestsPerSecond, refusedRate }: LearnedRate): FollowUpState {
  const { requestsPerSecond: _requestsPerSecond, refusedRate: _refusedRate, ...rest } = state;
  return {
    ...rest,
    ...(requestsPerSecond !== null && { requestsPerSecond }),
    ...(refusedRate !== null && { refusedRate }),
  };
}

/**
 * The size of a list counts as its former one only if the loss is about as recent as those that pause closing. Whether the service
 * still does not know a finding type has to be seen anew.
 *
 * @param used - finding types of alerts that the host has sent
 */
function streamsAt(
  now: number,
  streams: EnvironmentMemory["streams"],
  used: ReadonlySet<string> | undefined,
): [string, StreamMemory][] {
  return Object.entries(streams).flatMap(([type, { unseenSince = now, ...known }]): [string, StreamMemory][] => {
    if (used?.has(type) === true) return [[type, known]];
    const { sizes, absentSince, ...unseen } = known;
    const isRecent = now - unseenSince <= MASS_WINDOW_MS;
    return now - unseenSince > UNSEEN_MS
      ? []
      : [[type, { ...unseen, ...(isRecent && sizes && { sizes }), unseenSince }]];
  });
}

/** What is missing while the token begins to see less may be hidden, even if it sees everything again before the next read. */
function withHidden(stream: StreamMemory): StreamMemory {
  const lookedAt = lastLookAt(stream);
  const missing = stream.missing.map((group) => {
    return { ...explained(group, lookedAt), ...vanishingOf(group), hidden: true as const };
  });
  return { ...stream, missing };
}

/** When a run looked last: it read the list, or found that nothing could have changed. */
function lastLookAt({ lookedAt, readAt }: Pick<StreamMemory, "lookedAt" | "readAt">): number {
  return lookedAt ?? readAt;
}
