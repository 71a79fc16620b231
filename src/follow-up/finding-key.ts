import { sourceOf, targetOf } from "../findings/principal.ts";
import { shortHash } from "../hash.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { inCapitals } from "../text.ts";

/**
 * What a finding is recognised by within its environment and finding type: its principals. Ids may change with an analysis.
 * Neither letter case nor direction tells findings apart, so that a service that writes them differently makes none look gone. What the graph
 * is asked keeps the directions: see `Tracked`.
 */
export type FindingKey = string;

export function findingKeyOf(source: string | null, target: string): FindingKey {
  const [one = "", other = ""] = [source ?? "", target].map(inCapitals).sort();
  // The length tells where one ends: a service may send any characters.
  return `${one.length} ${one}${other}`;
}

/** Null for a finding that does not name its principals: it could be any of those that seem absent. */
export function keyOfFinding(finding: Finding): FindingKey | null {
  const source = sourceOf(finding).objectId ?? null;
  const target = targetOf(finding).objectId;
  const isRelationship = finding.ToPrincipal !== undefined || finding.FromPrincipalKind !== undefined;
  if (target === undefined || (isRelationship && source === null)) return null;
  return findingKeyOf(source, target);
}

/** Characters of a hash: 60 bits tell the findings of a tenant apart. */
export const HASH_LENGTH = 10;

/** Ten characters for a text of any length and content. */
export function hashOf(text: string): string {
  return shortHash(text, HASH_LENGTH);
}
