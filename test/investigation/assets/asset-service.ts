import { NotFoundError } from "../../../src/service/errors/errors.ts";
import type { Entity, RelatedPage } from "../../../src/service/resources/entities.records.ts";
import { directory, fakeService, object } from "../../support/fake-service.ts";

export const details = { whoActs: "service", endpoint: { method: "GET", path: "/api/v2/x" } } as const;
export const gone = new NotFoundError("gone", { ...details, wrapped: true });

/** Answers by route and object id, such as users/U-1/memberships. */
export type Lists = Record<string, RelatedPage | Error | ((page: { skip?: number }) => RelatedPage)>;

/** A service with some objects, and what it answers about them. */
export function assetService(entities: Record<string, Entity | Error>, lists: Lists = {}) {
  const listed = (path: string, page: { skip?: number } = {}): Promise<RelatedPage> => {
    const answer = lists[path] ?? { items: [], total: 0 };
    if (answer instanceof Error) return Promise.reject(answer);
    if (typeof answer === "function") return Promise.resolve(answer(page));
    return Promise.resolve((page.skip ?? 0) === 0 ? answer : { ...answer, items: [] });
  };
  const read = (kind: string, objectId: string): Promise<Entity> => {
    const answer = entities[`${kind}/${objectId}`] ?? gone;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const objects = directory([
    object("U-1", "ALICE@A", "User"),
    object("U-2", "BOB@A", "User"),
    object("node-a", "ALPHA", "User"),
    object("NODE-A", "BETA", "User"),
    object("Z-1", "VAULT", "AZKeyVault"),
    object("Z-2", "NOVELTY", "AZNovelty"),
    object("X-1", "REPO", "GitRepository"),
    object("N-1", "U-9", "User"),
    object("Z-3", "TENANT", "AZTenant"),
    object("Z-4", "KINDLESS", ""),
    object("T-1", "TWIN@A", "User"),
    object("T-2", "TWIN@A", "Computer"),
    { ...object("G-1", "DOMAIN ADMINS@A", "Group"), system_tags: "admin_tier_0" },
    { ...object("G-2", "HELP DESK@A", "Group"), system_tags: "owned" },
    { ...object("G-3", "GUESTS@A", "Group"), system_tags: "" },
  ]);
  return fakeService({
    objects,
    entities: {
      directory: (route, objectId) => read(route, objectId),
      azure: (type, objectId) => read(`azure/${type}`, objectId),
      directoryRelated: (route, objectId, list, page) => listed(`${route}/${objectId}/${list}`, page),
      azureRelated: (type, objectId, list, page) => listed(`azure/${type}/${objectId}/${list}`, page),
    },
  });
}
