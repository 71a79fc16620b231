import { type Json, SEVERITIES, type Severity } from "../runtime/protocol.ts";

export function rankOf(severity: Severity | undefined): number {
  return SEVERITIES.indexOf(severity ?? "unknown");
}

/** The worst of some severities; unknown when there are none. */
export function worstOf(severities: readonly (Severity | undefined)[]): Severity {
  const ranks = severities.map(rankOf);
  return SEVERITIES[Math.min(...ranks, SEVERITIES.length - 1)] ?? "unknown";
}

/**
 * The severity of a finding as a host passes it on. An accepted finding counts as low, as it does for its alert.
 *
 * @param accepted - true, or the text that a platform without booleans makes of it
 */
export function severityIn(word: Json | undefined, accepted: Json | undefined): { severity?: Severity } {
  const severity = SEVERITIES.find((known) => known === word);
  if (severity === undefined) return {};
  const isAccepted = accepted === true || accepted === "true";
  return { severity: isAccepted && rankOf(severity) < rankOf("low") ? "low" : severity };
}
