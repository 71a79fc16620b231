import type { AttackPathService } from "../attack-path-service.ts";
import type { Api } from "../api.ts";

type OnDemand = Pick<AttackPathService, "objects" | "paths" | "entities" | "graph" | "sso" | "clientTasks" | "tokens">;

/**
 * The resources that a poll does not use. Their modules, and the validators of their records, are loaded by the first call,
 * so that they cost a run nothing when it starts.
 */
export function resourcesOnDemand(api: Api): OnDemand {
  const objects = async () => (await import("./objects.ts")).objectsOf(api);
  const paths = async () => (await import("./paths.ts")).pathsOf(api);
  const entities = async () => (await import("./entities.ts")).entitiesOf(api);
  const graph = async () => (await import("./graph.ts")).graphOf(api);
  const sso = async () => (await import("./sso.ts")).ssoOf(api);
  const tokens = async () => (await import("./tokens.ts")).tokensOf(api);
  const clientTasks = async () => (await import("./client-tasks.ts")).clientTasksOf(api);
  return {
    objects: { search: async (...query) => (await objects()).search(...query) },
    paths: { shortest: async (...query) => (await paths()).shortest(...query) },
    entities: {
      directory: async (...object) => (await entities()).directory(...object),
      azure: async (...object) => (await entities()).azure(...object),
      directoryRelated: async (...list) => (await entities()).directoryRelated(...list),
      azureRelated: async (...list) => (await entities()).azureRelated(...list),
    },
    graph: { metaTree: async (...query) => (await graph()).metaTree(...query) },
    sso: {
      listSamlProviders: async () => (await sso()).listSamlProviders(),
      deleteSamlProvider: async (id) => (await sso()).deleteSamlProvider(id),
      deleteSsoProvider: async (id) => (await sso()).deleteSsoProvider(id),
    },
    tokens: { createdAt: async (id) => (await tokens()).createdAt(id) },
    clientTasks: { current: async () => (await clientTasks()).current() },
  };
}
