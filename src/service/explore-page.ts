/**
 * Where an analyst sees an object in the service, or with two objects the path between them: its explore page (query
 * parameters: BloodHound UI, explore route).
 *
 * @param origin - of the tenant, without a trailing slash
 */
export function exploreUrl(origin: string, startId: string, endId?: string): string {
  const page = `${origin}/ui/explore`;
  const start = `primarySearch=${uriText(startId)}`;
  return endId === undefined
    ? `${page}?searchType=node&${start}`
    : `${page}?searchType=pathfinding&${start}&secondarySearch=${uriText(endId)}`;
}

/** A text as part of an address; a lone surrogate, which cannot be encoded, is replaced. */
export function uriText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
