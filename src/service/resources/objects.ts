import { validateSearchResult } from "../../generated/validators.js";
import type { AttackPathService, SearchQuery } from "../attack-path-service.ts";
import { isName, path, type QueryPair } from "../http/target.ts";
import type { Api } from "../api.ts";
import { everyPage, mayCountPage, PAGE_SIZE, type Place } from "../lists/every-page.ts";
import type { SearchPage, SearchResult, WireSearchResult } from "./objects.records.ts";
import { malformed, unreadable } from "../responses/response-body.ts";
import { uncountedPages } from "../lists/uncounted-list.ts";

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
 * @param readsBehind - asked when a page of a search without a count adds nothing: whether objects behind it matter. Each such
 * page costs a request
 * @throws ProtocolError when the list cannot be read to its end, or has entries without a usable object id, after
 * everything that arrived
 */
export async function* searchPages(
  objects: AttackPathService["objects"],
  query: SearchQuery,
  readsBehind: () => boolean = () => true,
): AsyncGenerator<SearchResult[], void, undefined> {
  let unusable = 0;
  for await (const records of resultPages((place) => objects.search({ ...query, ...place }), readsBehind)) {
    const usable = records.filter(hasObjectId);
    unusable += records.length - usable.length;
    yield usable;
  }
  if (unusable > 0) throw unreadable(unusable, "without a usable object id");
}

async function* resultPages(
  ask: (place: Place) => Promise<SearchPage>,
  readsBehind: () => boolean,
): AsyncGenerator<readonly WireSearchResult[], void, undefined> {
  const first = await ask({ skip: 0, limit: PAGE_SIZE });
  if (first.total === null || mayCountPage(first, PAGE_SIZE)) {
    const askAt = (skip: number): Promise<SearchPage> => ask({ skip, limit: PAGE_SIZE });
    yield* uncountedPages(first, { ask: askAt, limit: PAGE_SIZE, identity: identityOf, readsBehind, fault: malformed });
    return;
  }
  let given: SearchPage | null = first;
  const askOnce = (place: Place): Promise<SearchPage> => {
    const page = given === null ? ask(place) : Promise.resolve(given);
    given = null;
    return page;
  };
  for await (const page of everyPage(askOnce, identityOf)) yield page.records;
}

/** The service looks for the text in names, and for the whole text in object ids. */
function mayFit({ objectid, name }: WireSearchResult, text: string): boolean {
  if (objectid === undefined || name === undefined) return true;
  const wanted = text.trim().toUpperCase();
  return [objectid, name].some((found) => found.toUpperCase().includes(wanted));
}

function identityOf(result: WireSearchResult): string {
  return hasObjectId(result) ? result.objectid : JSON.stringify([result.name, result.type]);
}

function hasObjectId(result: WireSearchResult): result is SearchResult {
  return isName(result.objectid) && result.objectid !== NO_OBJECT_ID;
}

/** What the service writes for an object without an id (BloodHound, server code). */
const NO_OBJECT_ID = "NO OBJECT ID";
