/**
 * Where an analyst sees an object in the service, or with two objects the path between them: its explore page (query
 * parameters: BloodHound UI, explore route).
 *
 * @param origin - of the tenant, without a trailing slash
 */
export function exploreUrl(origin: string, startId: string, endId?: string): string {
  const page = `${origin}/ui/explore`;
  const start = `primarySearch=${encoded(startId)}`;
  return endId === undefined
    ? `${page}?searchType=node&${start}`
    : `${page}?searchType=pathfinding&${start}&secondarySearch=${encoded(endId)}`;
}

/** A lone surrogate cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
