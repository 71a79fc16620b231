import type { Alert, AlertEvent, Json, JsonObject } from "../../src/runtime/protocol.ts";
import { SEVERITIES, type Entity, type Placement } from "./cases.ts";
import type { Database, SqlValue } from "./database.ts";
import { applyMergePatch } from "./merge-patch.ts";
import type { AlertRow, CaseRow, EventRow } from "./rows.ts";

export interface IncomingAlert {
  connectorId: string;
  runId: string;
  alert: Alert;
  /** JSON merge patch for the connector's state; null: the state stays as it is. */
  checkpoint: JsonObject | null;
  placement: Placement;
}

/** `known`: the alert's id was stored before, so that only the checkpoint counted. */
export type StoredAlert = { known: true } | { known: false; caseId: number; openedCase: boolean };

/** Narrows a list; what is absent narrows nothing. */
export interface Filter {
  caseId?: number;
  runId?: string;
  connectorId?: string;
  limit?: number;
}

/** Alerts, their events, and the cases that they are grouped into. Times are epoch milliseconds. */
export class AlertStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  /**
   * Stores an alert and its checkpoint together or not at all.
   * @throws Error when a newer run of the connector has begun: that one reads from where this one stood.
   */
  add(incoming: IncomingAlert, now: number): StoredAlert {
    return this.db.transaction(() => {
      this.patchState(incoming);
      const { connectorId, alert } = incoming;
      const same = this.db.first("SELECT 1 FROM alerts WHERE connector_id = ? AND id = ?", connectorId, alert.id);
      return same === null ? this.insert(incoming, now) : { known: true };
    });
  }

  /** All cases, the worst first. */
  cases(filter: Pick<Filter, "caseId" | "limit"> = {}): CaseRow[] {
    const rows = this.db.all(
      `SELECT c.id, c.title, c.status, c.severity_rank AS rank, c.source_grouping_identifier AS sourceGroupingIdentifier,
         c.environment_name AS environmentName, c.opened_at AS openedAt, c.updated_at AS updatedAt,
         (SELECT count(*) FROM alerts a WHERE a.case_id = c.id) AS alerts,
         (SELECT count(*) FROM alerts a JOIN events e ON e.alert_key = a.key WHERE a.case_id = c.id) AS events,
         (SELECT count(*) FROM case_entities n WHERE n.case_id = c.id) AS entities
       FROM cases c WHERE c.id = coalesce(?, c.id) ORDER BY c.severity_rank DESC, events DESC, c.id LIMIT ?`,
      filter.caseId ?? null,
      filter.limit ?? -1,
    ) as (Omit<CaseRow, "severity"> & { rank: number })[];
    return rows.map(({ rank, ...row }) => ({ ...row, severity: SEVERITIES[rank] ?? "unknown" }));
  }

  /** What a case is about. */
  entities(caseId: number): Entity[] {
    const sql = "SELECT type, identifier, kind FROM case_entities WHERE case_id = ? ORDER BY type, identifier";
    return this.db.all(sql, caseId) as Entity[];
  }

  /** The worst alerts first, of equal ones the latest. */
  alerts(filter: Filter = {}): AlertRow[] {
    return this.db.all(
      `SELECT a.key, a.id, a.case_id AS caseId, a.connector_id AS connectorId, a.run_id AS runId, a.name, a.title,
         a.severity, a.priority, a.environment_id AS environmentId, a.environment_name AS environmentName,
         a.finding_type AS findingType, a.start_time AS startTime, a.end_time AS endTime,
         (SELECT count(*) FROM events e WHERE e.alert_key = a.key) AS events
       FROM alerts a ${WHERE} ORDER BY a.severity_rank DESC, a.end_time DESC, a.key LIMIT ?`,
      ...conditions(filter),
    ) as AlertRow[];
  }

  /** One alert as the plugin delivered it. */
  alert(key: number): Alert | null {
    const row = this.db.first("SELECT alert_json AS alert FROM alerts WHERE key = ?", key) as { alert: string } | null;
    if (row === null) return null;
    const sql = "SELECT event_json AS event FROM events WHERE alert_key = ? ORDER BY position";
    const events = this.db.all(sql, key) as { event: string }[];
    const alert = JSON.parse(row.alert) as Omit<Alert, "events">;
    return { ...alert, events: events.map(({ event }) => JSON.parse(event) as AlertEvent) };
  }

  /** In the order of {@link alerts}, and within an alert as delivered. */
  events(filter: Filter = {}): EventRow[] {
    const rows = this.db.all(
      `SELECT a.key AS alertKey, a.id AS alertId, a.case_id AS caseId, e.position, e.event_json AS event
       FROM alerts a JOIN events e ON e.alert_key = a.key ${WHERE}
       ORDER BY a.severity_rank DESC, a.end_time DESC, a.key, e.position LIMIT ?`,
      ...conditions(filter),
    ) as (Omit<EventRow, "event"> & { event: string })[];
    return rows.map((row) => ({ ...row, event: JSON.parse(row.event) as AlertEvent }));
  }

  /** How often each finding was stored, by `<environment id> <finding type> <finding id>`: once, or something is wrong. */
  findings(): Map<string, number> {
    const rows = this.db.all(
      `SELECT a.environment_id || ' ' || a.finding_type || ' ' || coalesce(e.finding_id, '') AS finding, count(*) AS times
       FROM alerts a JOIN events e ON e.alert_key = a.key GROUP BY 1`,
    ) as { finding: string; times: number }[];
    return new Map(rows.map(({ finding, times }) => [finding, times]));
  }

  private patchState({ connectorId, runId, checkpoint }: IncomingAlert): void {
    const sql = "SELECT state_json AS state FROM connectors WHERE id = ? AND current_run = ?";
    const row = this.db.first(sql, connectorId, runId) as { state: string } | null;
    if (row === null) throw new Error("A newer run of the connector has begun; this one stores nothing more.");
    if (checkpoint === null) return;
    const state = applyMergePatch(JSON.parse(row.state) as Json, checkpoint);
    this.db.run("UPDATE connectors SET state_json = ? WHERE id = ?", JSON.stringify(state), connectorId);
  }

  private insert({ connectorId, runId, alert, placement }: IncomingAlert, now: number): StoredAlert {
    const rank = SEVERITIES.indexOf(alert.severity);
    const joined = this.openCase(placement);
    const caseId = joined ?? this.addCase(placement, alert, rank, now);
    this.db.run(
      "UPDATE cases SET severity_rank = max(severity_rank, ?), updated_at = ? WHERE id = ?",
      rank,
      now,
      caseId,
    );
    for (const { type, identifier, kind } of placement.entities) {
      this.db.run("INSERT OR IGNORE INTO case_entities VALUES (?, ?, ?, ?)", caseId, type, identifier, kind);
    }
    const { events, ...rest } = alert;
    const key = this.db.insert("alerts", {
      connector_id: connectorId,
      id: alert.id,
      run_id: runId,
      case_id: caseId,
      name: alert.name,
      title: alert.title,
      severity: alert.severity,
      severity_rank: rank,
      priority: alert.priority,
      environment_id: alert.environmentId,
      environment_name: alert.environmentName,
      finding_type: alert.findingType,
      start_time: alert.startTime,
      end_time: alert.endTime,
      alert_json: JSON.stringify(rest),
      received_at: now,
    });
    for (const [position, event] of events.entries()) {
      const id = event["finding_id"];
      const finding_id = id === undefined ? null : String(id);
      this.db.insert("events", { alert_key: key, position, finding_id, event_json: JSON.stringify(event) });
    }
    return { known: false, caseId, openedCase: joined === null };
  }

  private openCase({ rule, sourceGroupingIdentifier, join, shared }: Placement): number | null {
    if (join === "alone") return null;
    const row = this.db.first(
      `SELECT c.id FROM cases c WHERE c.status = 'open' AND c.rule = ? AND c.source_grouping_identifier = ?
         AND (? = 'source' OR EXISTS (
           SELECT 1 FROM json_each(?) s JOIN case_entities e
             ON e.type = s.value ->> 'type' AND e.identifier = s.value ->> 'identifier'
           WHERE e.case_id = c.id))
       ORDER BY c.id LIMIT 1`,
      rule,
      sourceGroupingIdentifier,
      join,
      JSON.stringify(shared),
    ) as { id: number } | null;
    return row?.id ?? null;
  }

  private addCase(placement: Placement, alert: Alert, rank: number, now: number): number {
    return this.db.insert("cases", {
      title: placement.title,
      rule: placement.rule,
      source_grouping_identifier: placement.sourceGroupingIdentifier,
      environment_name: alert.environmentName,
      severity_rank: rank,
      opened_at: now,
      updated_at: now,
    });
  }
}

const WHERE = `WHERE a.case_id = coalesce(?, a.case_id) AND a.run_id = coalesce(?, a.run_id)
  AND a.connector_id = coalesce(?, a.connector_id)`;

function conditions({ caseId, runId, connectorId, limit }: Filter): SqlValue[] {
  return [caseId ?? null, runId ?? null, connectorId ?? null, limit ?? -1];
}
