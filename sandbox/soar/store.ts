import { randomUUID } from "node:crypto";
import type { Manifest, Parameter } from "../../src/manifest/manifest.ts";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";
import type { Database } from "./database.ts";
import { required } from "./host-error.ts";
import { isObject } from "../../src/json.ts";
import type { Vault } from "./secrets.ts";

export interface InstalledPackage {
  /** Also the name of its folder. */
  id: string;
  identifier: string;
  version: string;
  sha256: string;
  manifest: Manifest;
  installedAt: number;
  /** Of all versions of its identifier, the one that instances and connectors run on. */
  inUse: boolean;
}

/** A configured instance, or a configured connector: parameters by label, secrets in clear (in memory only). */
export interface Configured {
  id: string;
  packageId: string;
  name: string;
  parameters: JsonObject;
  createdAt: number;
}
export type Instance = Configured;
export interface Connector extends Configured {
  /** Name of the connector in the manifest. */
  declared: string;
  enabled: boolean;
  /** Events that it has brought so far. */
  events: number;
}

type Table = "instances" | "connectors";

/** Packages, instances and connectors. */
export class Store {
  private readonly db: Database;
  private readonly vault: Vault;

  constructor(db: Database, vault: Vault) {
    this.db = db;
    this.vault = vault;
  }

  /** Remembers a package; one that is known stays as it is. */
  addPackage({ id, identifier, version, sha256, manifest, installedAt }: Omit<InstalledPackage, "inUse">): void {
    if (this.packages().some((known) => known.id === id)) return;
    const row = { id, identifier, version, sha256, manifest_json: JSON.stringify(manifest), installed_at: installedAt };
    this.db.insert("packages", row);
  }

  /** From now on, everything of the package's identifier runs on this version; settings and states stay as they are. */
  usePackage({ id, identifier }: Pick<InstalledPackage, "id" | "identifier">): void {
    const others = "package_id IN (SELECT id FROM packages WHERE identifier = ?)";
    this.db.transaction(() => {
      this.db.run("UPDATE packages SET in_use = (id = ?) WHERE identifier = ?", id, identifier);
      this.db.run(`UPDATE instances SET package_id = ? WHERE ${others}`, id, identifier);
      this.db.run(`UPDATE connectors SET package_id = ? WHERE ${others}`, id, identifier);
    });
  }

  /** Forgets all versions of a package with their instances and connectors. Cases and runs stay. */
  removePackages(identifier: string): void {
    const own = "package_id IN (SELECT id FROM packages WHERE identifier = ?)";
    this.db.transaction(() => {
      this.db.run(`DELETE FROM instances WHERE ${own}`, identifier);
      this.db.run(`DELETE FROM connectors WHERE ${own}`, identifier);
      this.db.run("DELETE FROM playbooks WHERE identifier = ?", identifier);
      this.db.run("DELETE FROM packages WHERE identifier = ?", identifier);
    });
  }

  /** The oldest first. */
  packages(): InstalledPackage[] {
    const rows = this.db.all(
      `SELECT id, identifier, version, sha256, manifest_json AS manifest, installed_at AS installedAt, in_use AS inUse
       FROM packages ORDER BY installed_at, id`,
    ) as (Omit<InstalledPackage, "manifest" | "inUse"> & { manifest: string; inUse: number })[];
    return rows.map((row) => ({ ...row, manifest: JSON.parse(row.manifest) as Manifest, inUse: row.inUse === 1 }));
  }

  /** @throws HostError when no such package is installed. */
  package(id: string): InstalledPackage {
    const found = this.packages().find((installed) => installed.id === id);
    return required(found, "package", id);
  }

  /** The version that is in use. @throws HostError when no package of this identifier is installed. */
  packageInUse(identifier: string): InstalledPackage {
    const found = this.packages().find((installed) => installed.identifier === identifier && installed.inUse);
    return required(found, "integration", identifier);
  }

  /** Stores an instance under a new id, the secret ones of its parameters encrypted. */
  addInstance(given: Omit<Instance, "id">, declared: readonly Parameter[]): Instance {
    const instance = { id: randomUUID(), ...given };
    const { id, packageId, name, createdAt } = instance;
    const parameters_json = JSON.stringify(this.seal(instance, declared));
    this.db.insert("instances", { id, package_id: packageId, name, parameters_json, created_at: createdAt });
    return instance;
  }

