import type { Alert, ResultMessage } from "../../src/runtime/protocol.ts";
import { type Json, mergePatch } from "./merge-patch.ts";
import { Random } from "./random.ts";
import type { HostPlan, Memory, PollPlan } from "./scenario.ts";

/** What a host receives, one message at a time. */
export type Message =
  | { type: "alert"; alert: Alert; checkpoint?: Json; checkpointWithoutAlert?: Json }
  | (ResultMessage & { type: "result" })
  | { type: "log"; level: string; message: string; fields: unknown }
  | { type: "progress"; done: number; total: number; label: string };

/** Which alerts of a run a host leaves for the next run: with each, it leaves all later ones of its stream (docs/host-contract.md). */
export class LeftAlerts {
  readonly #percent: number;
  readonly #random: Random;
  readonly #streams = new Set<string>();

  constructor({ percent, seed }: NonNullable<PollPlan["leaves"]>) {
    this.#percent = percent;
    this.#random = new Random(seed);
  }

  get any(): boolean {
    return this.#streams.size > 0;
  }

  has({ environmentId, findingType }: Alert): boolean {
    const stream = JSON.stringify([environmentId, findingType]);
    if (this.#random.chance(this.#percent / 100)) this.#streams.add(stream);
    return this.#streams.has(stream);
  }
}

/** The model of a host: what it has stored, and the state that it hands to the next run. */
export class Host {
  /** Every state that the host held after a run or a checkpoint, oldest first. */
  readonly #states: Json[] = [null];
  readonly #kind: HostPlan["kind"];
  /** Of the last alert, on a host that stores it later. */
  #latePatch: Json | undefined;
  /** Ids of the alerts that it keeps. */
  readonly alerts = new Set<string>();

  constructor(kind: HostPlan["kind"]) {
    this.#kind = kind;
  }

  get state(): Json {
    return this.#states.at(-1) ?? null;
  }

  /** Stores what a message brings. @returns whether an alert is one that the host did not have, or "left" for one that it leaves */
  take(message: Message, left: LeftAlerts | null = null): boolean | "left" {
    this.#patch(this.#latePatch);
    this.#latePatch = undefined;
    if (message.type === "result") {
      if (message.checkpoint !== undefined && left?.any !== true) this.#states.push(message.checkpoint);
      return false;
    }
    if (message.type !== "alert") return false;
    if (left?.has(message.alert) === true) {
      this.#patch(message.checkpointWithoutAlert);
      return "left";
    }
    const isNew = !this.alerts.has(message.alert.id);
    this.alerts.add(message.alert.id);
    if (this.#kind === "atomic") this.#patch(message.checkpoint);
    if (this.#kind === "late patch") this.#latePatch = message.checkpoint;
    return isNew;
  }

  #patch(patch: Json | undefined): void {
    if (patch !== undefined) this.#states.push(mergePatch(this.state, patch));
  }

  /** The state for the next run, after whatever happened to it. */
  handOver(memory: Memory): Json {
    this.#latePatch = undefined;
    const handed = spoil(this.#states, memory);
    if (memory.kind !== "kept") this.#states.push(handed);
    return handed;
  }
}

function spoil(states: readonly Json[], memory: Memory): Json {
  const state = states.at(-1) ?? null;
  switch (memory.kind) {
    case "kept":
      return state;
    case "lost":
      return null;
    case "stale":
      return states[Math.max(0, states.length - 1 - memory.back)] ?? null;
    case "damaged":
      return damage(state, memory.how, new Random(memory.seed));
  }
}

/**
 * Damage that can be seen: a value of another type, or something that is no state at all. A value of the right type that
 * is merely wrong could be any host's truth, and nothing is promised about it.
 */
function damage(state: Json, how: (Memory & { kind: "damaged" })["how"], random: Random): Json {
  if (how === "junk" || state === null) return random.pick<Json>(["", "state", 0, 17, true, [], [1], {}, { a: 1 }]);
  if (how === "truncated") {
    const text = JSON.stringify(state);
    return text.slice(0, random.int(1, text.length - 1));
  }
  const copy = structuredClone(state);
  const fields = [...leaves(copy)];
  if (fields.length === 0) return "state";
  const { holder, name } = random.pick(fields);
  const before = holder[name];
  const other = [null, 17, "damaged", [], {}, false].filter((value) => kindOf(value) !== kindOf(before));
  holder[name] = random.pick(other);
  return copy;
}

type Holder = Record<string, Json | undefined>;

function* leaves(value: Json): Generator<{ holder: Holder; name: string }> {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Holder;
  for (const name of Object.keys(value)) {
    yield { holder, name };
    yield* leaves(holder[name] ?? null);
  }
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
