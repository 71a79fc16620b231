import { Refusal } from "./answer.ts";
import { parseInstant, type Nanoseconds } from "./instants.ts";

const PREDICATES = ["eq", "neq", "gt", "gte", "lt", "lte", "~eq"] as const;
export type Predicate = (typeof PREDICATES)[number];

/** `predicate:value` of one query parameter. */
export interface Condition {
  predicate: Predicate;
  value: string;
}

export const BAD_FILTERS = "there are errors in the query parameter filters specified";
export const NOT_SORTABLE = "column format does not support sorting";

/**
 * Reads a filter value. As the service does (BloodHound API, cmd/api/src/model/filter.go), a bare value is passed over
 * (null), and whatever precedes the first colon is taken for a predicate: a bare timestamp is an error.
 */
export function parseCondition(raw: string): Condition | null {
  const match = /([~\w]+):(.*)$/s.exec(raw);
  if (match === null) return null;
  const [, predicate = "", value = ""] = match;
  if (!isPredicate(predicate)) throw new Refusal(400, `unknown query parameter filter predicate: ${predicate}`);
  return { predicate, value };
}

function isPredicate(text: string): text is Predicate {
  return (PREDICATES as readonly string[]).includes(text);
}

/** The instant of a filter or window: UTC only, because the service's pattern for filter values has no plus sign. */
export function parseUtcInstant(text: string): Nanoseconds | null {
  return text.endsWith("Z") ? parseInstant(text) : null;
}

/** A whole number that is not negative, or the default when the parameter is absent. */
export function parseCount(query: URLSearchParams, name: string, fallback: number): number {
  const raw = query.get(name);
  if (raw === null || raw === "") return fallback;
  if (!/^-?\d+$/.test(raw)) throw new Refusal(400, `query parameter "${name}" is malformed: invalid syntax`);
  const value = Number(raw);
  if (value < 0 || !Number.isSafeInteger(value)) throw new Refusal(400, `invalid ${name}: ${raw}`);
  return value;
}

export function parseFlag(query: URLSearchParams, name: string, fallback: boolean): boolean {
  const raw = query.get(name);
  if (raw === null || raw === "") return fallback;
  if (/^(true|t|1)$/i.test(raw)) return true;
  if (/^(false|f|0)$/i.test(raw)) return false;
  throw new Refusal(400, BAD_FILTERS);
}

/** Whether the order of a value to the condition's value (negative, zero, positive) satisfies the predicate. */
export function holds(predicate: Predicate, order: number): boolean {
  switch (predicate) {
    case "eq":
    case "~eq":
      return order === 0;
    case "neq":
      return order !== 0;
    case "gt":
      return order > 0;
    case "gte":
      return order >= 0;
    case "lt":
      return order < 0;
    case "lte":
      return order <= 0;
  }
}
