/**
 * The host contract, protocol 1: a host starts one process per run, writes one JSON request to its standard input,
 * closes it, and reads newline-delimited JSON messages from its standard output. Exactly one message is a result, and
 * it is the last one. Secrets travel on standard input only.
 */
export const PROTOCOL = 1;

/** How long hosts wait before they continue an action: the service may still refuse what it refused the run before. */
export const BETWEEN_RUNS_MS = 1_000;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface RunBase {
  /** The host's name for this run; it stands in log lines. */
  id: string;
  /**
   * RFC 3339 instant at which the host ends the process; null when it never does.
   * @format date-time
   */
  deadline: string | null;
  /** A test run reads a sample and writes no checkpoint. */
  test: boolean;
  /** The least of the log messages that the host wants. Default: info, in a test run debug. */
  logLevel?: LogLevel;
}

export interface ConnectorRun extends RunBase {
  /**
   * Most alerts that the host takes from this run.
   * @asType integer
   * @minimum 1
   */
  maxAlerts?: number;
  /**
   * Most events that the host takes in one alert.
   * @asType integer
   * @minimum 1
   */
  maxEventsPerAlert?: number;
}

export interface ActionRequest {
  protocol: typeof PROTOCOL;
  kind: "action";
  name: string;
  run: RunBase;
  /** Instance parameters by label. */
  instance: Record<string, unknown>;
  /** Action parameters by label. */
  parameters: Record<string, unknown>;
  /** What the host knows of the case or alert that the action runs on. */
  context?: JsonObject;
  /** The `state` of the in_progress result before. */
  state: Json;
}

export interface ConnectorRequest {
  protocol: typeof PROTOCOL;
  kind: "connector";
  name: string;
  run: ConnectorRun;
  /** Connector fields by label; a connector does not see the instance. */
  parameters: Record<string, unknown>;
  /** The checkpoint of the last run; null on the first. */
  state: Json;
}

/** One finding of an alert that the host already has. */
export interface JobFinding {
  /** The service's id of the finding when it was delivered; another analysis may have given it another one. */
  id: string;
  /** Object id of the principal that the path starts from; null for a finding that names one principal only. */
  source: string | null;
  /** Object id of the exposed principal. */
  target: string;
  /** Epoch milliseconds of the finding's `created_at`; 0 when it has none. */
  createdAt: number;
}

/** An alert of this product as the host has it: it is open, or was closed in the last 30 days. */
export interface JobAlert {
  /**
   * What the host calls the alert. Messages name it by this.
   * @pattern .
   */
  alertId: string;
  /** @pattern . */
  environmentId: string;
  /** @pattern . */
  findingType: string;
  status: "open" | "closed";
  /** Who closed it last: this job, or a person. Null when it was never closed. */
  closedBy: "job" | "person" | null;
  /** Epoch milliseconds; null when it was never closed. */
  closedAt: number | null;
  /** Who reopened it after it was last closed; absent or null when nobody did, or the host does not know. */
  reopenedBy?: "job" | "person" | null;
  /** The worst severity of its findings as they were delivered, accepted or not. Without it, the job goes by what it has seen of them. */
  severity?: Severity;
  /** The priority that it was delivered with. */
  priority?: Priority;
  /** The priority that it has now, if the host knows. Without it, the job takes no change of somebody else into account. */
  currentPriority?: Priority;
  /** May be empty: such an alert is never closed. */
  findings: JobFinding[];
}

export interface JobRequest {
  protocol: typeof PROTOCOL;
  kind: "job";
  name: string;
  run: RunBase;
  /** Job parameters by label; a job does not see the instance. */
  parameters: Record<string, unknown>;
  alerts: JobAlert[];
  /** The checkpoint of the last run; null on the first. */
  state: Json;
}

/** @discriminator kind */
export type Request = ActionRequest | ConnectorRequest | JobRequest;

/** From the most detailed to the most severe. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
/** From worst to unknown: severities are compared by their position here. */
export const SEVERITIES = ["critical", "high", "moderate", "low", "unknown"] as const;
export type Severity = (typeof SEVERITIES)[number];
/** How the platform counts urgency: critical, high, medium, low, informative. */
export type Priority = 100 | 80 | 60 | 40 | -1;
export type EventField = string | number | boolean;
/** One finding: flat, so that any platform's mapping can name its fields. */
export type AlertEvent = Record<string, EventField>;

