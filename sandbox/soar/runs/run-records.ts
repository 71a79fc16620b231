import type { ActionHistory, Page, RunRow, RunsQuery, RunView, StateChange } from "../../console/contract/index.ts";
import type { Alert, Insight, Json, JsonObject, ResultTable } from "../../../src/runtime/protocol.ts";
import type { Database } from "../database.ts";
import { required } from "../host-error.ts";
import { allOf, behind, countOf, equals, page, pageSize, type Condition } from "../paging.ts";
import type { RunStatus } from "../rows.ts";
import { RunLog } from "./run-log.ts";

export interface NewRun extends Pick<RunRow, "id" | "kind" | "name" | "ownerId" | "owner" | "test" | "by" | "caseId"> {
  packageId: string;
  /** The alert that an action runs on. */
  alertKey: number | null;
  /** The message on standard input, without secrets. */
  request: JsonObject | null;
}

export interface RunEnd {
  status: RunStatus;
  message: string;
  alerts?: number;
  events?: number;
  repeated?: number;
  /** Replaces the connector's whole state. */
  checkpoint?: JsonObject;
  outcome?: RunOutcome;
}

/** What a run left besides its numbers. */
export interface RunOutcome {
  value: Json;
  json: JsonObject | null;
  tables: ResultTable[];
  insight: Insight | null;
  sample: Alert[];
  stateChanges: StateChange[];
  stateChangesLeft: number;
  requestsLeft: number;
}

/** What a run needs to be started again. */
export interface StoredRun extends RunRow {
  packageId: string;
  alertKey: number | null;
}

const COLUMNS = `r.id, r.kind, r.name, r.owner_id AS ownerId, r.owner, r.package_id AS packageId, r.test, r.started_by AS by,
  r.case_id AS caseId, r.alert_key AS alertKey, r.started_at AS startedAt, r.ended_at AS endedAt, r.status, r.message,
  r.alerts, r.events, r.repeated`;
const NOTHING: RunOutcome = {
  value: null,
  json: null,
  tables: [],
  insight: null,
  sample: [],
  stateChanges: [],
  stateChangesLeft: 0,
  requestsLeft: 0,
};
/** Of a connector that polls every ten minutes, these are the runs of three days and a half. */
export const RUNS_KEPT = 500;
const COMPACTED = `The log and the requests of this run were deleted: they are kept for the last ${RUNS_KEPT} runs of a connector.`;
/** A page that shows a run asks for its alerts again and again while it runs. */
const MOST_ALERTS = 500;
type Row = Omit<StoredRun, "test"> & { test: number; rowid: number };

/** Every run: what it was asked, how it ended, what it left. In the order in which they began, which no clock that is set back changes. */
export class RunRecords {
  /** What the runs wrote and what they sent. */
  readonly log: RunLog;
  private readonly db: Database;
  /** Messages of failed runs whose end is not stored yet, by id. */
  private readonly failed = new Map<string, { message: string; endedAt: number }>();

  constructor(db: Database) {
    this.db = db;
    this.log = new RunLog(db);
  }

  /** Begins a run. From here on no earlier run of the same connector, of this process or another, can store anything. */
  begin({ id, kind, name, ownerId, owner, packageId, test, by, caseId, alertKey, request }: NewRun, now: number): void {
    this.db.transaction(() => {
      this.db.insert("runs", {
        id,
        kind,
        name,
        owner_id: ownerId,
        owner,
        package_id: packageId,
        test: Number(test),
        started_by: by,
        case_id: caseId,
        alert_key: alertKey,
        started_at: now,
      });
      this.db.insert("run_details", { run_id: id, request_json: JSON.stringify(request) });
      if (kind === "action") return;
      this.compact(ownerId, now);
      if (test) return;
      this.interrupt("owner_id = ? AND test = 0 AND id <> ?", [ownerId, id], now);
      this.db.run("UPDATE connectors SET current_run = ? WHERE id = ?", id, ownerId);
    });
  }

