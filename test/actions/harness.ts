import { Ajv2020 } from "ajv/dist/2020.js";
import { manifest } from "../../src/generated/manifest.ts";
import type { ActionName } from "../../src/manifest/types.ts";
import type { PluginModules } from "../../src/runtime/modules.ts";
import type { Json } from "../../src/runtime/protocol.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { pingRequest, runWith, type Ran } from "../runtime/harness.ts";

export const modules: PluginModules = {
  actions: {
    Ping: () => import("../../actions/ping.ts"),
    "Get Object Id": () => import("../../actions/get-object-id.ts"),
    "Does Path Exist": () => import("../../actions/does-path-exist.ts"),
    "Fetch Assets": () => import("../../actions/fetch-assets.ts"),
  },
  connectors: { "Attack Path Findings": () => Promise.reject(new Error("not part of these tests")) },
};

export interface Call {
  name: ActionName;
  parameters?: Record<string, unknown>;
  instance?: Record<string, unknown>;
  state?: Json;
  deadline?: string | null;
}

const ajv = new Ajv2020({ strict: false });

/** Runs an action through the host contract against a tenant, and checks its result against the declared schema. */
export async function act(
  tenant: Tenant,
  { name, parameters = {}, instance = {}, state = null, deadline = null }: Call,
): Promise<Ran> {
  const credentials = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
  const run = { id: "r-1", deadline, test: false };
  const request = pingRequest({ name, parameters, state, run, instance: { ...credentials, ...instance } });
  const ran = await runWith(request, { modules, clock: systemClock });
  const declared = manifest.actions.find((action) => action.name === name);
  if (ran.result.json !== undefined && declared && !ajv.validate(declared.result.schema, ran.result.json)) {
    throw new Error(`The result of ${name} does not fit its schema: ${ajv.errorsText()}`);
  }
  if (`${ran.stdout}${ran.stderr}`.includes(tenant.tokenKey)) throw new Error("The token key was written.");
  return ran;
}
