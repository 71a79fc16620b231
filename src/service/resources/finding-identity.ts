import { createHash } from "node:crypto";
import type { Finding } from "./findings.records.ts";

/** Fields that an analysis may change although the finding stays the same. */
const CHANGING = new Set([
  "updated_at",
  "deleted_at",
  "Accepted",
  "AcceptedUntil",
  "Severity",
  "ImpactPercentage",
  "ImpactCount",
  "ExposurePercentage",
  "ExposureCount",
]);
const PROPERTIES = new Set(["FromPrincipalProps", "ToPrincipalProps", "Props", "RelProps"]);

/** An interrupted read keeps one id as it is in the state. */
const LONGEST_ID = 200;

/**
 * The same text for the same finding in every response: its id, or `h` and a hash: of its lasting fields when the service
 * sends no id, an empty text, 0 or a number that JSON.parse rounds, and of an id that is too long or no valid Unicode.
 */
export function findingIdentity(finding: Finding): string {
  if (isExact(finding.id)) {
    const id = String(finding.id);
    return id.length <= LONGEST_ID && id.isWellFormed() ? id : hashOf(JSON.stringify(id));
  }
  const lasting = lastingFields(finding);
  const content = JSON.stringify(sorted(Object.keys(lasting).length > 0 ? lasting : finding));
  return hashOf(content);
}

/** Whether an id can be no other finding's. Beyond 2^53, JSON.parse gives the same number for different ones. */
function isExact(id: Finding["id"]): id is number | string {
  return typeof id === "number" ? id !== 0 && Math.abs(id) <= Number.MAX_SAFE_INTEGER : id !== undefined && id !== "";
}

/**
 * The object ids that a finding is about, which together with its id make it this finding: releases of the service have given
 * ids to other findings. In capitals, because a service may write them in either case. Empty when it names none.
 */
export function principalsOf({ FromPrincipal = "", ToPrincipal = "", Principal = "" }: Finding): string {
  if (FromPrincipal === "" && ToPrincipal === "" && Principal === "") return "";
  // The length tells where one ends: a service may send any characters.
  return `${FromPrincipal.length} ${FromPrincipal}${ToPrincipal.length} ${ToPrincipal}${Principal}`.toUpperCase();
}

function hashOf(content: string): string {
  return `h${createHash("sha256").update(content).digest("hex").slice(0, 32)}`;
}

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** Whether an identity is a whole number that JavaScript can count with, written as usual. */
export function isWholeNumber(identity: string): boolean {
  return WHOLE_NUMBER.test(identity);
}

function lastingFields(finding: Finding): Record<string, unknown> {
  const lasting = Object.entries(finding)
    .filter(([key]) => !CHANGING.has(key))
    .map(([key, value]): [string, unknown] => [key, PROPERTIES.has(key) ? namesIn(value) : value])
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(lasting);
}

/** Properties such as `lastseen` change with each collection. The id and the name of the object do not. */
function namesIn(properties: unknown): unknown {
  if (typeof properties !== "object" || properties === null) return undefined;
  const { objectid, name } = properties as { objectid?: unknown; name?: unknown };
  return objectid === undefined && name === undefined ? undefined : { objectid, name };
}

/** Deeper than any finding. The limit keeps a finding that is nested without end from ending the run. */
const DEEPEST = 50;

/** The order of the fields in a response has no meaning. */
function sorted(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return "…";
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner, depth + 1)]),
  );
}
