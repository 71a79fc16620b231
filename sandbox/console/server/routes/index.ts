import type { Parts } from "../parts.ts";
import type { Routes } from "../routing.ts";
import { caseRoutes } from "./cases.ts";
import { overviewRoutes } from "./overview.ts";
import { packageRoutes } from "./packages.ts";
import { playbookRoutes } from "./playbooks.ts";
import { runRoutes } from "./runs.ts";
import { serviceRoutes } from "./service.ts";
import { settingsRoutes } from "./settings.ts";
import { tenantRoutes } from "./tenant.ts";

/** Every endpoint of the contract; one that is missing does not compile. */
export function consoleRoutes(parts: Parts): Routes {
  return {
    ...overviewRoutes(parts),
    ...packageRoutes(parts),
    ...settingsRoutes(parts),
    ...runRoutes(parts),
    ...caseRoutes(parts),
    ...playbookRoutes(parts),
    ...serviceRoutes(parts),
    ...tenantRoutes(parts),
  };
}
