import { sha256 } from "../../../../src/packaging/files.ts";
import { archiveOf, builtPackages } from "../builds.ts";
import { object, optional, text } from "../input.ts";
import type { Parts } from "../parts.ts";
import { Refusal } from "../problems.ts";
import type { Routes } from "../routing.ts";

type Endpoints =
  | "GET /packages"
  | "POST /packages/inspect"
  | "POST /packages"
  | "POST /integrations/:identifier/use"
  | "GET /integrations/:identifier/removal"
  | "DELETE /integrations/:identifier";

const built = object<{ built?: string }>({ built: optional(text) });

const CHANGED = "The package has changed since it was inspected, so it was not installed. Inspect it again.";

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
      query: object<{ built?: string; sha256?: string }>({ built: optional(text), sha256: optional(text) }),
      body: "zip",
      answer: async ({ query, body }) => {
        const archive = await archiveOf(builds, query.built, body);
        if (query.sha256 !== undefined && query.sha256 !== sha256(archive)) throw new Refusal(409, CHANGED);
        const { identifier } = await integrations.install(archive);
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
