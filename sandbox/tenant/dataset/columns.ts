import { Refusal } from "../answer.ts";
import { compareInstants, formatInstant, parseInstant, type Nanoseconds } from "../instants.ts";
import { BAD_FILTERS, holds, NOT_SORTABLE, parseUtcInstant, type Condition, type Predicate } from "../query.ts";
import type { WireFinding } from "../wire.ts";

/** A comparable value of a record; null stands for a missing or unreadable one and comes first. */
export type ColumnValue = Nanoseconds | number | string | boolean | null;
type ColumnType = "time" | "number" | "text" | "boolean";

interface Column {
  type: ColumnType;
  sortable: boolean;
  filterable: boolean;
  read(record: Record<string, unknown>): unknown;
}

const column = (type: ColumnType, field: string, use: "both" | "sort" | "filter" = "both"): Column => ({
  type,
  sortable: use !== "filter",
  filterable: use !== "sort",
  read: (record) => record[field],
});

/** Columns of `details` (BloodHound API, docs/openapi.json): what they sort and filter on. */
const COLUMNS: Record<string, Column> = {
  id: column("number", "id"),
  created_at: column("time", "created_at"),
  updated_at: column("time", "updated_at"),
  deleted_at: {
    ...column("time", "deleted_at"),
    read: (record) => (record.deleted_at as { time?: string } | null)?.time,
  },
  domain_sid: column("text", "DomainSID"),
  index: column("number", "id", "sort"),
  AcceptedUntil: column("time", "AcceptedUntil", "sort"),
  accepted_until: column("time", "AcceptedUntil", "filter"),
  exposure_percentage: column("number", "ExposurePercentage", "sort"),
  impact_percentage: column("number", "ImpactPercentage", "sort"),
  FromPrincipal: column("text", "FromPrincipal"),
  ToPrincipal: column("text", "ToPrincipal"),
  Principal: column("text", "Principal", "filter"),
  principals_hash: column("text", "PrincipalHash", "filter"),
  Accepted: column("boolean", "Accepted", "filter"),
};

export interface SortKey {
  column: string;
  descending: boolean;
}

/** A condition on a column, its value read. */
export interface Filter {
  column: string;
  predicate: Predicate;
  value: ColumnValue;
}

export function sortKey(raw: string): SortKey {
  const descending = raw.startsWith("-");
  const name = descending ? raw.slice(1) : raw;
  if (COLUMNS[name]?.sortable !== true) throw new Refusal(400, NOT_SORTABLE);
  return { column: name, descending };
}

/** The filter of a parameter; null when the parameter is not a column to filter on. */
export function filter(name: string, condition: Condition): Filter | null {
  const known = COLUMNS[name];
  if (known?.filterable !== true) return null;
  const value = parseValue(known.type, condition.value);
  if (value === null) throw new Refusal(400, BAD_FILTERS);
  return { column: name, predicate: condition.predicate, value };
}

function parseValue(type: ColumnType, text: string): ColumnValue {
  if (type === "time") return parseUtcInstant(text);
  if (type === "number") return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : null;
  return text;
}

export function columnValue(record: WireFinding, name: string): ColumnValue {
  const known = COLUMNS[name];
  const raw = known?.read(record as unknown as Record<string, unknown>);
  if (known?.type === "time") return typeof raw === "string" ? parseInstant(raw) : null;
  return typeof raw === "number" || typeof raw === "string" || typeof raw === "boolean" ? raw : null;
}

/** A total order of column values of one type; null comes first. */
export function compareValues(a: ColumnValue, b: ColumnValue): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  if (typeof a === "bigint" && typeof b === "bigint") return compareInstants(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A missing value satisfies no filter, as NULL does in a database. */
export function passes(value: ColumnValue, wanted: Filter): boolean {
  if (value === null) return false;
  if (wanted.predicate === "~eq") return textOf(value).includes(textOf(wanted.value));
  return holds(wanted.predicate, compareValues(value, wanted.value));
}

function textOf(value: ColumnValue): string {
  return typeof value === "bigint" ? formatInstant(value) : String(value).toLowerCase();
}