  /** Stores a connector under a new id, the secret ones of its fields encrypted. */
  addConnector(given: Omit<Connector, "id" | "enabled" | "events">, declared: readonly Parameter[]): Connector {
    const connector = { id: randomUUID(), ...given, enabled: false, events: 0 };
    const { id, packageId, name, createdAt } = connector;
    const fields_json = JSON.stringify(this.seal(connector, declared));
    const row = { id, package_id: packageId, name, declared: given.declared, fields_json, created_at: createdAt };
    this.db.insert("connectors", row);
    return connector;
  }

  /** Replaces the name and the parameters of an instance or a connector, and the package it belongs to; a connector keeps its state. */
  reconfigure(table: Table, configured: Configured, declared: readonly Parameter[]): void {
    const { id, packageId, name } = configured;
    const column = table === "instances" ? "parameters_json" : "fields_json";
    const parameters = JSON.stringify(this.seal(configured, declared));
    this.db.run(
      `UPDATE ${table} SET package_id = ?, name = ?, ${column} = ? WHERE id = ?`,
      packageId,
      name,
      parameters,
      id,
    );
  }

  /** Forgets an instance, or a connector with its state. Cases and runs stay. */
  remove(table: Table, id: string): void {
    this.db.run(`DELETE FROM ${table} WHERE id = ?`, id);
  }

  /** The oldest first. @throws Error when a stored secret cannot be read. */
  instances(): Instance[] {
    const rows = this.db.all(
      `SELECT id, package_id AS packageId, name, parameters_json AS parameters, created_at AS createdAt
       FROM instances ORDER BY created_at, rowid`,
    ) as (Omit<Instance, "parameters"> & { parameters: string })[];
    return rows.map((row) => this.opened(row));
  }

  /** The oldest first. @throws Error when a stored secret cannot be read. */
  connectors(): Connector[] {
    const rows = this.db.all(
      `SELECT id, package_id AS packageId, name, declared, fields_json AS parameters, enabled, events, created_at AS createdAt
       FROM connectors ORDER BY created_at, rowid`,
    ) as (Omit<Connector, "parameters" | "enabled"> & { parameters: string; enabled: number })[];
    return rows.map((row) => ({ ...this.opened(row), enabled: row.enabled === 1 }));
  }

  /** @throws HostError when there is no such instance. */
  instance(id: string): Instance {
    const found = this.instances().find((instance) => instance.id === id);
    return required(found, "instance", id);
  }

  /** @throws HostError when there is no such connector. */
  connector(id: string): Connector {
    const found = this.connectors().find((connector) => connector.id === id);
    return required(found, "connector", id);
  }

  /** What was kept of the last test of an instance; null when there was none. */
  lastTest(instanceId: string): Json {
    const sql = "SELECT last_test_json AS test FROM instances WHERE id = ?";
    const row = this.db.first(sql, instanceId) as { test: string | null } | null;
    return JSON.parse(row?.test ?? "null") as Json;
  }

  keepTest(instanceId: string, outcome: JsonObject): void {
    this.db.run("UPDATE instances SET last_test_json = ? WHERE id = ?", JSON.stringify(outcome), instanceId);
  }

  enable(connectorId: string, enabled: boolean): void {
    this.db.run("UPDATE connectors SET enabled = ? WHERE id = ?", Number(enabled), connectorId);
  }

  /** The connector's last checkpoint; null before its first run. */
  state(connectorId: string): Json {
    const sql = "SELECT state_json AS state FROM connectors WHERE id = ?";
    const row = this.db.first(sql, connectorId) as { state: string } | null;
    return JSON.parse(required(row, "connector", connectorId).state) as Json;
  }

  /** The connector's next run begins as its first one did. A run that is under way stores nothing more. */
  resetState(connectorId: string): void {
    this.db.run("UPDATE connectors SET state_json = 'null', current_run = NULL WHERE id = ?", connectorId);
  }

  private opened<T extends { id: string; parameters: string }>(
    row: T,
  ): Omit<T, "parameters"> & { parameters: JsonObject } {
    return { ...row, parameters: this.unseal(row.id, JSON.parse(row.parameters) as JsonObject) };
  }

  private seal({ id, parameters }: Configured, declared: readonly Parameter[]): JsonObject {
    const secret = new Set(declared.filter((parameter) => parameter.secret).map((parameter) => parameter.name));
    return mapValues(parameters, (value, name) =>
      secret.has(name) && typeof value === "string" ? { sealed: this.vault.seal(value, `${id} ${name}`) } : value,
    );
  }

  private unseal(id: string, stored: JsonObject): JsonObject {
    return mapValues(stored, (value, name) =>
      isObject(value) && typeof value["sealed"] === "string"
        ? this.vault.open(value["sealed"], `${id} ${name}`)
        : value,
    );
  }
}

function mapValues(object: JsonObject, change: (value: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}
