import type { Priority, Severity } from "../runtime/protocol.ts";

const priorities: Record<Severity, Priority> = { critical: 100, high: 80, moderate: 60, low: 40, unknown: -1 };

const words = new Map<string, Severity>([
  ["critical", "critical"],
  ["high", "high"],
  ["moderate", "moderate"],
  ["medium", "moderate"],
  ["low", "low"],
]);

/** Whether the service gives a severity that is none of these words: it may be a high one. */
export function isUnknownWord(word: string | undefined): boolean {
  const folded = word?.trim().toLowerCase() ?? "";
  return folded !== "" && !words.has(folded);
}

export function priorityOf(severity: Severity): Priority {
  return priorities[severity];
}

/**
 * The severity of a finding: the service's own word; where it gives none, its thresholds over exposure, else impact
 * (95, 80 and 40 percent: BloodHound documentation, page Posture). Zero means that the analysis behind the figure was
 * off, so it is ignored.
 *
 * @param word - what the service says, in any letter case
 * @param exposure - fraction, 0 to 1
 * @param impact - fraction, 0 to 1
 */
export function severityOf(word: string | undefined, exposure?: number, impact?: number): Severity {
  const known = words.get(word?.trim().toLowerCase() ?? "");
  if (known !== undefined) return known;
  const share = [exposure, impact].find((value) => value !== undefined && value > 0);
  if (share === undefined) return "unknown";
  if (share >= 0.95) return "critical";
  if (share >= 0.8) return "high";
  return share >= 0.4 ? "moderate" : "low";
}
