import type { Alert, AlertEvent } from "../../src/runtime/protocol.ts";
import type { Message } from "./host.ts";
import type { Json } from "./merge-patch.ts";
import type { PollPlan } from "./story.ts";
import type { LogEntry } from "./tenant/tenant.ts";
import { keyOfObjects } from "./tenant/records.ts";

/** One run of the plugin, as the host and the tenant saw it. Moments are true milliseconds since the story began. */
export interface RunRecord {
  readonly index: number;
  readonly plan: PollPlan;
  /** Part of the quiet end of the story, in which everything must be delivered. */
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
}

export interface DeliveredAlert {
  readonly alert: Alert;
  /** What the events are about, in their order; null for a finding that nobody knows. */
  readonly keys: readonly (string | null)[];
  /** The host had no alert of this id. */
  readonly isNew: boolean;
  readonly patch: Json | undefined;
}

/** Which finding of the tenant an event is about. */
export function keyOfEvent(event: AlertEvent): string | null {
  return keyOfObjects(event["source_object_id"], event["target_object_id"]);
}

/** When each finding reached the host. */
export interface Delivery {
  readonly run: number;
}

export interface History {
  readonly runs: RunRecord[];
  readonly deliveries: Map<string, Delivery[]>;
}

export interface Violation {
  law: string;
  detail: string;
  run: number;
}
