import { randomUUID } from "node:crypto";
import type { Manifest, Parameter } from "../../src/manifest/manifest.ts";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";
import type { Database } from "./database.ts";
import { isObject } from "./merge-patch.ts";
import type { RunRow, RunStatus } from "./rows.ts";
import type { Vault } from "./secrets.ts";

export interface InstalledPackage {
  /** Also the name of its folder. */
  id: string;
  identifier: string;
  version: string;
  sha256: string;
  manifest: Manifest;
  installedAt: number;
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
/** Its `name` is that of the connector in the manifest. */
export type Connector = Configured;

export interface RunEnd {
  status: RunStatus;
  message: string;
  alerts?: number;
  events?: number;
  repeated?: number;
  /** Replaces the connector's whole state. */
  checkpoint?: JsonObject;
}

type NewRun = Pick<RunRow, "id" | "kind" | "name" | "ownerId" | "test">;
type Table = "instances" | "connectors";
/** The column that holds the parameters of each kind of configuration. */
const PARAMETERS: Record<Table, string> = { instances: "parameters_json", connectors: "fields_json" };

/** Packages, instances, connectors and runs. */
export class Store {
  private readonly db: Database;
  private readonly vault: Vault;

  constructor(db: Database, vault: Vault) {
    this.db = db;
    this.vault = vault;
  }

  /** Remembers a package; one that is known stays as it is. */
  addPackage({ id, identifier, version, sha256, manifest, installedAt }: InstalledPackage): void {
    if (this.packages().some((known) => known.id === id)) return;
    const row = { id, identifier, version, sha256, manifest_json: JSON.stringify(manifest), installed_at: installedAt };
    this.db.insert("packages", row);
  }

  packages(): InstalledPackage[] {
    const rows = this.db.all(
      `SELECT id, identifier, version, sha256, manifest_json AS manifest, installed_at AS installedAt
       FROM packages ORDER BY installed_at, id`,
    ) as (Omit<InstalledPackage, "manifest"> & { manifest: string })[];
    return rows.map((row) => ({ ...row, manifest: JSON.parse(row.manifest) as Manifest }));
  }

  /** @throws Error when no such package is installed. */
  package(id: string): InstalledPackage {
    return required(
      this.packages().find((installed) => installed.id === id),
      "package",
      id,
    );
  }

  /** Stores an instance or a connector under a new id, the secret ones of its parameters encrypted. */
  configure(table: Table, given: Omit<Configured, "id">, declared: readonly Parameter[]): Configured {
    const configured = { id: randomUUID(), ...given };
    this.db.insert(table, {
      id: configured.id,
      package_id: configured.packageId,
      name: configured.name,
      [PARAMETERS[table]]: JSON.stringify(this.seal(configured, declared)),
      created_at: configured.createdAt,
    });
    return configured;
  }

  /** Replaces the parameters of an instance or a connector, and the package it belongs to; a connector keeps its state. */
  reconfigure(table: Table, configured: Configured, declared: readonly Parameter[]): void {
    const { id, packageId } = configured;
    const parameters = JSON.stringify(this.seal(configured, declared));
    this.db.run(`UPDATE ${table} SET package_id = ?, ${PARAMETERS[table]} = ? WHERE id = ?`, packageId, parameters, id);
  }

  /** @throws Error when a stored secret cannot be read. */
  configured(table: Table): Configured[] {
    const rows = this.db.all(
      `SELECT id, package_id AS packageId, name, ${PARAMETERS[table]} AS parameters, created_at AS createdAt
       FROM ${table} ORDER BY created_at, id`,
    ) as (Omit<Configured, "parameters"> & { parameters: string })[];
    return rows.map((row) => ({ ...row, parameters: this.unseal(row.id, JSON.parse(row.parameters) as JsonObject) }));
  }

  /** @throws Error when there is no such instance. */
  instance(id: string): Instance {
    return required(
      this.configured("instances").find((instance) => instance.id === id),
      "instance",
      id,
    );
  }

  /** @throws Error when there is no such connector. */
  connector(id: string): Connector {
    return required(
      this.configured("connectors").find((connector) => connector.id === id),
      "connector",
      id,
    );
  }

  /** The connector's last checkpoint; null before its first run. */
  state(connectorId: string): Json {
    const sql = "SELECT state_json AS state FROM connectors WHERE id = ?";
    const row = this.db.first(sql, connectorId) as { state: string } | null;
    return JSON.parse(required(row, "connector", connectorId).state) as Json;
  }

  /** Begins a run. From here on no earlier run of the same connector, of this process or another, can store anything. */
  beginRun({ id, kind, name, ownerId, test }: NewRun, now: number): void {
    this.db.transaction(() => {
      this.db.insert("runs", { id, kind, name, owner_id: ownerId, test: Number(test), started_at: now });
      if (kind !== "connector" || test) return;
      this.db.run(
        `UPDATE runs SET status = 'interrupted', ended_at = ?, message = 'The host ended before the run did.'
         WHERE owner_id = ? AND status = 'running' AND test = 0 AND id <> ?`,
        now,
        ownerId,
        id,
      );
      this.db.run("UPDATE connectors SET current_run = ? WHERE id = ?", id, ownerId);
    });
  }

  /** Ends a run, and stores its whole checkpoint with it. */
  endRun(id: string, end: RunEnd, now: number): void {
    const { status, message, alerts = 0, events = 0, repeated = 0, checkpoint } = end;
    this.db.transaction(() => {
      this.db.run(
        `UPDATE runs SET ended_at = ?, status = ?, message = ?, alerts = ?, events = ?, repeated = ?
         WHERE id = ? AND status = 'running'`,
        now,
        status,
        message,
        alerts,
        events,
        repeated,
        id,
      );
      if (checkpoint === undefined) return;
      this.db.run("UPDATE connectors SET state_json = ? WHERE current_run = ?", JSON.stringify(checkpoint), id);
    });
  }

  /** The latest first. */
  runs(limit = 100): RunRow[] {
    const rows = this.db.all(
      `SELECT id, kind, name, owner_id AS ownerId, test, started_at AS startedAt, ended_at AS endedAt, status, message,
         alerts, events, repeated FROM runs ORDER BY started_at DESC, rowid DESC LIMIT ?`,
      limit,
    ) as (Omit<RunRow, "test"> & { test: number })[];
    return rows.map((row) => ({ ...row, test: row.test === 1 }));
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

function required<T>(found: T | null | undefined, what: string, id: string): T {
  if (found === null || found === undefined) throw new Error(`There is no ${what} "${id}".`);
  return found;
}
