import type { Alert, AlertEvent } from "../../../src/runtime/protocol.ts";
import { SEVERITY_RANKS } from "./cases.ts";
import type { SqlValue } from "../database.ts";

/** What the event table shows of an event, and what text search finds it by. */
export interface EventColumns {
  row: { severity_rank: number } & Record<string, SqlValue>;
  words: string;
}

/** Fields whose words find an event. */
const SEARCHED = [
  "title",
  "finding_type",
  "finding_id",
  "environment_name",
  "source_principal_name",
  "source_object_id",
  "target_principal_name",
  "target_object_id",
] as const;

/** The columns of one event of an alert. */
export function eventColumns(alert: Omit<Alert, "events">, event: AlertEvent): EventColumns {
  const text = (name: string): string | null => {
    const value = event[name];
    return value === undefined || value === "" ? null : String(value);
  };
  const severity = SEVERITY_RANKS.findIndex((name) => name === event["severity"]);
  const risk = event["exposure_percentage"] ?? event["impact_percentage"];
  const created = Date.parse(text("created_at") ?? "");
  return {
    row: {
      finding_id: text("finding_id"),
      severity_rank: severity === -1 ? SEVERITY_RANKS.indexOf(alert.severity) : severity,
      title: text("title") ?? alert.title,
      source: text("source_principal_name") ?? text("source_object_id"),
      target: text("target_principal_name") ?? text("target_object_id"),
      risk_percentage: typeof risk === "number" ? risk : null,
      created_at: Number.isNaN(created) ? null : created,
      accepted: Number(event["accepted"] === true),
    },
    words: SEARCHED.map((name) => text(name) ?? (name === "title" ? alert.title : "")).join("\n"),
  };
}

/**
 * What a person typed, as a query of the full-text index: each word, or the beginning of one, must occur. A name such as
 * ALICE@CORP.LOCAL is several words that follow each other. null: nothing to search for.
 */
export function wordQuery(text: string): string | null {
  // The index takes a NUL for the end of the query.
  const words = text.split(/[\s\0]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words.length === 0 ? null : words.map((word) => `"${word.replaceAll('"', '""')}" *`).join(" AND ");
}
