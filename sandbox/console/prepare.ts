import type { JsonObject } from "../../src/runtime/protocol.ts";
import type { Host } from "../soar/index.ts";

export interface Preparation {
  archive: string;
  /** Server, Token ID and Token Key, by label. */
  instance: JsonObject;
  /** Fields of the connector besides, by label. */
  fields: JsonObject;
  signal: AbortSignal;
}

/** Installs the package into a new host, adds an instance and a connector, and polls. A host that has a package stays as it is. */
export async function prepareHost(host: Host, { archive, instance, fields, signal }: Preparation): Promise<void> {
  if (host.store.packages().length > 0) return;
  const { id, manifest } = await host.install(archive);
  const added = host.configureInstance(id, "Tenant", instance);
  await host.runAction(added.id, "Ping", {}, { signal });
  for (const { name } of manifest.connectors) {
    const connector = host.configureConnector(id, name, { ...instance, ...fields });
    await host.runConnector(connector.id, { signal });
  }
}
