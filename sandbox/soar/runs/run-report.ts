import type {
  EntityUpdate,
  Insight,
  Json,
  JsonObject,
  ResultMessage,
  ResultTable,
} from "../../../src/runtime/protocol.ts";
import type { IntakeTotals } from "../cases/intake.ts";
import type { NoResult } from "./run-plugin.ts";

/** The outcome of a run, for the caller that started it. */
export interface ActionReport {
  runId: string;
  status: ResultMessage["status"] | NoResult["status"];
  /** One sentence for people. */
  message: string;
  /** For playbook conditions; null without a result. */
  value: Json;
  json: JsonObject | null;
  /** What was found out about entities of the context. */
  entities: EntityUpdate[];
  /** The result for people. */
  tables: ResultTable[];
  insight: Insight | null;
  /** Wall time in milliseconds. */
  ms: number;
}

export type ConnectorReport = ActionReport & IntakeTotals;

const NOTHING = { value: null, json: null, entities: [], tables: [], insight: null };

export function reportOf(end: ResultMessage | NoResult, run: Pick<ActionReport, "runId" | "ms">): ActionReport {
  const { message } = end;
  if (end.type === "no_result") return { ...run, status: end.status, message, ...NOTHING };
  const { status, value, json = null, entities = [], tables = [], insight = null } = end;
  return { ...run, status, message, value, json, entities, tables, insight };
}
