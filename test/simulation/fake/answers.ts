import { Failed } from "./client.ts";
import type { Row } from "./events.ts";

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The merge patch that makes the one value the other. */

export function isRow(value: unknown): value is Row {
  return isRecord(value);
}

export function listIn(answer: unknown): unknown[] {
  if (!isRecord(answer) || !("data" in answer)) throw new Failed("no data");
  const { data } = answer;
  if (data === null) return [];
  if (!Array.isArray(data)) throw new Failed("no list");
  return data as unknown[];
}

export function countIn(answer: unknown): number | null {
  const count = isRecord(answer) ? answer["count"] : null;
  return typeof count === "number" && count >= 0 ? count : null;
}
