import type { LogLine, Page, RequestDetails, RequestTrace } from "../../console/contract/index.ts";
import { LOG_LEVELS, type JsonObject, type LogLevel } from "../../../src/runtime/protocol.ts";
import type { Database } from "../database.ts";
import { required } from "../host-error.ts";
import { allOf, behind, countOf, page, pageSize } from "../paging.ts";

const LINES_AT_ONCE = 200;

/** The lines that each run wrote to its log, and the requests that it sent to the service. */
export class RunLog {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  /** Adds what a run has written since the last call; `at` is how many lines and traces it had before. */
  append(
    id: string,
    lines: readonly LogLine[],
    traces: readonly (RequestTrace & RequestDetails)[],
    at: { lines: number; traces: number },
  ): void {
    this.db.transaction(() => {
      for (const [index, line] of lines.entries()) this.addLine(id, at.lines + index, line);
      for (const [index, trace] of traces.entries()) {
        this.db.insert("run_requests", {
          run_id: id,
          position: at.traces + index,
          trace_json: JSON.stringify(trace),
        });
      }
    });
  }

  /** Deletes all that is kept of a run, and leaves this line in its place. Call it in a transaction. */
  replace(id: string, line: LogLine): void {
    this.db.run("DELETE FROM run_log WHERE run_id = ?", id);
    this.db.run("DELETE FROM run_requests WHERE run_id = ?", id);
    this.addLine(id, 0, line);
  }

  /**
   * The oldest line first; `level` is the least that counts.
   * @throws HostError when there is no such run.
   */
  lines(id: string, query: { level?: string; cursor?: string; limit?: number } = {}): Page<LogLine> {
    required(this.db.first("SELECT 1 FROM runs WHERE id = ?", id), "run", id);
    const size = pageSize(query.limit ?? LINES_AT_ONCE);
    const least = LOG_LEVELS.findIndex((level) => level === query.level);
    const wanted = JSON.stringify(LOG_LEVELS.slice(Math.max(0, least)));
    const filter = { sql: "run_id = ? AND level IN (SELECT value FROM json_each(?))", values: [id, wanted] };
    const total = countOf(this.db, "run_log", filter);
    // Sorted by the negative position, because a cursor leads from the greatest to the smallest.
    const { sql, values } = allOf([filter, behind(["-position"], query.cursor)]);
    const rows = this.db.all(
      `SELECT position, at, level, message, fields_json AS fields FROM run_log WHERE ${sql} ORDER BY position LIMIT ?`,
      ...values,
      size + 1,
    ) as (Omit<LogLine, "fields"> & { fields: string; position: number })[];
    return page(rows, {
      size,
      total,
      keys: ({ position }) => [-position],
      show: ({ at, level, message, fields }) => ({ at, level, message, fields: JSON.parse(fields) as JsonObject }),
    });
  }

  /** How many lines a run has of each level. */
  levels(id: string): Record<LogLevel, number> {
    const sql = "SELECT level, count(*) AS lines FROM run_log WHERE run_id = ? GROUP BY level";
    const rows = this.db.all(sql, id) as { level: LogLevel; lines: number }[];
    const none = { debug: 0, info: 0, warn: 0, error: 0 };
    return { ...none, ...Object.fromEntries(rows.map(({ level, lines }) => [level, lines])) };
  }

  /** What a run sent to the service, in the order in which the answers came. */
  requests(id: string): RequestTrace[] {
    const sql = `SELECT json_remove(trace_json, '$.sent', '$.received') AS trace FROM run_requests WHERE run_id = ? ORDER BY position`;
    return (this.db.all(sql, id) as { trace: string }[]).map(({ trace }) => JSON.parse(trace) as RequestTrace);
  }

  /** Both sides of one request. @throws HostError when there is no such request. */
  request(id: string, position: number): RequestDetails {
    const sql = "SELECT trace_json AS trace FROM run_requests WHERE run_id = ? AND position = ?";
    const row = this.db.first(sql, id, position) as { trace: string } | null;
    const { sent = null, received = null } = JSON.parse(
      required(row, "request", position).trace,
    ) as Partial<RequestDetails>;
    return { sent, received };
  }

  private addLine(run_id: string, position: number, { fields, ...line }: LogLine): void {
    this.db.insert("run_log", { run_id, position, ...line, fields_json: JSON.stringify(fields) });
  }
}
