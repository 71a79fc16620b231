/** An item of `search` (BloodHound API, docs/openapi.json). */
export interface WireSearchResult {
  objectid?: string;
  /** Kind of the object, such as User or AZGroup. */
  type?: string;
  name?: string;
  distinguishedname?: string;
  /** Blank-separated, such as `admin_tier_0`. */
  system_tags?: string;
}

/** One page of a search: every entry as the service listed it. */
export interface SearchPage {
  records: WireSearchResult[];
  /** Number of results in all; null when the service does not say. */
  total: number | null;
}

/** A graph object that fits a search. It always has an object id. */
export type SearchResult = WireSearchResult & { objectid: string };
