import { createHash } from "node:crypto";
import type { Finding } from "./records/findings.ts";

/** What an analysis may change in a finding that stays the same finding. */
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

/**
 * The same text for the same finding in every answer: its id, or `h` and a hash of what makes it this finding when the
 * service sends no id, or an empty text or 0 in its place.
 */
export function findingIdentity(finding: Finding): string {
  if (finding.id !== undefined && finding.id !== "" && finding.id !== 0) return String(finding.id);
  const lasting = lastingFields(finding);
  const content = JSON.stringify(sorted(Object.keys(lasting).length > 0 ? lasting : finding));
  return `h${createHash("sha256").update(content).digest("hex").slice(0, 32)}`;
}

function lastingFields(finding: Finding): Record<string, unknown> {
  const lasting: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(finding)) {
    if (CHANGING.has(key)) continue;
    const kept = PROPERTIES.has(key) ? namesIn(value) : value;
    if (kept !== undefined) lasting[key] = kept;
  }
  return lasting;
}

/** Properties change with each collection (`lastseen`); what names the object does not. */
function namesIn(properties: unknown): unknown {
  if (typeof properties !== "object" || properties === null) return undefined;
  const { objectid, name } = properties as { objectid?: unknown; name?: unknown };
  return objectid === undefined && name === undefined ? undefined : { objectid, name };
}

/** No finding is as deep as this; what lies deeper must not be the end of a run. */
const DEEPEST = 50;

/** The order of fields in an answer says nothing. */
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
