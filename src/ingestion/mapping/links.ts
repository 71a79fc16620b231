import { exploreUrl, uriText } from "../../service/explore-page.ts";
import type { Finding } from "../../service/resources/findings.records.ts";
import { firstText } from "../../findings/principal.ts";

/**
 * Where an analyst sees all findings of a type in an environment: the attack paths page of the service (query parameters:
 * other public integrations of BloodHound Enterprise). Without a zone, the page chooses its own.
 *
 * @param origin - of the tenant, without a trailing slash
 */
export function findingUrl(origin: string, environmentId: string, findingType: string): string {
  return `${origin}/ui/graphview?environmentId=${uriText(environmentId)}&findingName=${uriText(findingType)}`;
}

/**
 * Where an analyst sees the finding drawn: the explore page of the service, at the path between both principals or at
 * the exposed one. Undefined when the finding names no principal.
 *
 * @param origin - of the tenant, without a trailing slash
 */
export function pathUrl(origin: string, finding: Finding): string | undefined {
  const source = firstText(finding.FromPrincipal);
  const target = firstText(finding.ToPrincipal, finding.Principal);
  const [start, end] = source === undefined ? [target] : [source, target];
  return start === undefined ? undefined : exploreUrl(origin, start, end);
}
