import { SEVERITIES, type Severity } from "./protocol.ts";

/** Whether a text is one of the words that the host contract has for severities. */
export function isSeverity(word: unknown): word is Severity {
  return SEVERITIES.some((known) => known === word);
}

/** The place of a severity among all of them: 0 is the worst. */
export function rankOf(severity: Severity | undefined): number {
  return SEVERITIES.indexOf(severity ?? "unknown");
}

/** The worst of some severities; unknown when there are none. */
export function worstOf(severities: Iterable<Severity | undefined>): Severity {
  let rank = Infinity;
  for (const severity of severities) rank = Math.min(rank, rankOf(severity));
  return SEVERITIES[rank] ?? "unknown";
}
