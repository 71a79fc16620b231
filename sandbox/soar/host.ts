import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Parameter } from "../../src/manifest/manifest.ts";
import { systemClock, type Clock } from "../../src/clock.ts";
import type { Logger } from "../../src/logger.ts";
import {
  PROTOCOL,
  type ConnectorRun,
  type EntityUpdate,
  type Json,
  type JsonObject,
  type ProgressMessage,
  type Request,
  type ResultMessage,
  type RunBase,
} from "../../src/runtime/protocol.ts";
import { readProject } from "../../src/manifest/project.ts";
import { AlertStore } from "./alert-store.ts";
import { alertContext } from "./cases.ts";
import { openDatabase, type Database } from "./database.ts";
import { unpackPackage } from "./install.ts";
import { declaredConnector, Intake, readGrouping, type IntakeTotals } from "./intake.ts";
import { openLog, type HostLog } from "./log.ts";
import { runPlugin, type Crash } from "./run-plugin.ts";
import { forPlugin, secretsOf, withDefaults } from "./settings.ts";
import { openVault } from "./secrets.ts";
import { Store, type Configured, type Connector, type InstalledPackage, type Instance, type RunEnd } from "./store.ts";
import { messageOf } from "./text.ts";

/** Files of a host, all inside its data folder. */
export const HOST_FILES = { database: "host.db", key: "host.key", log: "host.log", packages: "packages" } as const;

export interface HostOptions {
  /** Folder of everything that this host keeps; made when it is missing. */
  data: string;
  clock?: Clock;
}

export interface RunOptions {
  /** Ends the run early, in order. */
  signal?: AbortSignal;
  /** The process is ended after this many milliseconds; null: never. */
  timeoutMs?: number | null;
  onProgress?: (progress: ProgressMessage) => void;
}

export interface ActionRunOptions extends RunOptions {
  /** Key of the alert that the action runs on: its entities are selected, and its findings are known. */
  alert?: number;
  /** What the action is told besides. */
  context?: JsonObject;
}

export interface ConnectorRunOptions extends RunOptions, Pick<ConnectorRun, "maxAlerts" | "maxEventsPerAlert"> {
  /** Reads a sample and stores nothing. */
  test?: boolean;
}

export interface ActionReport {
  runId: string;
  status: ResultMessage["status"] | "crashed";
  /** One sentence for people. */
  message: string;
  /** For playbook conditions; null after a crash. */
  value: Json;
  json: JsonObject | null;
  /** What was found out about entities of the context. */
  entities: EntityUpdate[];
  /** Wall time in milliseconds. */
  ms: number;
}

export type ConnectorReport = ActionReport & IntakeTotals;

const TIMEOUT_MS = 10 * 60_000;
/** An action that is still in progress after this many runs would never end. */
const MOST_ROUNDS = 100;
const RUN_EVERY = "Run Every";

/** A small SOAR platform on this machine: one data folder, no server. Open it with {@link openHost}. */
export class Host {
  readonly store: Store;
  readonly alerts: AlertStore;
  readonly log: Logger;
  private readonly data: string;
  private readonly clock: Clock;
  private readonly db: Database;
  private readonly logFile: HostLog;

  constructor({ data, clock = systemClock }: HostOptions) {
    mkdirSync(join(data, HOST_FILES.packages), { recursive: true, mode: 0o700 });
    this.data = data;
    this.clock = clock;
    const vault = openVault(join(data, HOST_FILES.key));
    this.db = openDatabase(join(data, HOST_FILES.database));
    this.store = new Store(this.db, vault);
    this.alerts = new AlertStore(this.db);
    this.logFile = openLog(join(data, HOST_FILES.log));
    this.log = this.logFile;
  }

  /** Checks and installs a package. @throws PackageRefused when it is not to be trusted. */
  async install(archive: string): Promise<InstalledPackage> {
    try {
      const { id, sha256, manifest } = await unpackPackage(archive, join(this.data, HOST_FILES.packages));
      const { identifier, version } = manifest;
      this.store.addPackage({ id, identifier, version, sha256, manifest, installedAt: this.clock.now() });
      this.log.info(`Installed ${id}.`, { sha256 });
      return this.store.package(id);
    } catch (error) {
      this.log.error(`Refused ${archive}: ${messageOf(error)}`);
      throw error;
    }
  }