  /** Ends every run that an earlier process of this host has begun. @param active ids of the runs of this process */
  interruptOthers(active: readonly string[], now: number): void {
    this.interrupt("id NOT IN (SELECT value FROM json_each(?))", [JSON.stringify(active)], now);
  }

  /** Ends a run, and stores its whole checkpoint with it. */
  end(id: string, end: RunEnd, now: number): void {
    const { status, message, alerts = 0, events = 0, repeated = 0, checkpoint, outcome } = end;
    this.db.transaction(() => {
      this.db.run(
        `UPDATE runs SET ended_at = ?, status = ?, message = ?, alerts = ?, events = ?, repeated = ?
         WHERE id = ? AND status = 'running'`,
        now,
        status,
        message,
        alerts,
        events,
        repeated,
        id,
      );
      if (outcome !== undefined) {
        this.db.run("UPDATE run_details SET outcome_json = ? WHERE run_id = ?", JSON.stringify(outcome), id);
      }
      if (checkpoint === undefined) return;
      this.db.run("UPDATE connectors SET state_json = ? WHERE current_run = ?", JSON.stringify(checkpoint), id);
    });
  }

  /** Ends a run that failed. When even that cannot be stored, {@link endFailed} does it later. */
  fail(id: string, message: string, now: number): void {
    try {
      this.end(id, { status: "interrupted", message }, now);
    } catch {
      this.failed.set(id, { message, endedAt: now });
    }
  }

  /** Ends the runs whose end could not be stored so far, and gives their ids. */
  endFailed(): string[] {
    const ids = [...this.failed.keys()];
    for (const [id, { message, endedAt }] of this.failed) {
      this.end(id, { status: "interrupted", message }, endedAt);
      this.failed.delete(id);
    }
    return ids;
  }

  /** The latest first. */
  list(query: RunsQuery = {}): Page<RunRow> {
    const size = pageSize(query.limit);
    const filter = allOf(conditions(query));
    const total = countOf(this.db, "runs r", filter);
    const { sql, values } = allOf([filter, behind(["r.rowid"], query.cursor)]);
    const rows = this.db.all(
      `SELECT ${COLUMNS}, r.rowid FROM runs r WHERE ${sql} ORDER BY r.rowid DESC LIMIT ?`,
      ...values,
      size + 1,
    ) as Row[];
    return page(rows, { size, total, keys: ({ rowid }) => [rowid], show: (row) => runRow(row) });
  }

  /** How many runs are under way. */
  running(): number {
    return countOf(this.db, "runs", { sql: "status = 'running'", values: [] });
  }

  /** The last finished run of an instance or a connector that was no test. */
  last(ownerId: string): RunRow | null {
    const row = this.db.first(
      `SELECT ${COLUMNS}, r.rowid FROM runs r WHERE r.owner_id = ? AND r.test = 0 AND r.status <> 'running'
       ORDER BY r.rowid DESC LIMIT 1`,
      ownerId,
    ) as Row | null;
    return row === null ? null : runRow(row);
  }

  /** @throws HostError when there is no such run. */
  run(id: string): StoredRun {
    const row = required(this.row(id), "run", id);
    return { ...runRow(row), packageId: row.packageId, alertKey: row.alertKey };
  }

  /** The parameters that an action was given, and what it was given of its case, without secrets. */
  input(id: string): { parameters: JsonObject; context: JsonObject } {
    const { parameters = {}, context = {} } = (this.request(id) ?? {}) as {
      [name in "parameters" | "context"]?: JsonObject;
    };
    return { parameters, context };
  }

