import type {
  AlertFinding,
  AlertFindings,
  AlertView,
  EventListRow,
  EventsQuery,
  EventView,
  FindingEnd,
  Page,
} from "../../console/contract/index.ts";
import { isFilledText } from "../../../src/json.ts";
import type { Alert, AlertEvent, Severity } from "../../../src/runtime/protocol.ts";
import type { AlertStore } from "./alert-store.ts";
import { SEVERITY_RANKS } from "./cases.ts";
import type { Database } from "../database.ts";
import { alertOf, keysOfRank } from "./event-key.ts";
import { wordQuery } from "./event-row.ts";
import { required } from "../host-error.ts";
import { allOf, behind, countOf, page, pageSize, type Condition } from "../paging.ts";

type Row = Omit<EventListRow, "severity" | "accepted"> & { key: number; rank: number; accepted: number };

const MOST_FINDINGS = 500;

/** What the events of a case say about paths. */
export interface CaseFindings {
  /** Findings with two ends whose risk was not accepted. */
  findings: { findingType: string; source: string; target: string; severity: Severity }[];
  /** Findings of a single object. */
  withoutPath: number;
  /** Findings whose risk was accepted. */
  accepted: number;
}

/** Groups of an event's fields, in the order in which they are shown; the first that fits has the field. */
const GROUPS: readonly [title: string, fits: (name: string) => boolean][] = [
  ["Source", (name) => name.startsWith("source_") && name !== "source_domain"],
  ["Target", (name) => name.startsWith("target_")],
  ["Relationship", (name) => name.startsWith("relationship_") || name === "attack_technique"],
  ["Risk", (name) => /^(severity|impact_|exposure_|accepted)/.test(name)],
  ["Environment", (name) => name.startsWith("environment_") || name === "source_domain"],
  ["Time", (name) => /_(time|at)$/.test(name)],
  ["Finding", (name) => /^(finding_|title$|url$|device_)/.test(name)],
  ["Other", () => true],
];

/** The events of a case, page by page, and each of them with all its fields. */
export class Events {
  private readonly db: Database;
  private readonly alerts: AlertStore;

  constructor(db: Database, alerts: AlertStore) {
    this.db = db;
    this.alerts = alerts;
  }

  /** The worst first, of equal ones the latest to arrive. @throws HostError when there is no such case. */
  list(caseId: number, query: EventsQuery = {}): Page<EventListRow> {
    required(this.db.first("SELECT 1 FROM cases WHERE id = ?", caseId), "case", caseId);
    const size = pageSize(query.limit);
    const { from, key, filter } = keysOf(caseId, query);
    const total = countOf(this.db, from, filter);
    const { sql, values } = allOf([filter, behind([key], query.cursor)]);
    const rows = this.db.all(
      `SELECT e.key, e.alert_key AS alertKey, e.position, e.severity_rank AS rank, e.title, e.source, e.target,
         e.risk_percentage AS riskPercentage, e.created_at AS createdAt, e.accepted
       FROM (SELECT ${key} AS key FROM ${from} WHERE ${sql} ORDER BY ${key} DESC LIMIT ?) found
       JOIN events e ON e.key = found.key ORDER BY e.key DESC`,
      ...values,
      size + 1,
    ) as Row[];
    return page(rows, {
      size,
      total,
      keys: (row) => [row.key],
      show: ({ alertKey, position, rank, title, source, target, riskPercentage, createdAt, accepted }) => ({
        alertKey,
        position,
        severity: SEVERITY_RANKS[rank] ?? "unknown",
        title,
        source,
        target,
        riskPercentage,
        createdAt,
        accepted: accepted === 1,
      }),
    });
  }

  /** @throws HostError when there is no such event. */
  view(alertKey: number, position: number): EventView {
    const found = this.db.first(
      `SELECT a.id AS alertId, a.case_id AS caseId, f.event_json AS event FROM events e
       JOIN alerts a ON a.key = e.alert_key JOIN event_fields f ON f.event_key = e.key
       WHERE e.alert_key = ? AND e.position = ?`,
      alertKey,
      position,
    ) as { alertId: string; caseId: number; event: string } | null;
    const { alertId, caseId, event: json } = required(found, "event", `${alertKey}/${position}`);
    const event = JSON.parse(json) as AlertEvent;
    const end = (name: string): string | null => (typeof event[name] === "string" ? event[name] : null);
    return {
      alertKey,
      alertId,
      caseId,
      position,
      event,
      groups: grouped(event),
      ends: { source: end("source_object_id"), target: end("target_object_id") },
    };
  }