  /**
   * Adds an instance, or changes the one of this name.
   * @throws ParameterError that names the parameter which is missing or cannot be used.
   */
  configureInstance(packageId: string, name: string, parameters: JsonObject): Instance {
    const declared = this.store.package(packageId).manifest.instance.parameters;
    const checked = withDefaults(declared, parameters, "in the settings of the instance");
    return this.configure("instances", { packageId, name, parameters: checked }, declared);
  }

  /**
   * Adds the connector of this name, or changes it: with a newer package, it goes on where it stood.
   * @throws ParameterError that names the field which is missing or cannot be used.
   */
  configureConnector(packageId: string, name: string, fields: JsonObject): Connector {
    const declared = declaredConnector(this.store.package(packageId).manifest, name).fields;
    const checked = withDefaults(declared, fields, "in the settings of the connector");
    return this.configure("connectors", { packageId, name, parameters: checked }, declared);
  }

  /** The connector's polling interval in milliseconds. */
  runEveryMs(connectorId: string): number {
    const minutes = Number(this.store.connector(connectorId).parameters[RUN_EVERY]);
    if (!(minutes > 0)) throw new Error(`${RUN_EVERY} of the connector is not a number of minutes.`);
    return minutes * 60_000;
  }

  /** Runs an action to its end; one that is in progress is run again with the state it returned. */
  async runAction(
    instanceId: string,
    name: string,
    parameters: JsonObject,
    options: ActionRunOptions = {},
  ): Promise<ActionReport> {
    const instance = this.store.instance(instanceId);
    const { manifest } = this.store.package(instance.packageId);
    const run = this.newRun(options, false);
    const started = this.clock.now();
    this.store.beginRun({ id: run.id, kind: "action", name, ownerId: instanceId, test: false }, started);
    const secrets = secretsOf(manifest.instance.parameters, instance.parameters);
    const context = { ...(await this.contextOf(instance.packageId, options.alert)), ...options.context };
    let end: ResultMessage | Crash;
    let state: Json = null;
    let rounds = 0;
    do {
      const request: Request = {
        protocol: PROTOCOL,
        kind: "action",
        name,
        // Each round has the whole time: what is in progress had used up the one before.
        run: { ...this.newRun(options, false), id: run.id },
        instance: instance.parameters,
        parameters,
        context,
        state,
      };
      end = await this.converse(instance.packageId, request, secrets, options);
      state = end.type === "result" ? (end.state ?? null) : null;
      rounds += 1;
    } while (end.type === "result" && end.status === "in_progress" && rounds < MOST_ROUNDS);
    return this.finish(run.id, started, end);
  }

  /** Runs a connector once and stores what it delivers. */
  async runConnector(connectorId: string, options: ConnectorRunOptions = {}): Promise<ConnectorReport> {
    const { maxAlerts, maxEventsPerAlert, test = false } = options;
    const { packageId, name, parameters } = this.store.connector(connectorId);
    const { fields } = declaredConnector(this.store.package(packageId).manifest, name);
    const grouping = await readGrouping(this.folder(packageId), name);
    const run: ConnectorRun = {
      ...this.newRun(options, test),
      ...(maxAlerts !== undefined && { maxAlerts }),
      ...(maxEventsPerAlert !== undefined && { maxEventsPerAlert }),
    };
    const started = this.clock.now();
    this.store.beginRun({ id: run.id, kind: "connector", name, ownerId: connectorId, test }, started);
    const request: Request = {
      protocol: PROTOCOL,
      kind: "connector",
      name,
      run,
      parameters: forPlugin(fields, parameters),
      state: this.store.state(connectorId),
    };
    const intake = new Intake(this.alerts, { id: run.id, connectorId, test }, grouping);
    const end = await this.converse(packageId, request, secretsOf(fields, parameters), options, intake);
    return { ...this.finish(run.id, started, end, intake), ...intake.totals };
  }

