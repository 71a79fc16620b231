import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type {
  ActionInput,
  PlaybookRunView,
  RunRow,
  RunView,
  StartedRun,
  TestOutcome,
} from "../console/contract/index.ts";
import { systemClock, type Clock } from "../../src/clock.ts";
import type { Logger } from "../../src/logger.ts";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { AheadClock } from "./ahead-clock.ts";
import { AlertStore } from "./cases/alert-store.ts";
import { Cases } from "./cases/case-list.ts";
import { Instances } from "./configurations.ts";
import { Connectors } from "./runs/connectors.ts";
import { openDatabase, type Database } from "./database.ts";
import { Events } from "./cases/event-list.ts";
import { Integrations } from "./packages/integrations.ts";
import { LiveEvents } from "./live.ts";
import { openLog, type HostLog } from "./log.ts";
import { PlaybookRuns } from "./playbooks/playbook-runs.ts";
import { Playbooks } from "./playbooks/playbooks.ts";
import { RunRecords } from "./runs/run-records.ts";
import type { ActionReport, ConnectorReport } from "./runs/run-report.ts";
import { runPlugin, type RunPlugin } from "./runs/run-plugin.ts";
import { Runner, type Begun } from "./runs/runner.ts";
import type { ActionRunOptions, ConnectorRunOptions } from "./runs/run-options.ts";
import { Scheduler } from "./runs/scheduler.ts";
import { declaredTask } from "./runs/tasks.ts";
import { openVault } from "./secrets.ts";
import { withDefaults } from "./settings.ts";
import { Store, type Connector, type InstalledPackage, type Instance } from "./store.ts";
import { messageOf } from "../../src/text.ts";

/** Files of a host, all inside its data folder. */
export const HOST_FILES = { database: "host.db", key: "host.key", log: "host.log", packages: "packages" } as const;

export interface HostOptions {
  /** Folder of everything that this host keeps; made when it is missing. */
  data: string;
  clock?: Clock;
  /** How a plugin is run; default: in a process of its own. */
  run?: RunPlugin;
}

/** A small SOAR platform on this machine: one data folder, no server. Open it with {@link openHost}. */
export class Host {
  readonly store: Store;
  readonly alerts: AlertStore;
  readonly records: RunRecords;
  readonly cases: Cases;
  readonly events: Events;
  readonly integrations: Integrations;
  readonly instances: Instances;
  readonly connectors: Connectors;
  readonly playbooks: Playbooks;
  readonly playbookRuns: PlaybookRuns;
  /** What changes, as it changes. */
  readonly live = new LiveEvents();
  readonly log: Logger;
  private readonly runner: Runner;
  private readonly scheduler: Scheduler;
  private readonly clock: AheadClock;
  private readonly db: Database;
  private readonly logFile: HostLog;
  private started = false;
  /** Playbooks are being begun for new alerts. */
  private beginning: Promise<void> = Promise.resolve();

  constructor({ data, clock: machine = systemClock, run = runPlugin }: HostOptions) {
    const clock = new AheadClock(machine);
    const packages = join(data, HOST_FILES.packages);
    mkdirSync(packages, { recursive: true, mode: 0o700 });
    this.clock = clock;
    const database = join(data, HOST_FILES.database);
    const vault = openVault(join(data, HOST_FILES.key), !existsSync(database));
    this.db = openDatabase(database);
    this.logFile = openLog(join(data, HOST_FILES.log));
    this.log = this.logFile;
    this.store = new Store(this.db, vault);
    this.alerts = new AlertStore(this.db);
    this.records = new RunRecords(this.db);
    this.playbookRuns = new PlaybookRuns(this.db);
    const { db, store, alerts, records, live, log, playbookRuns } = this;
    const shared = { db, store, alerts, records, live, log, clock, packages };
    const onAlerts = (): void => {
      this.beginPlaybooks();
    };
    const runLater: RunPlugin = (options) => run({ ...options, aheadMs: clock.aheadMs });
    this.runner = new Runner({ ...shared, runPlugin: runLater, onAlerts });
    const { active } = this.runner;
    this.scheduler = new Scheduler({ ...shared, runner: this.runner });
    this.cases = new Cases({ ...shared, playbookRuns });
    this.events = new Events(db, alerts);
    this.integrations = new Integrations({ ...shared, active, scheduler: this.scheduler });
    this.instances = new Instances({ ...shared, active });
    this.connectors = new Connectors({ ...shared, active, scheduler: this.scheduler });
    this.playbooks = new Playbooks({ ...shared, cases: this.cases, runs: playbookRuns, runner: this.runner });
  }

  /** Begins the schedule and the playbooks, once what an earlier process has left is put in order. */
  start(): void {
    this.records.interruptOthers(this.runner.active.ids(), this.clock.now());
    const waiting = this.playbooks.endLeftOvers();
    this.started = true;
    this.beginPlaybooks(waiting);
    this.scheduler.start();
  }

  /** How far this host's clock, and that of its plugins, is ahead of this machine's, in milliseconds. */
  get aheadMs(): number {
    return this.clock.aheadMs;
  }

  /** Sets the clock of this host and of its plugins ahead; what is due by then runs. */
  setAhead(aheadMs: number): void {
    if (aheadMs === this.clock.aheadMs) return;
    this.clock.aheadMs = aheadMs;
    for (const { id } of this.store.connectors()) this.scheduler.plan(id);
  }

  /** Checks, installs and uses a package. @throws PackageRefused when it fails a check. */
  install(archive: string | Buffer): Promise<InstalledPackage> {
    return this.integrations.install(archive);
  }