  /**
   * The ends of the findings of an alert, or of the worst one of the case that has a finding with two ends.
   * @returns null when the case has no alert
   * @throws HostError when the case has no such alert
   */
  findings(caseId: number, alertKey?: number): AlertFindings | null {
    const key = alertKey ?? this.worstAlert(caseId);
    if (key === null) return null;
    const alert = this.alerts.alerts({ key })[0];
    const { events } = required(alert?.caseId === caseId ? alert : null, "alert", key);
    const rows = this.db.all(
      `SELECT e.position, e.severity_rank AS rank, e.title, f.event_json AS event FROM events e
       JOIN event_fields f ON f.event_key = e.key WHERE e.alert_key = ? ORDER BY e.key DESC LIMIT ?`,
      key,
      MOST_FINDINGS,
    ) as { position: number; rank: number; title: string; event: string }[];
    const findings = rows.map(({ position, rank, title, event }): AlertFinding => {
      const fields = JSON.parse(event) as AlertEvent;
      const severity = SEVERITY_RANKS[rank] ?? "unknown";
      return { position, severity, title, source: endOf(fields, "source"), target: endOf(fields, "target") };
    });
    return { alertKey: key, findings, left: events - findings.length };
  }

  /** The findings of a case by their ends, for the question where to cut. @throws HostError when there is no such case. */
  openFindings(caseId: number): CaseFindings {
    required(this.db.first("SELECT 1 FROM cases WHERE id = ?", caseId), "case", caseId);
    const rows = this.db.all(
      `SELECT a.finding_type AS findingType, e.severity_rank AS rank, f.event_json ->> '$.source_object_id' AS source,
         f.event_json ->> '$.target_object_id' AS target
       FROM events e JOIN alerts a ON a.key = e.alert_key JOIN event_fields f ON f.event_key = e.key
       WHERE e.case_id = ? AND e.accepted = 0`,
      caseId,
    ) as { findingType: string; rank: number; source: unknown; target: unknown }[];
    const all = countOf(this.db, "events", { sql: "case_id = ?", values: [caseId] });
    const findings = rows.flatMap(({ findingType, rank, source, target }) =>
      isFilledText(source) && isFilledText(target)
        ? [{ findingType, source, target, severity: SEVERITY_RANKS[rank] ?? ("unknown" as const) }]
        : [],
    );
    return { findings, withoutPath: rows.length - findings.length, accepted: all - rows.length };
  }

  private worstAlert(caseId: number): number | null {
    const first = (where: string) =>
      this.db.first(
        `SELECT alert_key AS alertKey FROM events WHERE case_id = ? AND ${where} ORDER BY key DESC LIMIT 1`,
        caseId,
      ) as { alertKey: number } | null;
    return (first("source IS NOT NULL AND target IS NOT NULL") ?? first("TRUE"))?.alertKey ?? null;
  }

  /** An alert with its long texts. @throws HostError when there is no such alert. */
  alert(key: number): AlertView {
    const row = required(this.alerts.alerts({ key })[0], "alert", key);
    const stored = this.db.first("SELECT alert_json AS alert FROM alerts WHERE key = ?", key) as { alert: string };
    const { description, extensions, tags, product, vendor } = JSON.parse(stored.alert) as Alert;
    return { ...row, description, extensions, tags, product, vendor };
  }
}

function endOf(event: AlertEvent, end: "source" | "target"): FindingEnd | null {
  const [id, name, kind] = ["object_id", "principal_name", "principal_kind"].map((field) => event[`${end}_${field}`]);
  if (!isFilledText(id)) return null;
  return { id, name: isFilledText(name) ? name : id, kind: typeof kind === "string" ? kind : "" };
}

function grouped(event: AlertEvent): EventView["groups"] {
  const fields = new Map<string, EventView["groups"][number]["fields"]>(GROUPS.map(([title]) => [title, []]));
  for (const [name, value] of Object.entries(event)) {
    const [title] = GROUPS.find(([, fits]) => fits(name)) ?? ["Other"];
    fields.get(title)?.push({ name, value });
  }
  return [...fields].filter(([, own]) => own.length > 0).map(([title, own]) => ({ title, fields: own }));
}

/** Where the keys of the events are found that a query asks for: text leads to the text index alone, which has all that counts. */
function keysOf(
  caseId: number,
  { alertKey, severity, text = "" }: EventsQuery,
): { from: string; key: string; filter: Condition } {
  const words = wordQuery(text);
  const ofRank = (key: string): Condition | null =>
    severity === undefined
      ? null
      : { sql: `${key} BETWEEN ? AND ?`, values: keysOfRank(SEVERITY_RANKS.indexOf(severity)) };
  if (words === null) {
    const place = alertKey === undefined ? "case_id = ?" : "+case_id = ? AND alert_key = ?";
    const values = alertKey === undefined ? [caseId] : [caseId, alertKey];
    return { from: "events", key: "key", filter: allOf([{ sql: place, values }, ofRank("key")]) };
  }
  const alerts = `SELECT key FROM alerts WHERE case_id = ?${alertKey === undefined ? "" : " AND key = ?"}`;
  const filter = allOf([
    { sql: "event_words MATCH ?", values: [words] },
    ofRank("rowid"),
    {
      sql: `${alertOf("rowid")} IN (${alerts})`,
      values: alertKey === undefined ? [caseId] : [caseId, alertKey],
    },
  ]);
  return { from: "event_words", key: "rowid", filter };
}
