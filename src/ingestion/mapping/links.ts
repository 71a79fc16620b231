import type { Finding } from "../../service/resources/findings.records.ts";

/**
 * Where an analyst sees the finding drawn: the explore page of the service, at the path between both principals or at
 * the exposed one (query parameters: BloodHound UI, explore route). Undefined when the finding names no principal.
 *
 * @param origin - of the tenant, without a trailing slash
 */
export function findingUrl(origin: string, finding: Finding): string | undefined {
  // A lone surrogate cannot be encoded.
  const source = finding.FromPrincipal?.toWellFormed();
  const target = (finding.ToPrincipal ?? finding.Principal)?.toWellFormed();
  if (source !== undefined && target !== undefined) {
    const ends = `primarySearch=${encodeURIComponent(source)}&secondarySearch=${encodeURIComponent(target)}`;
    return `${origin}/ui/explore?searchType=pathfinding&${ends}`;
  }
  const only = source ?? target;
  if (only === undefined) return undefined;
  return `${origin}/ui/explore?searchType=node&primarySearch=${encodeURIComponent(only)}`;
}