export interface Alert {
  /**
   * A function of what the alert holds: the same findings give the same id.
   * @pattern .
   */
  id: string;
  name: string;
  severity: Severity;
  priority: Priority;
  /**
   * Epoch milliseconds of the earliest event.
   * @asType integer
   */
  startTime: number;
  /**
   * Epoch milliseconds of the latest event.
   * @asType integer
   */
  endTime: number;
  /** The environment id: what the case is opened for. */
  sourceGroupingIdentifier: string;
  environmentId: string;
  environmentName: string;
  findingType: string;
  title: string;
  description: string;
  product: string;
  vendor: string;
  tags: string[];
  /** Long texts, once for all events. */
  extensions: Record<string, string>;
  events: AlertEvent[];
}

export interface LogMessage {
  type: "log";
  level: LogLevel;
  message: string;
  fields: JsonObject;
}
export interface ProgressMessage {
  type: "progress";
  done: number;
  total: number;
  label: string;
}
export interface AlertMessage {
  type: "alert";
  alert: Alert;
  /** JSON merge patch (RFC 7396) that makes the state true once this alert is stored. */
  checkpoint?: JsonObject;
  /**
   * The merge patch instead, for a host that leaves this alert for the next run and takes later ones: what their patches build on, and
   * that the next run must read the environment. Absent when there is nothing.
   */
  checkpointWithoutAlert?: JsonObject;
}
/** What the host is asked to do with one of its alerts. Only the host changes alerts. */
export interface AlertChangeMessage {
  type: "alert_change";
  alertId: string;
  change: "close" | "reopen" | "comment" | "priority";
  reason: "remediated" | "withdrawn" | "accepted" | "acceptance_ended" | "returned" | "partly_gone";
  /** For people: what happened, and why. */
  text: string;
  evidence: ChangeEvidence;
  /** With the change `priority`. */
  priority?: Priority;
  /** JSON merge patch (RFC 7396) that makes the state true once the host has this message. */
  checkpoint?: JsonObject;
}
export interface ChangeEvidence {
  /** RFC 3339 times of the analyses that the change rests on, oldest first; the first may be when the service marked a finding as deleted. */
  analyses: string[];
  /** How many findings of the alert are gone. */
  gone: number;
  /** How many are not. */
  open: number;
}
export type ResultStatus = "completed" | "partial" | "in_progress" | "failed";
export interface ResultMessage {
  type: "result";
  status: ResultStatus;
  /** One clear sentence for people. */
  message: string;
  /** For playbook conditions; null when it is not known, so in every failed run of all actions but Ping. */
  value: Json;
  json?: JsonObject;
  /** An action's facts about entities of the case, for hosts that can enrich them. */
  entities?: EntityUpdate[];
  /** The result of an action for people, for hosts that show tables beside the message. */
  tables?: ResultTable[];
  /** What nobody who works on the case should miss, for hosts that can point it out. */
  insight?: Insight;
  /** With in_progress: goes back in the next request. */
  state?: Json;
  /** The whole state, and no patch, once all alerts are stored; absent when the host keeps the one it has. */
  checkpoint?: JsonObject;
}
/** What an action found out about an entity of the case. */
export interface EntityUpdate {
  /** As the host wrote them in the context of the request. */
  identifier: string;
  type: string;
  /** Null for what is not known now: it must not stay as an earlier action found it. */
  properties: Record<string, string | number | boolean | null>;
}
export interface ResultTable {
  title: string;
  columns: string[];
  /** Each as long as `columns`. */
  rows: (string | number)[][];
  /** A sentence that says how many rows were left out; absent when there are all. */
  note?: string;
}
export interface Insight {
  title: string;
  /** Plain text on one line. */
  text: string;
  severity: "info" | "warning" | "critical";
}
/** @discriminator type */
export type Message = LogMessage | ProgressMessage | AlertMessage | AlertChangeMessage | ResultMessage;
