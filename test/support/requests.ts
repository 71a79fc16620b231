import type { Tenant } from "../../sandbox/tenant/index.ts";
import { manifest } from "../../src/generated/manifest.ts";
import type { ManifestAction } from "../../src/manifest/manifest.ts";
import type { ActionName } from "../../src/manifest/types.ts";
import type { ConnectorRun, Json, JsonObject } from "../../src/runtime/protocol.ts";

export type Credentials = Pick<Tenant, "url" | "tokenId" | "tokenKey">;

/** Parameters of a well configured instance. */
export function instanceParameters({ url, tokenId, tokenKey }: Credentials): JsonObject {
  return { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
}

/** Fields of a well configured connector. */
export function connectorFields(credentials: Credentials): JsonObject {
  return {
    ...instanceParameters(credentials),
    "Selected Environments": "All",
    "Selected Finding Types": "All",
    "Product Field Name": "device_product",
    "Event Field Name": "finding_type",
  };
}

/** A request to poll, as a host writes it. */
export function connectorRequest(fields: object, state: Json = null, run: Partial<ConnectorRun> = {}): object {
  return {
    protocol: 1,
    kind: "connector",
    name: "Attack Path Findings",
    run: { id: "r-1", deadline: null, test: false, ...run },
    parameters: fields,
    state,
  };
}

/** What the manifest gives as examples for the parameters of an action; the others keep their defaults. */
export function exampleParameters(action: string): JsonObject {
  const actions: readonly ManifestAction[] = manifest.actions;
  const parameters = actions.find(({ name }) => name === action)?.parameters ?? [];
  return Object.fromEntries(
    parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  );
}

export interface ActionCall {
  parameters?: object;
  state?: Json;
  /** RFC 3339 instant. */
  deadline?: string | null;
  test?: boolean;
  context?: JsonObject;
}

/** A request for an action, as a host writes it. */
export function actionRequest(
  name: ActionName | (string & {}),
  instance: object,
  { parameters = {}, state = null, deadline = null, test = false, context = {} }: ActionCall = {},
): object {
  return {
    protocol: 1,
    kind: "action",
    name,
    run: { id: "r-1", deadline, test },
    instance,
    parameters,
    context,
    state,
  };
}
