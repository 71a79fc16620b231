import type { Alert, Insight, Json, JsonObject, LogLevel, ResultTable } from "../../../src/runtime/protocol.ts";
import type { RunRow } from "../../soar/rows.ts";

export type { RunRow, RunStatus } from "../../soar/rows.ts";

export interface RunsQuery {
  kind?: "action" | "connector" | "job";
  status?: string;
  /** Id of an instance or a connector. */
  owner?: string;
  /** Part of a name or a message. */
  text?: string;
  caseId?: number;
  cursor?: string;
  limit?: number;
}

/** One request that a run sent to the service. Times are milliseconds since the start of the run. */
export interface RequestTrace {
  method: string;
  path: string;
  /** Query of the address, decoded, without the question mark. */
  query: string;
  /** When it asked to be sent, when it was sent, and when the last byte of the answer had come. */
  queuedAt: number;
  sentAt: number;
  endedAt: number;
  /** null: there was no answer; `error` says why. */
  status: number | null;
  bytes: number | null;
  error: string | null;
}

/** Both sides of a request, without secrets. A newer or older package may not tell them. */
export interface RequestDetails {
  sent: { headers: Record<string, string> } | null;
  /** Null when there was no response. The body is the beginning of what came. */
  received: { headers: Record<string, string>; body: string } | null;
}

export interface LogLine {
  at: number;
  level: LogLevel;
  message: string;
  fields: JsonObject;
}

/** One change between the state before a run and the state after it. */
export interface StateChange {
  /** Names from the root, such as ["environments", "S-1-5-21-1", "name"]. */
  path: string[];
  before: Json | undefined;
  after: Json | undefined;
}

export interface RunView extends RunRow {
  /** The message on standard input, every secret replaced. */
  request: JsonObject | null;
  requests: RequestTrace[];
  /** Requests beyond those that are kept. */
  requestsLeft: number;
  /** Levels of its log, with their numbers. */
  logLevels: Record<LogLevel, number>;
  /** The worst, at most 500. */
  alertList: { key: number; caseId: number; title: string; severity: string; events: number }[];
  /** Alerts beyond those that are listed. */
  alertsLeft: number;
  /** Of a test run: what it would have created. */
  sample: Alert[];
  stateChanges: StateChange[];
  /** Changes beyond those that are listed. */
  stateChangesLeft: number;
  value: Json;
  json: JsonObject | null;
  /** Of an action: its result for people. */
  tables: ResultTable[];
  insight: Insight | null;
  /** Why it cannot be started again now; null: it can. */
  rerunRefusal: string | null;
  progress: { done: number; total: number; label: string } | null;
}

export interface Page<T> {
  rows: T[];
  total: number;
  /** Goes into the next request; null on the last page. */
  next: string | null;
}

/** An action, started and not waited for. */
export interface StartedRun {
  runId: string;
}

export interface ActionInput {
  instanceId: string;
  action: string;
  parameters: JsonObject;
  /** The case that it is run from. */
  caseId?: number;
  /** Key of the alert whose entities are selected and whose findings are known. */
  alertKey?: number;
  /** Positions of the findings of the alert that it is about; absent: all of them. */
  findings?: number[];
}

/** What an action ran from a case left there. */
export interface ActionHistory {
  runId: string;
  action: string;
  /** Who started it: a person's name, or the playbook's. */
  by: string;
  at: number;
  ms: number | null;
  status: string;
  message: string;
  parameters: JsonObject;
}

export interface PlaybookView {
  name: string;
  description: string;
  /** Identifier of the integration. */
  integration: string;
  /** Runs on each new alert. */
  enabled: boolean;
  steps: PlaybookStep[];
}

/** A step as it is drawn: an action, or a question with its ways. */
export interface PlaybookStep {
  name: string;
  kind: "action" | "condition";
  /** Of an action: what it runs. */
  action: string | null;
  /** Of a question: the first whose conditions hold is taken; the last has none. */
  branches: PlaybookBranch[];
}

export interface PlaybookBranch {
  name: string;
  /** In words. */
  conditions: string[];
  steps: PlaybookStep[];
}

export type StepStatus = "waiting" | "running" | "done" | "failed" | "skipped";

export interface PlaybookRunView {
  id: string;
  playbook: string;
  alertKey: number;
  caseId: number;
  by: string;
  status: "running" | "done" | "failed";
  startedAt: number;
  endedAt: number | null;
  steps: {
    name: string;
    status: StepStatus;
    message: string;
    startedAt: number | null;
    endedAt: number | null;
    runId: string | null;
  }[];
}
