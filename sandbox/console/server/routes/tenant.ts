import type { InjectedFault, TenantCommand } from "../../contract/index.ts";
import { nullable, object, oneOf, optional, text, variants, whole } from "../input.ts";
import type { Parts } from "../parts.ts";
import { found } from "../problems.ts";
import type { Routes } from "../routing.ts";
import type { Simulation } from "../simulation/simulation.ts";

const DAY_MS = 86_400_000;
const ID = whole(0, 2 ** 31 - 1);

const fault = object<InjectedFault>({
  name: oneOf("rate_limit", "hang", "server_error", "wrong_key", "dropped", "not_json", "empty_page"),
  path: text,
  times: nullable(whole(1, 1_000_000)),
});

const command = variants<TenantCommand, "do">("do", {
  analyse: { environmentId: optional(text) },
  begin_analysis: {},
  end_analysis: {},
  add_findings: { environmentId: text, findingType: text, count: whole(1, 1_000) },
  accept_finding: { environmentId: text, findingType: text, id: ID },
  remediate_finding: { environmentId: text, findingType: text, id: ID },
  delete_finding: { environmentId: text, findingType: text, id: ID },
  bring_back: { environmentId: text, findingType: text, id: ID },
  renew_ids: { environmentId: text },
  drop_environment: { environmentId: text },
  stop_collector: { environmentId: text, days: whole(1, 365) },
  pass_time: { milliseconds: whole(1, 365 * DAY_MS) },
  inject: { fault },
  clear_faults: {},
  set_latency: { milliseconds: whole(0, 60_000) },
  move_clock: { aheadMs: whole(-30 * DAY_MS, 30 * DAY_MS) },
  go_away: {},
  come_back: {},
});

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
      body: command,
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
