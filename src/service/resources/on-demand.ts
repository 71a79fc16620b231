import { loadPart } from "../../load-part.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import type { Api } from "../api.ts";

type OnDemand = Pick<AttackPathService, "objects" | "paths" | "entities" | "graph" | "sso" | "clientTasks" | "tokens">;

/**
 * The resources that a poll does not use. Their module, with the validators of their records, is loaded by the first call,
 * so that it costs a run nothing when it starts.
 */
export function resourcesOnDemand(api: Api): OnDemand {
  const unpolled = () => loadPart(() => import("./unpolled.ts"));
  return {
    objects: { search: async (...query) => (await unpolled()).objectsOf(api).search(...query) },
    paths: { shortest: async (...query) => (await unpolled()).pathsOf(api).shortest(...query) },
    entities: {
      directory: async (...object) => (await unpolled()).entitiesOf(api).directory(...object),
      azure: async (...object) => (await unpolled()).entitiesOf(api).azure(...object),
      directoryRelated: async (...list) => (await unpolled()).entitiesOf(api).directoryRelated(...list),
      azureRelated: async (...list) => (await unpolled()).entitiesOf(api).azureRelated(...list),
    },
    graph: { metaTree: async (...query) => (await unpolled()).graphOf(api).metaTree(...query) },
    sso: {
      listSamlProviders: async () => (await unpolled()).ssoOf(api).listSamlProviders(),
      deleteSamlProvider: async (id) => (await unpolled()).ssoOf(api).deleteSamlProvider(id),
      deleteSsoProvider: async (id) => (await unpolled()).ssoOf(api).deleteSsoProvider(id),
    },
    tokens: { createdAt: async (id) => (await unpolled()).tokensOf(api).createdAt(id) },
    clientTasks: { current: async () => (await unpolled()).clientTasksOf(api).current() },
  };
}
