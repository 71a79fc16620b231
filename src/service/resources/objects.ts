import { validateSearchResult } from "../../generated/validators.js";
import type { Api } from "../api.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import { unwrapNullables } from "../records/nullables.ts";
import type { SearchResult, WireSearchResult } from "../records/search.ts";
import { path, type QueryPair } from "../target.ts";

export function objectsOf(api: Api): AttackPathService["objects"] {
  return {
    async search({ text, types = [], skip, limit }) {
      const query: QueryPair[] = [["q", text], ...types.map((type): QueryPair => ["type", type])];
      if (skip !== undefined) query.push(["skip", skip]);
      if (limit !== undefined) query.push(["limit", limit]);
      const found = unwrapNullables(api.list(validateSearchResult, await api.get(path`/api/v2/search`, query)));
      const usable = found.filter(hasObjectId);
      if (usable.length < found.length) {
        api.log.warn("Search results without an object id were left out", { count: found.length - usable.length });
      }
      return usable;
    },
  };
}

function hasObjectId(result: WireSearchResult): result is SearchResult {
  return result.objectid !== undefined && result.objectid !== "";
}