  /**
   * Adds an instance, or changes the one of this name.
   * @throws ParameterError that names the parameter which is missing or cannot be used.
   */
  configureInstance(packageId: string, name: string, parameters: JsonObject): Instance {
    const declared = this.store.package(packageId).manifest.instance.parameters;
    const wanted = {
      packageId,
      name,
      parameters: withDefaults(declared, parameters, "in the settings of the instance"),
    };
    const known = this.store.instances().find((instance) => instance.name === name);
    if (known === undefined) return this.store.addInstance({ ...wanted, createdAt: this.clock.now() }, declared);
    this.store.reconfigure("instances", { ...known, ...wanted }, declared);
    return { ...known, ...wanted };
  }

  /**
   * Adds the connector or the job of this name, or changes it: with a newer package, it goes on where it stood.
   * @throws ParameterError that names the field which is missing or cannot be used.
   */
  configureConnector(packageId: string, name: string, fields: JsonObject): Connector {
    const declared = declaredTask(this.store.package(packageId).manifest, name).fields;
    const parameters = withDefaults(declared, fields, "in the settings of the connector");
    const wanted = { packageId, name, declared: name, parameters };
    const known = this.store.connectors().find((connector) => connector.name === name);
    if (known === undefined) return this.store.addConnector({ ...wanted, createdAt: this.clock.now() }, declared);
    this.store.reconfigure("connectors", { ...known, ...wanted }, declared);
    return { ...known, ...wanted };
  }

  /** Runs an action to its end; one that is in progress is run again with the state it returned. */
  async runAction(
    instanceId: string,
    name: string,
    parameters: JsonObject,
    options: ActionRunOptions = {},
  ): Promise<ActionReport> {
    return (await this.runner.action(instanceId, name, parameters, options)).report;
  }

  /** Runs a connector or a job once, and stores what it delivers. */
  async runConnector(connectorId: string, options: ConnectorRunOptions = {}): Promise<ConnectorReport> {
    return (await this.runner.connector(connectorId, options)).report;
  }

  /** Begins an action and does not wait for its end. */
  async startAction(
    { instanceId, action, parameters, caseId, alertKey, findings }: ActionInput,
    by?: string,
  ): Promise<StartedRun> {
    const options = {
      ...(findings !== undefined && { findings }),
      ...(caseId !== undefined && { caseId }),
      ...(alertKey !== undefined && { alert: alertKey }),
      ...(by !== undefined && { by }),
    };
    return this.unwatched(await this.runner.action(instanceId, action, parameters, options));
  }

  /** Begins a run of a connector and does not wait for its end. @throws HostError when one is under way. */
  async startConnector(
    connectorId: string,
    options: Pick<ConnectorRunOptions, "test" | "by"> = {},
  ): Promise<StartedRun> {
    return this.unwatched(await this.runner.connector(connectorId, options));
  }

  /** Begins what a run did once more, with the settings of today. @throws HostError when that is not possible. */
  async rerun(runId: string, by?: string): Promise<StartedRun> {
    const { kind, ownerId, name, test, caseId, alertKey } = this.records.run(runId);
    if (kind !== "action") return this.startConnector(ownerId, { test, ...(by !== undefined && { by }) });
    const { parameters, context } = this.records.input(runId);
    const place = { ...(caseId !== null && { caseId }), ...(alertKey !== null && { alert: alertKey }) };
    const options = { ...place, context, ...(by !== undefined && { by }) };
    return this.unwatched(await this.runner.action(ownerId, name, parameters, options));
  }

  /** Asks a run to end. @throws HostError when it is not under way. */
  stopRun(runId: string): void {
    this.records.run(runId);
    this.runner.stop(runId);
  }

  /** All that is known of a run but its log. @throws HostError when there is no such run. */
  runView(runId: string): RunView {
    const view = this.records.view(runId);
    return { ...view, rerunRefusal: this.rerunRefusal(view), progress: this.runner.active.progress(runId) };
  }

  /** Runs Ping to its end, or until the signal. */
  async testInstance(instanceId: string, signal?: AbortSignal): Promise<TestOutcome> {
    const at = this.clock.now();
    const { value, message, json, ms, runId } = await this.runAction(instanceId, "Ping", {}, signal && { signal });
    const code = json?.["error"];
    const error = typeof code === "string" ? code : null;
    const outcome = { ok: value === true, message, error, at, ms, runId };
    this.instances.keepTest(instanceId, outcome);
    return outcome;
  }

  /** Ends what is running, closes the database and writes the log to its end. */
  async close(): Promise<void> {
    this.started = false;
    this.scheduler.stop();
    await this.beginning;
    await this.playbooks.stop();
    await this.runner.active.stopAll();
    this.db.close();
    await this.logFile.close();
  }

  private rerunRefusal({ kind, ownerId, status }: RunRow): string | null {
    const owners = kind === "action" ? this.store.instances() : this.store.connectors();
    if (status === "running") return "This run has not ended yet.";
    if (!owners.some(({ id }) => id === ownerId))
      return `The ${kind === "action" ? "instance" : kind} of this run was deleted.`;
    const isBusy = kind !== "action" && this.runner.active.of(ownerId) !== null;
    return isBusy ? `Another run of this ${kind} is under way. Wait until it has ended, or stop it.` : null;
  }

  private beginPlaybooks(waiting: readonly PlaybookRunView[] = []): void {
    if (!this.started) return;
    this.beginning = this.beginning
      .then(() => this.playbooks.beginWaiting(waiting))
      .catch((error: unknown) => {
        this.log.error(`The playbooks could not be started: ${messageOf(error)}`);
      });
  }

  private unwatched({ runId, report }: Begun<ActionReport>): StartedRun {
    report.catch((error: unknown) => {
      this.log.error(`A run failed: ${messageOf(error)}`, { run: runId });
    });
    return { runId };
  }
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
