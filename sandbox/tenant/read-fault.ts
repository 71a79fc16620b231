import type { Fault, FaultEffect } from "./faults.ts";

/** Effects that JSON can say, each with the fields that it cannot do without. The others are functions. */
const NEEDS: Record<Exclude<FaultEffect["kind"], "body" | "run">, readonly string[]> = {
  status: ["status"],
  drop: [],
  stall: [],
  slow: ["milliseconds"],
  redirect: ["location"],
  truncate: [],
  html: [],
  "null-data": [],
  "empty-page": [],
  "more-items": ["items"],
  "wrong-count": ["by"],
  paged: ["size"],
  "cut-list": ["size"],
  "wrong-page": ["skip"],
};

/** Takes JSON for a fault. @throws Error that says what is wrong with it. */
export function readFault(value: unknown): Fault {
  const { effect, path } = (value ?? {}) as { effect?: Record<string, unknown>; path?: unknown };
  if (typeof effect?.["kind"] !== "string") {
    throw new Error('A fault needs an effect, for example {"effect": {"kind": "status", "status": 503}}.');
  }
  const [kind, needs] = Object.entries(NEEDS).find(([known]) => known === effect["kind"]) ?? [];
  if (needs === undefined) throw new Error(`The kind of an effect must be one of: ${Object.keys(NEEDS).join(", ")}.`);
  const missing = needs.find((field) => effect[field] === undefined);
  if (missing !== undefined) throw new Error(`The effect "${String(kind)}" needs "${missing}".`);
  if (path !== undefined && !isPattern(path)) throw new Error("The path of a fault must be a regular expression.");
  return value as Fault;
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}
