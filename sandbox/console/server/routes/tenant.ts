import { object, text } from "../input.ts";
import type { Parts } from "../parts.ts";
import { found } from "../problems.ts";
import type { Routes } from "../routing.ts";
import { tenantCommand } from "../simulation/commands.ts";
import type { Simulation } from "../simulation/simulation.ts";

export function tenantRoutes({
  simulation,
  host,
}: Parts): Routes<"GET /tenant" | "GET /tenant/findings" | "POST /tenant"> {
  return {
    "GET /tenant": { answer: () => present(simulation).view() },
    "GET /tenant/findings": {
      query: object({ environmentId: text, findingType: text }),
      answer: ({ query: { environmentId, findingType } }) =>
        found(present(simulation).findings(environmentId, findingType), "This finding type of the tenant"),
    },
    "POST /tenant": {
      body: tenantCommand,
      answer: async ({ body }) => {
        const message = found(await present(simulation).perform(body), "The environment, finding type or finding");
        host.setAhead(present(simulation).passedMs);
        host.live.emit({ type: "tenant" });
        return { message, tenant: present(simulation).view() };
      },
    },
  };
}

function present(simulation: Simulation | null): Simulation {
  return found(simulation, "A simulated tenant");
}
