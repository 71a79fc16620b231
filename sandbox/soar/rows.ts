import type { AlertEvent, ResultStatus, Severity } from "../../src/runtime/protocol.ts";

export interface CaseRow {
  id: number;
  title: string;
  status: "open" | "closed";
  /** The worst of its alerts. */
  severity: Severity;
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
}

export interface EventRow {
  alertKey: number;
  alertId: string;
  caseId: number;
  position: number;
  event: AlertEvent;
}

export type RunStatus = "running" | "crashed" | "interrupted" | ResultStatus;

export interface RunRow {
  id: string;
  kind: "action" | "connector";
  name: string;
  /** Id of the instance or the connector. */
  ownerId: string;
  test: boolean;
  startedAt: number;
  endedAt: number | null;
  status: RunStatus;
  message: string;
  /** Alerts stored, the events in them, and alerts that were known already. */
  alerts: number;
  events: number;
  repeated: number;
}
