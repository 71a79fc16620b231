import type { Page } from "../console/contract/index.ts";
import type { Database, SqlValue } from "./database.ts";
import { HostError } from "./host-error.ts";

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 200;

/** A condition of a query and what it compares with. */
export interface Condition {
  sql: string;
  values: SqlValue[];
}

/** Rows that a page holds: what was asked for, within bounds. */
export function pageSize(limit = DEFAULT_LIMIT): number {
  return Math.min(LARGEST_LIMIT, Math.max(1, Math.floor(limit)));
}

/** The column has this value. What was not asked for is no condition. */
export function equals(column: string, value: SqlValue | undefined): Condition | null {
  return value === undefined ? null : { sql: `${column} = ?`, values: [value] };
}

/** All of the conditions, as one. */
export function allOf(conditions: readonly (Condition | null)[]): Condition {
  const given = conditions.filter((condition) => condition !== null);
  return {
    sql: given.length === 0 ? "1" : given.map(({ sql }) => `(${sql})`).join(" AND "),
    values: given.flatMap(({ values }) => values),
  };
}

/** How many rows meet a condition. */
export function countOf(db: Database, from: string, { sql, values }: Condition): number {
  return (db.first(`SELECT count(*) AS total FROM ${from} WHERE ${sql}`, ...values) as { total: number }).total;
}

/**
 * The rows behind a cursor in a list that is sorted by these columns, the greatest values first. A page starts where the
 * one before has ended, however many rows have come since.
 * @throws HostError when the cursor is not one of this list.
 */
export function behind(columns: readonly string[], cursor: string | undefined): Condition | null {
  if (cursor === undefined) return null;
  const values = decode(cursor);
  if (values?.length !== columns.length)
    throw new HostError(400, "This page no longer exists. Go back to the first page.");
  return { sql: `(${columns.join(", ")}) < (${columns.map(() => "?").join(", ")})`, values };
}

/** One page of `rows`, of which one more than the page holds was read. */
export function page<R, T>(
  rows: readonly R[],
  { size, total, keys, show }: { size: number; total: number; keys: (row: R) => SqlValue[]; show: (row: R) => T },
): Page<T> {
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  const next = rows.length > size && last !== undefined ? encode(keys(last)) : null;
  return { rows: shown.map(show), total, next };
}

function encode(values: readonly SqlValue[]): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

function decode(cursor: string): SqlValue[] | null {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const isKey = (value: unknown) => typeof value === "string" || typeof value === "number";
    return Array.isArray(values) && values.every(isKey) ? values : null;
  } catch {
    return null;
  }
}
