import type { Alert, AlertEvent } from "../../../src/runtime/protocol.ts";
import {
  ALERT_COLUMNS,
  CASE_COLUMNS,
  caseRow,
  type CountedEntity,
  type Entity,
  type Placement,
  SEVERITY_RANKS,
  type StoredCase,
} from "./cases.ts";
import { applyCheckpoint, type Checkpoint } from "./checkpoint.ts";
import type { Database } from "../database.ts";
import { eventKey } from "./event-key.ts";
import { eventColumns } from "./event-row.ts";
import { required } from "../host-error.ts";
import { allOf, equals, type Condition } from "../paging.ts";
import type { AlertRow, CaseRow, EventRow } from "../rows.ts";
import { counted } from "../../../src/text.ts";

export interface IncomingAlert extends Checkpoint {
  alert: Alert;
  placement: Placement;
}

/** `known`: the alert's id was stored before, so that only the checkpoint counted. */
export type StoredAlert = { known: true } | { known: false; key: number; caseId: number; openedCase: boolean };

/** Narrows a list; what is absent narrows nothing. */
export interface Filter {
  key?: number;
  caseId?: number;
  runId?: string;
  connectorId?: string;
  limit?: number;
}

const WORST_FIRST = "a.severity_rank DESC, a.end_time DESC, a.key";

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
      applyCheckpoint(this.db, incoming);
      const { connectorId, alert } = incoming;
      const same = this.db.first("SELECT 1 FROM alerts WHERE connector_id = ? AND id = ?", connectorId, alert.id);
      return same === null ? this.insert(incoming, now) : { known: true };
    });
  }

  /** All cases, the worst first. */
  cases({ caseId, limit }: Pick<Filter, "caseId" | "limit"> = {}): CaseRow[] {
    const rows = this.db.all(
      `SELECT ${CASE_COLUMNS} FROM cases c WHERE ${caseId === undefined ? "1" : "c.id = ?"}
       ORDER BY c.severity_rank DESC, c.events DESC, c.id LIMIT ?`,
      ...(caseId === undefined ? [] : [caseId]),
      limit ?? -1,
    ) as StoredCase[];
    return rows.map(caseRow);
  }

  /** What a case is about. */
  entities(caseId: number): Entity[] {
    const sql = "SELECT type, identifier, kind FROM case_entities WHERE case_id = ? ORDER BY type, identifier";
    return this.db.all(sql, caseId) as Entity[];
  }

  /** The worst alerts first, of equal ones the latest. */
  alerts(filter: Filter = {}): AlertRow[] {
    const { sql, values } = where(filter);
    return this.db.all(
      `SELECT ${ALERT_COLUMNS} FROM alerts a WHERE ${sql} ORDER BY ${WORST_FIRST} LIMIT ?`,
      ...values,
      filter.limit ?? -1,
    ) as AlertRow[];
  }

  /** Of each finding type of a case, the alert that stands first in {@link alerts}. */
  worstOfType(caseId: number): AlertRow[] {
    const ranked = `SELECT key, row_number() OVER (PARTITION BY finding_type ORDER BY ${WORST_FIRST}) AS place
      FROM alerts a WHERE case_id = ?`;
    return this.db.all(
      `SELECT ${ALERT_COLUMNS} FROM alerts a WHERE a.key IN (SELECT key FROM (${ranked}) WHERE place = 1) ORDER BY ${WORST_FIRST}`,
      caseId,
    ) as AlertRow[];
  }

  /** One alert as the plugin delivered it. */
  alert(key: number): Alert | null {
    const row = this.db.first("SELECT alert_json AS alert FROM alerts WHERE key = ?", key) as { alert: string } | null;
    if (row === null) return null;
    const sql = `SELECT f.event_json AS event FROM events e JOIN event_fields f ON f.event_key = e.key
      WHERE e.alert_key = ? ORDER BY e.position`;
    const events = this.db.all(sql, key) as { event: string }[];
    const alert = JSON.parse(row.alert) as Omit<Alert, "events">;
    return { ...alert, events: events.map(({ event }) => JSON.parse(event) as AlertEvent) };
  }

  /** @throws HostError when there is no alert with this key. */
  caseOf(key: number): number {
    const row = this.db.first("SELECT case_id AS caseId FROM alerts WHERE key = ?", key) as { caseId: number } | null;
    return required(row, "alert", key).caseId;
  }

  /** In the order of {@link alerts}, and within an alert as delivered. */
  events(filter: Filter = {}): EventRow[] {
    const { sql, values } = where(filter);
    const rows = this.db.all(
      `SELECT a.key AS alertKey, a.id AS alertId, a.case_id AS caseId, e.position, f.event_json AS event
       FROM alerts a JOIN events e ON e.alert_key = a.key JOIN event_fields f ON f.event_key = e.key WHERE ${sql}
       ORDER BY ${WORST_FIRST}, e.position LIMIT ?`,
      ...values,
      filter.limit ?? -1,
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

  /** Closes an open alert, and its case with the last one. A person takes over what a job has closed. Says whether it did something. */
  close(key: number, by: "job" | "person", now: number): boolean {
    const sql = `UPDATE alerts SET status = 'closed', closed_by = ?, closed_at = ?, reopened_by = NULL
       WHERE key = ? AND (status = 'open' OR ? = 'person' AND closed_by = 'job')`;
    const changed = this.db.run(sql, by, now, key, by);
    this.db.run(
      `UPDATE cases SET status = 'closed' WHERE id = ?
         AND NOT EXISTS (SELECT 1 FROM alerts WHERE case_id = cases.id AND status = 'open')`,
      this.caseOf(key),
    );
    return changed > 0;
  }

  /**
   * Opens a closed alert and its case; for a job, only one that a job has closed. A person takes over what a job has opened. Says whether it did
   * something.
   */
  reopen(key: number, by: "job" | "person"): boolean {
    const changed = this.db.run(
      `UPDATE alerts SET status = 'open', reopened_by = ?
       WHERE key = ? AND CASE ? WHEN 'job' THEN status = 'closed' AND closed_by = 'job' ELSE status = 'closed' OR reopened_by = 'job' END`,
      by,
      key,
      by,
    );
    if (changed > 0) this.markOpen(this.caseOf(key));
    return changed > 0;
  }

  /** Closes a case and its open alerts. */
  closeCase(id: number, now: number): void {
    this.db.run(
      `UPDATE alerts SET status = 'closed', closed_by = 'person', closed_at = ?, reopened_by = NULL, closed_with_case = 1
       WHERE case_id = ? AND status = 'open'`,
      now,
      id,
    );
    this.db.run("UPDATE cases SET status = 'closed' WHERE id = ?", id);
  }

  /** Opens a closed case and the alerts that were closed with it. Those that were closed before stay closed. */
  reopenCase(id: number): void {
    this.db.run(
      `UPDATE alerts SET status = 'open', reopened_by = 'person'
       WHERE case_id = ? AND closed_with_case = 1`,
      id,
    );
    this.markOpen(id);
  }

  /** Its case takes the highest priority of its alerts, as a platform does, unless a person has set that of the case. */
  setPriority(key: number, priority: number): void {
    this.db.run("UPDATE alerts SET priority = ? WHERE key = ?", priority, key);
    const most = "SELECT max(priority) FROM alerts WHERE case_id = cases.id";
    this.db.run(`UPDATE cases SET priority = (${most}) WHERE id = ? AND priority_by_person = 0`, this.caseOf(key));
  }

  /** What was closed with the case is forgotten: the next closing is another one. */
  private markOpen(caseId: number): void {
    this.db.run("UPDATE alerts SET closed_with_case = 0 WHERE case_id = ?", caseId);
    this.db.run("UPDATE cases SET status = 'open' WHERE id = ?", caseId);
  }

  private insert({ connectorId, runId, alert, placement }: IncomingAlert, now: number): StoredAlert {
    const rank = SEVERITY_RANKS.indexOf(alert.severity);
    const joined = this.openCase(placement);
    const caseId = joined ?? this.addCase(placement, alert, rank, now);
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
      events: events.length,
      alert_json: JSON.stringify(rest),
    });
    this.db.run("INSERT INTO playbook_queue SELECT ?, identifier, name FROM playbooks WHERE enabled = 1", key);
    this.insertEvents(key, caseId, alert);
    this.db.run("UPDATE connectors SET events = events + ? WHERE id = ?", events.length, connectorId);
    this.countInCase(caseId, alert, rank, now);
    this.addEntities(caseId, placement.entities);
    const joining = `${counted(events.length, "event")} of "${alert.title}"`;
    const text = joined === null ? `Opened by an alert with ${joining}.` : `An alert with ${joining} joined.`;
    this.db.insert("case_notes", { case_id: caseId, kind: "history", by: "Connector", at: now, text });
    return { known: false, key, caseId, openedCase: joined === null };
  }

  /** In the order of their keys, because the text index writes what it has whenever a key goes back. */
  private insertEvents(alertKey: number, caseId: number, alert: Alert): void {
    const rows = alert.events.map((event, position) => {
      const { row, words } = eventColumns(alert, event);
      return { key: eventKey(row.severity_rank, alertKey, position), position, event, row, words };
    });
    for (const { key, position, event, row, words } of rows.sort((a, b) => a.key - b.key)) {
      this.db.insert("events", { key, alert_key: alertKey, position, case_id: caseId, ...row });
      this.db.insert("event_fields", { event_key: key, event_json: JSON.stringify(event) });
      this.db.insert("event_words", { rowid: key, words });
    }
  }

  /** A priority that a person has set stays, unless this alert is worse than all before. */
  private countInCase(caseId: number, alert: Alert, rank: number, now: number): void {
    this.db.run(
      `UPDATE cases SET priority = CASE WHEN priority_by_person = 0 OR ? > severity_rank THEN max(priority, ?) ELSE priority END,
         severity_rank = max(severity_rank, ?), alerts = alerts + 1, events = events + ?, updated_at = ? WHERE id = ?`,
      rank,
      alert.priority,
      rank,
      alert.events.length,
      now,
      caseId,
    );
  }

  private addEntities(caseId: number, entities: readonly CountedEntity[]): void {
    let added = 0;
    for (const { type, identifier, kind, events } of entities) {
      const row = this.db.first(
        `INSERT INTO case_entities VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET events = events + excluded.events RETURNING events`,
        caseId,
        type,
        identifier,
        kind,
        events,
      ) as { events: number };
      // An entity that was there before has more events than this alert brought.
      if (row.events === events) added += 1;
    }
    this.db.run("UPDATE cases SET entities = entities + ? WHERE id = ?", added, caseId);
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
      because: placement.because,
      severity_rank: rank,
      priority: alert.priority,
      opened_at: now,
      updated_at: now,
    });
  }
}

function where({ key, caseId, runId, connectorId }: Filter): Condition {
  return allOf([
    equals("a.key", key),
    equals("a.case_id", caseId),
    equals("a.run_id", runId),
    equals("a.connector_id", connectorId),
  ]);
}
