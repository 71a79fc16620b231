import type { JsonObject } from "../../src/runtime/protocol.ts";
import type { Host } from "../soar/index.ts";

export interface Preparation {
  archive: string;
  /** Of the instance. */
  name: string;
  /** Server, Token ID and Token Key, by label. */
  instance: JsonObject;
  /** Fields of the connector besides, by label. */
  fields: JsonObject;
}

/**
 * Installs the package into a new host, adds an instance and its connectors, and lets them poll. A host that has a package
 * stays as the person has left it.
 */
export async function prepareHost(host: Host, { archive, name, instance, fields }: Preparation): Promise<void> {
  if (host.store.packages().length > 0) return;
  const { identifier: integration, manifest } = await host.install(archive);
  const { id } = host.instances.add({ integration, name, parameters: instance });
  for (const { name: connector } of manifest.connectors) {
    const parameters = { ...instance, ...fields };
    const added = host.connectors.add({ integration, name: connector, connector, parameters });
    host.connectors.enable(added.id, true);
  }
  await host.testInstance(id);
}
