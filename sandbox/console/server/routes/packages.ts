import { archiveOf, builtPackages } from "../builds.ts";
import { object, optional, text } from "../input.ts";
import type { Parts } from "../parts.ts";
import type { Routes } from "../routing.ts";

type Endpoints =
  | "GET /packages"
  | "POST /packages/inspect"
  | "POST /packages"
  | "POST /integrations/:identifier/use"
  | "GET /integrations/:identifier/removal"
  | "DELETE /integrations/:identifier";

const built = object<{ built?: string }>({ built: optional(text) });

export function packageRoutes({ host: { integrations }, builds }: Parts): Routes<Endpoints> {
  return {
    "GET /packages": {
      answer: async () => ({ built: await builtPackages(builds), integrations: await integrations.list() }),
    },
    "POST /packages/inspect": {
      query: built,
      body: "zip",
      answer: async ({ query, body }) => integrations.inspect(await archiveOf(builds, query.built, body)),
    },
    "POST /packages": {
      query: built,
      body: "zip",
      answer: async ({ query, body }) => {
        const { identifier } = await integrations.install(await archiveOf(builds, query.built, body));
        return integrations.view(identifier);
      },
    },
    "POST /integrations/:identifier/use": {
      body: object({ packageId: text }),
      answer: ({ path, body }) => integrations.use(path.identifier, body.packageId),
    },
    "GET /integrations/:identifier/removal": { answer: ({ path }) => integrations.removal(path.identifier) },
    "DELETE /integrations/:identifier": { answer: ({ path }) => integrations.remove(path.identifier) },
  };
}