  /** Closes the database and writes the log to its end. */
  async close(): Promise<void> {
    this.db.close();
    await this.logFile.close();
  }

  private configure(
    table: "instances" | "connectors",
    wanted: Pick<Configured, "packageId" | "name" | "parameters">,
    declared: readonly Parameter[],
  ): Configured {
    const known = this.store.configured(table).find(({ name }) => name === wanted.name);
    if (known === undefined) return this.store.configure(table, { ...wanted, createdAt: this.clock.now() }, declared);
    const changed = { ...known, ...wanted };
    this.store.reconfigure(table, changed, declared);
    return changed;
  }

  /** What an action may know of the alert that it runs on. */
  private async contextOf(packageId: string, key: number | undefined): Promise<JsonObject> {
    if (key === undefined) return {};
    const alert = this.alerts.alert(key);
    if (alert === null) throw new Error(`There is no alert with the key ${key}.`);
    const { mappings } = await readProject(this.folder(packageId));
    return alertContext(alert, [...mappings.values()]);
  }

  private folder(packageId: string): string {
    return join(this.data, HOST_FILES.packages, packageId);
  }

  private newRun({ timeoutMs = TIMEOUT_MS }: RunOptions, test: boolean): RunBase {
    const deadline = timeoutMs === null ? null : new Date(this.clock.now() + timeoutMs).toISOString();
    return { id: randomUUID(), deadline, test };
  }

  /** One process, from request to result: logs, progress, alerts on the way. */
  private async converse(
    packageId: string,
    request: Request,
    secrets: string[],
    { signal, onProgress }: RunOptions,
    intake?: Intake,
  ): Promise<ResultMessage | Crash> {
    const messages = runPlugin({ folder: this.folder(packageId), request, secrets, ...(signal && { signal }) });
    for await (const message of messages) {
      if (message.type === "log") this.log[message.level](message.message, { ...message.fields, run: request.run.id });
      else if (message.type === "progress") onProgress?.(message);
      else if (message.type === "alert") intake?.take(message.alert, message.checkpoint ?? null, this.clock.now());
      else return message;
    }
    throw new Error("A run of the plugin ended without an outcome.");
  }

  private finish(runId: string, started: number, end: ResultMessage | Crash, intake?: Intake): ActionReport {
    const now = this.clock.now();
    const { alerts = 0, events = 0, repeated = 0 } = intake?.totals ?? {};
    const outcome = end.type === "crash" ? CRASHED : outcomeOf(end);
    const checkpoint = end.type === "result" && intake?.storing === true ? end.checkpoint : undefined;
    const { status } = outcome;
    const done: RunEnd = { status, message: end.message, alerts, events, repeated, ...(checkpoint && { checkpoint }) };
    this.store.endRun(runId, done, now);
    const fields = {
      run: runId,
      ...(intake && { alerts, events, repeated }),
      ...(end.type === "crash" && { stderr: end.stderr }),
    };
    this.log[status === "completed" ? "info" : "warn"](`Run ${status}: ${end.message}`, fields);
    return { ...outcome, runId, message: end.message, ms: now - started };
  }
}

type Outcome = Pick<ActionReport, "status" | "value" | "json" | "entities">;

const CRASHED: Outcome = { status: "crashed", value: null, json: null, entities: [] };

function outcomeOf({ status, value, json, entities }: ResultMessage): Outcome {
  return { status, value, json: json ?? null, entities: entities ?? [] };
}

/** Opens the host that lives in a data folder; a new folder becomes a new host. */
export function openHost(options: HostOptions): Host {
  return new Host(options);
}

/** Deletes what a host keeps in its data folder, and nothing else that may lie there. */
export function forgetHost(data: string): void {
  const { database, key, log, packages } = HOST_FILES;
  for (const name of [database, `${database}-wal`, `${database}-shm`, key, log, packages]) {
    rmSync(join(data, name), { recursive: true, force: true });
  }
}
