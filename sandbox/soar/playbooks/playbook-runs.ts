import type { PlaybookRunView } from "../../console/contract/index.ts";
import type { Database } from "../database.ts";
import { required } from "../host-error.ts";

type Row = Omit<PlaybookRunView, "steps"> & { steps: string };

/** A playbook that was enabled when an alert was stored, and has not begun on it. */
export interface QueuedPlaybook {
  alertKey: number;
  /** Of the package. */
  identifier: string;
  name: string;
}

const COLUMNS = `id, playbook, alert_key AS alertKey, case_id AS caseId, started_by AS by, status, started_at AS startedAt,
  ended_at AS endedAt, steps_json AS steps`;
const MOST_SHOWN = 200;

/** What every run of a playbook did, step by step. */
export class PlaybookRuns {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  /** Stores a run as it stands now, a new one or one that is known. */
  keep({ id, playbook, alertKey, caseId, by, status, startedAt, endedAt, steps }: PlaybookRunView): void {
    this.db.run(
      `INSERT INTO playbook_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, ended_at = excluded.ended_at, steps_json = excluded.steps_json`,
      id,
      playbook,
      alertKey,
      caseId,
      by,
      status,
      startedAt,
      endedAt,
      JSON.stringify(steps),
    );
  }

  /** @throws HostError when there is no such run. */
  view(id: string): PlaybookRunView {
    const row = this.db.first(`SELECT ${COLUMNS} FROM playbook_runs WHERE id = ?`, id) as Row | null;
    return shown(required(row, "playbook run", id));
  }

  /** The latest first. */
  ofCase(caseId: number): PlaybookRunView[] {
    const sql = `SELECT ${COLUMNS} FROM playbook_runs WHERE case_id = ? ORDER BY rowid DESC LIMIT ${MOST_SHOWN}`;
    return (this.db.all(sql, caseId) as Row[]).map(shown);
  }

  /** The playbooks that new alerts wait for, the oldest alert first. */
  queued(): QueuedPlaybook[] {
    return this.db.all(
      "SELECT alert_key AS alertKey, identifier, name FROM playbook_queue ORDER BY alert_key",
    ) as QueuedPlaybook[];
  }

  dequeue({ alertKey, identifier, name }: QueuedPlaybook): void {
    const sql = "DELETE FROM playbook_queue WHERE alert_key = ? AND identifier = ? AND name = ?";
    this.db.run(sql, alertKey, identifier, name);
  }

  /** Those that an earlier process of this host has begun and not ended. */
  unfinished(): PlaybookRunView[] {
    const sql = `SELECT ${COLUMNS} FROM playbook_runs WHERE status = 'running'`;
    return (this.db.all(sql) as Row[]).map(shown);
  }
}

function shown(row: Row): PlaybookRunView {
  return { ...row, steps: JSON.parse(row.steps) as PlaybookRunView["steps"] };
}
