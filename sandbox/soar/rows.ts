import type { AlertEvent, ResultStatus, Severity } from "../../src/runtime/protocol.ts";

export interface CaseRow {
  id: number;
  title: string;
  status: "open" | "closed";
  /** The worst of its alerts. */
  severity: Severity;
  /** As the platform counts: 100, 80, 60, 40, -1. That of its most urgent alert, until a person sets another. An alert that is worse than all before counts again. */
  priority: number;
  tags: string[];
  /** Id of the environment. */
  sourceGroupingIdentifier: string;
  environmentName: string;
  alerts: number;
  events: number;
  entities: number;
  openedAt: number;
  updatedAt: number;
}

export interface AlertRow {
  key: number;
  id: string;
  caseId: number;
  connectorId: string;
  runId: string;
  name: string;
  title: string;
  severity: Severity;
  priority: number;
  environmentId: string;
  environmentName: string;
  findingType: string;
  startTime: number;
  endTime: number;
  events: number;
  status: "open" | "closed";
  /** Who closed it last; null when it was never closed. */
  closedBy: "job" | "person" | null;
  closedAt: number | null;
  /** Who reopened it after that. */
  reopenedBy: "job" | "person" | null;
}

export interface EventRow {
  alertKey: number;
  alertId: string;
  caseId: number;
  position: number;
  event: AlertEvent;
}

/** `stopped`: a person ended it before it was done. `interrupted`: the host did. */
export type RunStatus = "running" | "crashed" | "interrupted" | "stopped" | ResultStatus;

export interface RunRow {
  id: string;
  kind: "action" | "connector" | "job";
  name: string;
  /** Id of the instance, the connector or the job. */
  ownerId: string;
  /** Its name when the run began. */
  owner: string;
  test: boolean;
  /** Who started it: a person, the schedule, or a playbook's name. */
  by: string;
  /** The case that an action is run from. */
  caseId: number | null;
  startedAt: number;
  endedAt: number | null;
  status: RunStatus;
  message: string;
  /** Alerts stored, the events in them, and alerts that were known already. */
  alerts: number;
  events: number;
  repeated: number;
}
