import type { Priority, Severity } from "../runtime/protocol.ts";

/** From the worst to the least known: a severity is compared by its place here, never as a word. */
const ranking: readonly Severity[] = ["critical", "high", "moderate", "low", "unknown"];

const priorities: Record<Severity, Priority> = { critical: 100, high: 80, moderate: 60, low: 40, unknown: -1 };

const words: Record<string, Severity> = {
  critical: "critical",
  high: "high",
  moderate: "moderate",
  medium: "moderate",
  low: "low",
};

export function worst(severities: Iterable<Severity>): Severity {
  let rank = ranking.length - 1;
  for (const severity of severities) rank = Math.min(rank, ranking.indexOf(severity));
  return ranking[rank] ?? "unknown";
}

export function priorityOf(severity: Severity): Priority {
  return priorities[severity];
}

/**
 * The severity of a finding: the service's own word; where it gives none, its thresholds over exposure, else impact
 * (95, 80 and 40 percent: BloodHound documentation, page Posture). Zero means that the analysis behind the figure was
 * off, so it says nothing.
 *
 * @param word - what the service says, in any letter case
 * @param exposurePercent - 0 to 100
 * @param impactPercent - 0 to 100
 */
export function severityOf(word: string | undefined, exposurePercent?: number, impactPercent?: number): Severity {
  const known = words[word?.trim().toLowerCase() ?? ""];
  if (known !== undefined) return known;
  const percent = [exposurePercent, impactPercent].find((value) => value !== undefined && value > 0);
  if (percent === undefined) return "unknown";
  if (percent >= 95) return "critical";
  if (percent >= 80) return "high";
  return percent >= 40 ? "moderate" : "low";
}
