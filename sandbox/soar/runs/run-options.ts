import type { ConnectorRun, JsonObject, ProgressMessage } from "../../../src/runtime/protocol.ts";

export interface RunOptions {
  /** Ends the run early, in order. */
  signal?: AbortSignal;
  /** The process is ended after this many milliseconds; null: never. */
  timeoutMs?: number | null;
  onProgress?: (progress: ProgressMessage) => void;
  /** Who starts it. */
  by?: string;
}

export interface ActionRunOptions extends RunOptions {
  /** Key of the alert that the action runs on: its entities are selected, and its findings are known. */
  alert?: number;
  /** Positions of the findings of the alert that it is about; absent: all. */
  findings?: readonly number[];
  /** The case that it is run from; that of the alert when absent. */
  caseId?: number;
  /** What else the action gets to know. */
  context?: JsonObject;
}

export interface ConnectorRunOptions extends RunOptions, Pick<ConnectorRun, "maxAlerts" | "maxEventsPerAlert"> {
  /** Reads a sample and stores nothing. */
  test?: boolean;
}
