import { validateSearchResult } from "../../generated/validators.js";
import type { AttackPathService, SearchQuery } from "../attack-path-service.ts";
import { isName, path, type QueryPair } from "../http/target.ts";
import type { Api } from "./api.ts";
import { everyPage } from "./every-page.ts";
import type { SearchResult, WireSearchResult } from "./objects.records.ts";
import { malformed, unreadable } from "./response-body.ts";

export function objectsOf(api: Api): AttackPathService["objects"] {
  return {
    async search({ text, types = [], skip, limit }) {
      const query: QueryPair[] = [["q", text], ...types.map((type): QueryPair => ["type", type])];
      if (skip !== undefined) query.push(["skip", skip]);
      if (limit !== undefined) query.push(["limit", limit]);
      const reply = await api.get(path`/api/v2/search`, query);
      const records = api.list(validateSearchResult, reply);
      if (records.length > 0 && !records.some((record) => mayFit(record, text)))
        throw malformed("is about another search", reply.endpoint);
      return { records, total: reply.body.count };
    },
  };
}

/**
 * Everything that a search finds, each object once.
 *
 * @throws ProtocolError when the list cannot be read to its end, or has entries without a usable object id, after
 * everything that arrived
 */
export async function* searchPages(
  objects: AttackPathService["objects"],
  query: SearchQuery,
): AsyncGenerator<SearchResult[], void, undefined> {
  let unusable = 0;
  for await (const { records } of everyPage((page) => objects.search({ ...query, ...page }), identityOf)) {
    const usable = records.filter(hasObjectId);
    unusable += records.length - usable.length;
    yield usable;
  }
  if (unusable > 0) throw unreadable(unusable, "without a usable object id");
}

/** The service looks for the text in names, and for the whole text in object ids. */
function mayFit({ objectid, name }: WireSearchResult, text: string): boolean {
  if (objectid === undefined || name === undefined) return true;
  const wanted = text.trim().toUpperCase();
  return [objectid, name].some((found) => found.toUpperCase().includes(wanted));
}

function identityOf({ objectid, name, type }: WireSearchResult): string {
  return objectid ?? JSON.stringify([name, type]);
}

function hasObjectId(result: WireSearchResult): result is SearchResult {
  return isName(result.objectid);
}
