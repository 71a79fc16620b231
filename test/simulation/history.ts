import type { Alert, AlertEvent } from "../../src/runtime/protocol.ts";
import type { Message } from "./host.ts";
import type { Json } from "./merge-patch.ts";
import type { FindingPlan, PollPlan } from "./scenario.ts";
import type { LogEntry } from "./tenant/log.ts";
import { idOf, keyOfObjects } from "./tenant/records.ts";
import type { World } from "./world.ts";

/** One run of the plugin, as the host and the tenant saw it. Moments are true milliseconds since the scenario began. */
export interface RunRecord {
  readonly index: number;
  readonly plan: PollPlan;
  /** Part of the quiet end of the scenario, in which everything must be delivered. */
  readonly quiet: boolean;
  readonly start: number;
  end: number;
  readonly stateBefore: Json;
  readonly messages: Message[];
  /** Lines that are no JSON object. */
  readonly garbage: string[];
  /** Characters of the whole standard output and standard error, for secrets. */
  output: string;
  stderr: string;
  result: (Message & { type: "result" }) | null;
  exitCode: number | null;
  /** Why the run ended: by itself, by the host, or never. */
  ending: "ended" | "killed" | "deadline" | "hang";
  readonly alerts: DeliveredAlert[];
  readonly requests: LogEntry[];
  /** Another run was on at the same time, or might have been. */
  overlapped: boolean;
  /** Findings of alerts that the host left for the next run. */
  readonly left: Set<string>;
}

export interface DeliveredAlert {
  readonly alert: Alert;
  /** What the events are about, in their order; null for a finding that nobody knows. */
  readonly keys: readonly (string | null)[];
  /** The host had no alert of this id. */
  readonly isNew: boolean;
  readonly patch: Json | undefined;
}

/** Which finding of the tenant an event is about. Of several with the same principals, its id or its time tells which. */
export function keyOfEvent(world: World, event: AlertEvent, moment: number): string | null {
  const key = keyOfObjects(event["source_object_id"], event["target_object_id"]);
  const same = key === null ? [] : world.withObjectsOf(key);
  if (same.length < 2) return key;
  const named = same.find((finding) => String(idOf(finding)) === event["finding_id"]);
  return (named ?? same.findLast((finding) => world.isPresent(finding, moment)))?.key ?? key;
}

/** When each finding reached the host. */
export interface Delivery {
  readonly run: number;
}

export interface History {
  readonly runs: RunRecord[];
  readonly deliveries: Map<string, Delivery[]>;
  /** Findings that a run must leave delivered, by its index: several invariants ask for them. */
  readonly promised: Map<number, readonly FindingPlan[]>;
}

export interface Violation {
  invariant: string;
  detail: string;
  run: number;
}
