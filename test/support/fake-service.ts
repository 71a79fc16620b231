import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import type { PathGraph } from "../../src/service/resources/paths.records.ts";
import type { SearchPage, SearchResult } from "../../src/service/resources/objects.records.ts";

export type Objects = AttackPathService["objects"];

/** A directory that is searched as the service does it, with a page limit of its own. Hidden objects are removed from a page once it is cut. */
export function directory(
  all: readonly SearchResult[],
  {
    pageLimit = Infinity,
    exactFirst = true,
    isHidden = () => false,
  }: { pageLimit?: number; exactFirst?: boolean; isHidden?: (object: SearchResult) => boolean } = {},
): Objects & { asked: number } {
  const objects = {
    asked: 0,
    search({ text, skip = 0, limit = 10 }: { text: string; skip?: number; limit?: number }): Promise<SearchPage> {
      objects.asked += 1;
      const wanted = text.toUpperCase();
      const isExact = ({ name, objectid }: SearchResult): boolean =>
        [name, objectid].some((known) => known?.toUpperCase() === wanted);
      const found = all.filter((object) => isExact(object) || object.name?.includes(wanted));
      const isOther = (object: SearchResult): boolean => !isExact(object);
      const matches = exactFirst ? [...found.filter(isExact), ...found.filter(isOther)] : found;
      const page = matches.slice(skip, skip + Math.min(limit, pageLimit));
      return Promise.resolve({ records: page.filter((object) => !isHidden(object)), total: null });
    },
  };
  return objects;
}

export function object(objectid: string, name: string, type = "User"): SearchResult {
  return { objectid, name, type };
}

/** A service of which only the given parts work. */
export function fakeService(parts: Partial<AttackPathService>): AttackPathService {
  const service = { origin: "https://tenant.test", requestsPerSecond: 53, requestsServed: 0, close: () => undefined };
  return { ...service, ...parts } as AttackPathService;
}

/** A graph whose node keys are numbers, as the service's are; edges as `A>B:Kind`. */
export function graphOf(...edges: string[]): PathGraph {
  const parsed = edges
    .map((edge) => /^(.+)>(.+?)(?::(.+))?$/.exec(edge) ?? [])
    .map(([, from = "", to = "", kind = "MemberOf"]) => ({ from, to, kind }));
  const ids = [...new Set(parsed.flatMap(({ from, to }) => [from, to]))];
  return {
    nodes: new Map(ids.map((objectId, key) => [String(key), { objectId, label: `${objectId}-NAME`, kind: "Group" }])),
    edges: parsed.map(({ from, to, kind }) => ({
      source: String(ids.indexOf(from)),
      target: String(ids.indexOf(to)),
      kind,
    })),
  };
}
