import { chmodSync, closeSync, openSync } from "node:fs";
import Libsql from "libsql";
import { explained } from "./host-error.ts";
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
 * @throws Error that says what to do when the file is damaged, or its tables are of another version of this host.
 */
export function openDatabase(file: string): Database {
  // SQLite gives the files that it adds the mode of the database.
  closeSync(openSync(file, "a", OWNER_ONLY));
  chmodSync(file, OWNER_ONLY);
  const sqlite = new Libsql(file, { timeout: 10_000 });
  try {
    prepareTables(sqlite, file);
  } catch (error) {
    sqlite.close();
    throw withAdvice(error, file);
  }
  return databaseOf(sqlite, file);
}

function prepareTables(sqlite: Libsql.Database, file: string): void {
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = NORMAL");
  sqlite.pragma("foreign_keys = ON");
  const { user_version: version } = sqlite.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version === 0) {
    sqlite.transaction(() => sqlite.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION};`)).immediate();
  } else if (version !== SCHEMA_VERSION) {
    throw new Error(
      `${file} was written by another version of this host. Start with --fresh, or name another folder with --data.`,
    );
  }
}

function databaseOf(sqlite: Libsql.Database, file: string): Database {
  const statements = new Map<string, Libsql.Statement>();
  const prepare = (sql: string): Libsql.Statement => {
    const statement = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw withAdvice(error, file);
    }
  };
  const all = (sql: string, ...values: SqlValue[]) => attempt(() => prepare(sql).all(...values.map(bound)));
  return {
    insert(table, row) {
      const columns = Object.keys(row);
      const places = columns.map(() => "?").join(", ");
      const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`;
      return attempt(() => Number(prepare(sql).run(...Object.values(row).map(bound)).lastInsertRowid));
    },
    run: (sql, ...values) => attempt(() => prepare(sql).run(...values.map(bound)).changes),
    all,
    first: (sql, ...values) => all(sql, ...values)[0] ?? null,
    transaction(work) {
      attempt(() => sqlite.exec("BEGIN IMMEDIATE"));
      try {
        const result = work();
        attempt(() => sqlite.exec("COMMIT"));
        return result;
      } catch (error) {
        // When the disk is full, SQLite may have rolled back by itself. The error that says so counts.
        if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
        throw error;
      }
    },
    close() {
      statements.clear();
      sqlite.close();
    },
  };
}

const DAMAGED = new Set(["SQLITE_NOTADB", "SQLITE_CORRUPT"]);

/** The error, which says what to do when the file is damaged or the disk is full. SQLite does not even name the file. */
function withAdvice(error: unknown, file: string): unknown {
  const { code = "" } = error as { code?: string };
  if (!DAMAGED.has(code)) return explained(error);
  return new Error(
    `The database ${file} is damaged. Restore it from a backup, or start with --fresh, which deletes it.`,
    {
      cause: error,
    },
  );
}

/** The library passes every number as a floating one, with which SQLite does not narrow a search in the text index. */
function bound(value: SqlValue): SqlValue | bigint {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}
