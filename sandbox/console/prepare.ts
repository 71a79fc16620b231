import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { declaredTasks, HOST_FILES, openHost, type Configured, type Host } from "../soar/index.ts";
import type { Tenant } from "../tenant/index.ts";
import type { SettingsInput } from "./contract/index.ts";

/** What a command polls, by label. */
export interface TenantParameters extends JsonObject {
  Server: string;
  "Token ID": string;
  "Token Key": string;
}

export interface Preparation {
  archive: string;
  /** Of the instance. */
  name: string;
  instance: TenantParameters;
  /** Fields of the connector besides, by label. */
  fields: JsonObject;
}

/**
 * Installs the package into a new host, adds an instance, its connectors and its jobs, and lets them run on their schedules. A host that has a package
 * stays as the person has left it, but for a new key of the same token.
 */
export async function prepareHost(host: Host, { archive, name, instance, fields }: Preparation): Promise<void> {
  if (host.store.packages().length > 0) {
    renewKey(host, instance);
    return;
  }
  const { identifier: integration, manifest } = await host.install(archive);
  const { id } = host.instances.add({ integration, name, parameters: instance });
  for (const { name: connector, fields: declared } of declaredTasks(manifest)) {
    const own = Object.entries(fields).filter(([label]) => declared.some(({ name }) => name === label));
    const parameters = { ...instance, ...Object.fromEntries(own) };
    const added = host.connectors.add({ integration, name: connector, connector, parameters });
    host.connectors.enable(added.id, true);
  }
  await host.testInstance(id);
}

/** How an instance is configured with a simulated tenant. */
export function parametersOf({ url, tokenId, tokenKey }: Tenant): TenantParameters {
  return { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
}

type Token = Omit<TenantParameters, "Token Key">;

/** The token key that the host in a folder holds; null when it holds none. */
export async function keptKey(data: string, token: Token): Promise<string | null> {
  if (!existsSync(join(data, HOST_FILES.database))) return null;
  const host = openHost({ data });
  try {
    const keys = host.store
      .instances()
      .filter(has(token))
      .map(({ parameters }) => parameters["Token Key"]);
    return keys.find((key) => typeof key === "string") ?? null;
  } finally {
    await host.close();
  }
}

/** Gives a key to every instance and connector that has its token. */
function renewKey({ store, instances, connectors }: Host, { "Token Key": key, ...token }: TenantParameters): void {
  const renewed = ({ packageId, name, parameters }: Configured): SettingsInput => ({
    integration: store.package(packageId).identifier,
    name,
    parameters: { ...parameters, "Token Key": key },
  });
  for (const instance of store.instances().filter(has(token))) instances.change(instance.id, renewed(instance));
  for (const connector of store.connectors().filter(has(token))) connectors.change(connector.id, renewed(connector));
}

function has(token: Token): (configured: Configured) => boolean {
  return ({ parameters }) => Object.entries(token).every(([label, value]) => parameters[label] === value);
}
