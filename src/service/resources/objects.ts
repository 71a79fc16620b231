import { validateSearchResult } from "../../generated/validators.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { path, type QueryPair } from "../http/target.ts";
import type { Api } from "./api.ts";
import { isName } from "./names.ts";
import type { SearchResult, WireSearchResult } from "./objects.records.ts";

export function objectsOf(api: Api): AttackPathService["objects"] {
  return {
    async search({ text, types = [], skip, limit }) {
      const query: QueryPair[] = [["q", text], ...types.map((type): QueryPair => ["type", type])];
      if (skip !== undefined) query.push(["skip", skip]);
      if (limit !== undefined) query.push(["limit", limit]);
      const found = api.list(validateSearchResult, await api.get(path`/api/v2/search`, query));
      const usable = found.filter(hasObjectId);
      if (usable.length < found.length) {
        api.log.warn("Ignored search results without an object ID", { count: found.length - usable.length });
      }
      return usable;
    },
  };
}

function hasObjectId(result: WireSearchResult): result is SearchResult {
  return isName(result.objectid);
}
