import type { ActionRequest, ConnectorRequest, JobAlert, JobRequest, Json } from "../src/runtime/protocol.ts";
import type { TenantAddress } from "./tenant-messages.ts";

const run = { id: "bench", deadline: null, test: false };

/** A poll of everything that the token can see. */
export function pollRequest(tenant: TenantAddress, state: Json): ConnectorRequest {
  const parameters = {
    ...credentialsOf(tenant),
    "Selected Environments": "All",
    "Selected Finding Types": "All",
    "Product Field Name": "device_product",
    "Event Field Name": "finding_type",
  };
  return { protocol: 1, kind: "connector", name: "Attack Path Findings", run, parameters, state };
}

export function actionRequest(tenant: TenantAddress, name: string, parameters: ActionRequest["parameters"]) {
  const instance = credentialsOf(tenant);
  return { protocol: 1, kind: "action", name, run, instance, parameters, state: null } satisfies ActionRequest;
}

export function followUpRequest(tenant: TenantAddress, alerts: JobAlert[], state: Json): JobRequest {
  const parameters = { ...credentialsOf(tenant), "Close Alerts": true };
  return { protocol: 1, kind: "job", name: "Follow Up Findings", run, parameters, alerts, state };
}

function credentialsOf({ url, tokenId, tokenKey }: TenantAddress) {
  return { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
}
