import { followedAlert, isAbout, type Standing } from "../../../src/runtime/job-alert.ts";
import type { AlertChangeMessage, AlertMessage, JobAlert } from "../../../src/runtime/protocol.ts";
import { counted } from "../../../src/text.ts";
import type { Database } from "../database.ts";
import type { AlertStore } from "./alert-store.ts";
import { applyCheckpoint } from "./checkpoint.ts";
import { type IntakeTotals, newTotals, type Receiver } from "./intake.ts";

const CLOSED_WITHIN_MS = 30 * 86_400_000;

export interface FollowUpParts {
  db: Database;
  alerts: AlertStore;
}

/** The alerts of a tenant that a job gets: those that are open, or were closed in the last 30 days. */
export function followedAlerts({ db, alerts }: FollowUpParts, server: string, now: number): JobAlert[] {
  const rows = db.all(
    `SELECT key, status, closed_by AS closedBy, closed_at AS closedAt, reopened_by AS reopenedBy,
       priority AS currentPriority FROM alerts
     WHERE status = 'open' OR closed_at >= ? ORDER BY key`,
    now - CLOSED_WITHIN_MS,
  ) as (Standing & Pick<JobAlert, "currentPriority"> & { key: number })[];
  const tenant = tenantIn(server);
  return rows.flatMap(({ key, ...current }) => {
    const alert = alerts.alert(key);
    if (alert === null || tenant === null || !isAbout(alert, tenant, false)) return [];
    return [{ ...followedAlert(alert), alertId: String(key), ...current }];
  });
}

/** With the path prefix; the pages of a tenant are under /ui. Reads what the plugin reads, which refuses what is no address. */
function tenantIn(server: string): string | null {
  const text = server.replace(/[?#].*$/s, "").trim();
  const address = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) return null;
  const { protocol, host, pathname } = new URL(address);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const own = segments.findIndex((segment) => /^(ui|api)$/i.test(segment));
  return [`${protocol}//${host.replace(/\.(?=:|$)/, "")}`, ...segments.slice(0, own === -1 ? Infinity : own)].join("/");
}

/** Makes the changes that one run of a job asks for, each with its checkpoint. */
export class ChangeIntake implements Receiver {
  readonly totals: IntakeTotals = newTotals();
  private readonly parts: FollowUpParts;
  private readonly run: { id: string; connectorId: string; name: string; test: boolean };

  constructor(parts: FollowUpParts, run: { id: string; connectorId: string; name: string; test: boolean }) {
    this.parts = parts;
    this.run = run;
  }

  get storing(): boolean {
    return !this.run.test;
  }

  receive(message: AlertMessage | AlertChangeMessage, now: number): number | null {
    if (message.type !== "alert_change" || !this.storing) return null;
    const { db, alerts } = this.parts;
    const { id: runId, connectorId } = this.run;
    return db.transaction(() => {
      applyCheckpoint(db, { connectorId, runId, checkpoint: message.checkpoint ?? null });
      const key = Number(message.alertId);
      const caseId = alerts.caseOf(key);
      if (!this.make(message, key, now)) return null;
      const { title } = db.first("SELECT title FROM alerts WHERE key = ?", key) as { title: string };
      this.note(caseId, "comment", `Alert "${title}": ${message.text}`, now);
      this.note(caseId, "history", `${DONE[message.change]} alert "${title}". ${evidenceText(message)}`, now);
      db.run("UPDATE cases SET updated_at = ? WHERE id = ?", now, caseId);
      return caseId;
    });
  }

  /** Says whether something was done: what a person has closed or reopened in the meantime stays. */
  private make({ change, priority }: AlertChangeMessage, key: number, now: number): boolean {
    const { alerts } = this.parts;
    if (change === "close") return alerts.close(key, "job", now);
    if (change === "reopen") return alerts.reopen(key, "job");
    if (change === "priority" && priority !== undefined) alerts.setPriority(key, priority);
    return true;
  }

  private note(caseId: number, kind: "comment" | "history", text: string, at: number): void {
    this.parts.db.insert("case_notes", { case_id: caseId, kind, by: this.run.name, at, text });
  }
}

const DONE = {
  close: "Closed",
  reopen: "Reopened",
  comment: "Commented on",
  priority: "Changed the priority of",
} as const;

const REASONS: Record<AlertChangeMessage["reason"], string> = {
  remediated: "its findings are gone",
  partly_gone: "some of its findings are gone",
  returned: "a finding is back",
  withdrawn: "its environment or finding type no longer exists",
  accepted: "the risk of its findings was accepted",
  acceptance_ended: "the acceptance of a finding ended",
};

function evidenceText({ reason, evidence }: AlertChangeMessage): string {
  const { analyses, gone, open } = evidence;
  const times = analyses.map((at) => `${at.slice(0, 16).replace("T", " ")} UTC`).join(" and ");
  const absent = times === "" ? "" : `, absent after the analyses of ${times}`;
  return `Reason: ${REASONS[reason]}. Evidence: ${counted(gone, "finding")} gone${absent}; ${open} not gone.`;
}
