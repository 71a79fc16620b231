import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";
import { declaredTasks, HOST_FILES, isBlank, openHost, type Configured, type Host } from "../soar/index.ts";
import type { Tenant } from "../tenant/index.ts";
import type { SettingsInput } from "./contract/index.ts";

/** What a command polls, by label. */
export interface TenantParameters extends JsonObject {
  Server: string;
  "Token ID": string;
  /** null when the command did not ask for it, because nothing would be configured with it. */
  "Token Key": string | null;
}

export interface Preparation {
  archive: string;
  /** Of the instance. */
  name: string;
  instance: TenantParameters;
  /** Fields of the connector besides, by label; null for those that were not given. */
  fields: Record<string, string | null>;
}

/**
 * Installs the package into a new host, adds an instance, its connectors and its jobs, and lets them run on their schedules. A host that was set up
 * before stays as the person has left it, but for a new key of the same token.
 * @param signal ends the test of the instance
 * @returns sentences about what was given and has no effect
 */
export async function prepareHost(
  host: Host,
  { archive, name, instance, fields }: Preparation,
  signal?: AbortSignal,
): Promise<string[]> {
  if (isSetUp(host)) return renewed(host, instance, fields);
  const { identifier: integration, manifest } = await host.install(archive);
  const { id } = host.instances.add({ integration, name, parameters: instance });
  for (const { name: connector, fields: declared } of declaredTasks(manifest)) {
    const own = Object.entries(fields).filter(([label]) => declared.some(({ name }) => name === label));
    const parameters = { ...instance, ...Object.fromEntries(own) };
    const added = host.connectors.add({ integration, name: connector, connector, parameters });
    host.connectors.enable(added.id, true);
  }
  await host.testInstance(id, signal);
  return [];
}

/** How an instance is configured with a simulated tenant. */
export function parametersOf({ url, tokenId, tokenKey }: Tenant): TenantParameters & { "Token Key": string } {
  return { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
}

type Token = Pick<TenantParameters, "Server" | "Token ID">;

/** What the host in a folder knows of a token. */
export interface KnownToken {
  /** Whether the host was set up, with this token or another one. */
  isSetUp: boolean;
  /** null when the host has no key of the token. */
  key: string | null;
}

/** Looks up a token in the host of a folder, which may have none. */
export async function knownToken(data: string, token: Token): Promise<KnownToken> {
  if (!existsSync(join(data, HOST_FILES.database))) return { isSetUp: false, key: null };
  const host = openHost({ data });
  try {
    const keys = configured(host)
      .filter(has(token))
      .map(({ parameters }) => parameters["Token Key"]);
    return { isSetUp: isSetUp(host), key: keys.find((key) => typeof key === "string") ?? null };
  } finally {
    await host.close();
  }
}

/** Runs outlive the package, so a host that a person has emptied is not a new one. */
function isSetUp({ store, records }: Host): boolean {
  return store.packages().length > 0 || records.list({ limit: 1 }).total > 0;
}

/** What polls a tenant, or asks one. */
function configured({ store }: Host): Configured[] {
  return [...store.instances(), ...store.connectors()].filter(({ parameters }) => !isBlank(parameters["Server"]));
}

/** Gives a key to every instance and connector that has its token, and says what else was given in vain. */
function renewed(
  host: Host,
  { "Token Key": key, ...token }: TenantParameters,
  fields: Preparation["fields"],
): string[] {
  const { store, instances, connectors } = host;
  const all = configured(host);
  if (all.length === 0) {
    return [
      "Nothing is configured in this folder, so nothing is polled. Set it up in the console, or start with --fresh.",
    ];
  }
  const withKey = ({ packageId, name, parameters }: Configured): SettingsInput => ({
    integration: store.package(packageId).identifier,
    name,
    parameters: { ...parameters, "Token Key": key },
  });
  const isOld = (one: Configured) => has(token)(one) && key !== null && one.parameters["Token Key"] !== key;
  for (const instance of store.instances().filter(isOld)) instances.change(instance.id, withKey(instance));
  for (const connector of store.connectors().filter(isOld)) connectors.change(connector.id, withKey(connector));
  return [...(all.some(has(token)) ? [] : [otherToken(all, token)]), ...unusedFields(host, fields)];
}

function otherToken(all: readonly Configured[], { Server, "Token ID": tokenId }: Token): string {
  const polled = new Set(
    all.map(({ parameters: own }) => `${text(own["Server"])} with token ${text(own["Token ID"])}`),
  );
  return `This folder polls ${[...polled].join(" and ")}, not ${Server} with token ${tokenId}. Change it under Instances and Connectors, or start with --fresh.`;
}

/** Of the fields that were given, those that no connector has with this value. */
function unusedFields({ store }: Host, fields: Preparation["fields"]): string[] {
  const connectors = store.connectors();
  const isUsed = (label: string, value: string | null) =>
    isBlank(value) || connectors.some(({ parameters }) => text(parameters[label]) === value);
  const unused = Object.keys(fields).filter((label) => !isUsed(label, fields[label] ?? null));
  if (unused.length === 0) return [];
  return [
    `Not changed, because this folder was set up before: ${unused.join(", ")}. Change it under Connectors, or start with --fresh.`,
  ];
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function has(token: Token): (configured: Configured) => boolean {
  return ({ parameters }) => Object.entries(token).every(([label, value]) => parameters[label] === value);
}