  /** All that is known of a run but its log; of many alerts, the worst. */
  view(id: string): Omit<RunView, "rerunRefusal" | "progress"> {
    const row = required(this.row(id), "run", id);
    const outcome = this.details(id)?.outcome ?? "null";
    const alertList = this.alerts(id);
    const ofRun = { sql: "run_id = ?", values: [id] };
    return {
      ...runRow(row),
      request: this.request(id),
      requests: this.log.requests(id),
      logLevels: this.log.levels(id),
      alertList,
      alertsLeft: countOf(this.db, "alerts", ofRun) - alertList.length,
      ...NOTHING,
      ...(JSON.parse(outcome) as RunOutcome | null),
    };
  }

  /** The actions that were run from a case, the latest first. */
  actionsOf(caseId: number): ActionHistory[] {
    const rows = this.db.all(
      `SELECT r.id AS runId, r.name AS action, r.started_by AS by, r.started_at AS at, r.ended_at - r.started_at AS ms,
         r.status, r.message, d.request_json ->> '$.parameters' AS parameters
       FROM runs r JOIN run_details d ON d.run_id = r.id WHERE r.case_id = ?
       ORDER BY r.rowid DESC LIMIT 200`,
      caseId,
    ) as (Omit<ActionHistory, "parameters"> & { parameters: string | null })[];
    return rows.map((row) => ({ ...row, parameters: JSON.parse(row.parameters ?? "{}") as JsonObject }));
  }

  private row(id: string): Row | null {
    return this.db.first(`SELECT ${COLUMNS}, r.rowid FROM runs r WHERE r.id = ?`, id) as Row | null;
  }

  /** Each run that begins sends one out of the kept ones. Its row stays, because alerts refer to it. */
  private compact(ownerId: string, now: number): void {
    const old = this.db.first(
      "SELECT id FROM runs WHERE owner_id = ? ORDER BY rowid DESC LIMIT 1 OFFSET ?",
      ownerId,
      RUNS_KEPT,
    ) as { id: string } | null;
    if (old === null) return;
    this.db.run("DELETE FROM run_details WHERE run_id = ?", old.id);
    this.log.replace(old.id, { at: now, level: "info", message: COMPACTED, fields: {} });
  }

  private interrupt(where: string, values: string[], now: number): void {
    this.db.run(
      `UPDATE runs SET status = 'interrupted', ended_at = ?, message = 'The host ended before the run did.'
       WHERE status = 'running' AND ${where}`,
      now,
      ...values,
    );
  }

  private details(id: string): { request: string; outcome: string } | null {
    const sql = "SELECT request_json AS request, outcome_json AS outcome FROM run_details WHERE run_id = ?";
    return this.db.first(sql, id) as { request: string; outcome: string } | null;
  }

  private request(id: string): JsonObject | null {
    return JSON.parse(this.details(id)?.request ?? "null") as JsonObject | null;
  }

  private alerts(id: string): RunView["alertList"] {
    const sql = `SELECT key, case_id AS caseId, title, severity, events FROM alerts WHERE run_id = ?
      ORDER BY severity_rank DESC, events DESC, key LIMIT ${MOST_ALERTS}`;
    return this.db.all(sql, id) as RunView["alertList"];
  }
}

function runRow(row: Row): RunRow {
  const { id, kind, name, ownerId, owner, by, caseId, startedAt, endedAt, status, message } = row;
  const { alerts, events, repeated } = row;
  const test = row.test === 1;
  const place = { ownerId, owner, test, by, caseId };
  return { id, kind, name, ...place, startedAt, endedAt, status, message, alerts, events, repeated };
}

function conditions({ kind, status, owner, text, caseId }: RunsQuery): (Condition | null)[] {
  const part = text === undefined ? null : `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  return [
    equals("r.kind", kind),
    equals("r.status", status),
    equals("r.owner_id", owner),
    equals("r.case_id", caseId),
    part === null
      ? null
      : {
          sql: "r.name LIKE ? ESCAPE '\\' OR r.owner LIKE ? ESCAPE '\\' OR r.message LIKE ? ESCAPE '\\'",
          values: [part, part, part],
        },
  ];
}
