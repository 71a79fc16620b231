import { chmodSync, closeSync, openSync } from "node:fs";
import Libsql from "libsql";
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts";

export type SqlValue = string | number | null;

/** The few verbs that this host needs of SQLite. */
export interface Database {
  /** Adds a row, the columns by name, and gives its key. */
  insert(table: string, row: Record<string, SqlValue>): number;
  /** Changes rows, and says how many. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Rows as the statement names their columns. */
  all(sql: string, ...values: SqlValue[]): unknown[];
  /** The first of the rows, or null. */
  first(sql: string, ...values: SqlValue[]): unknown;
  /** All of the work or none of it; an error undoes it. */
  transaction<T>(work: () => T): T;
  close(): void;
}

const OWNER_ONLY = 0o600;

/**
 * Opens the host's database, and makes its tables in a new one. Only its owner can read it.
 * @throws Error when the tables are of another version of this host.
 */
export function openDatabase(file: string): Database {
  // SQLite gives the files that it adds the mode of the database.
  closeSync(openSync(file, "a", OWNER_ONLY));
  chmodSync(file, OWNER_ONLY);
  const sqlite = new Libsql(file, { timeout: 10_000 });
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = NORMAL");
  sqlite.pragma("foreign_keys = ON");
  const statements = new Map<string, Libsql.Statement>();
  const prepare = (sql: string): Libsql.Statement => {
    const statement = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const all = (sql: string, ...values: SqlValue[]) => prepare(sql).all(...values.map(bound));
  const database: Database = {
    insert(table, row) {
      const columns = Object.keys(row);
      const places = columns.map(() => "?").join(", ");
      const statement = prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`);
      return Number(statement.run(...Object.values(row).map(bound)).lastInsertRowid);
    },
    run: (sql, ...values) => prepare(sql).run(...values.map(bound)).changes,
    all,
    first: (sql, ...values) => all(sql, ...values)[0] ?? null,
    transaction: (work) => sqlite.transaction(work).immediate(),
    close() {
      statements.clear();
      sqlite.close();
    },
  };
  const { user_version: version } = database.first("PRAGMA user_version") as { user_version: number };
  if (version === 0)
    sqlite.transaction(() => sqlite.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION};`)).immediate();
  else if (version !== SCHEMA_VERSION) {
    sqlite.close();
    throw new Error(
      `${file} was written by another version of this host. Start with --fresh, or name another folder with --data.`,
    );
  }
  return database;
}

/** The library passes every number as a floating one, with which SQLite does not narrow a search in the text index. */
function bound(value: SqlValue): SqlValue | bigint {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}
