import type { ConnectorState, ConnectorView, SettingsInput } from "../../console/contract/index.ts";
import type { Clock } from "../../../src/clock.ts";
import type { Parameter } from "../../../src/manifest/manifest.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import { HostError } from "../host-error.ts";
import { checkName, settingsOf, withKeptSecrets } from "../configurations.ts";
import { connectorState, followedStreams } from "./connector-state.ts";
import type { Database } from "../database.ts";
import { declaredTask } from "./tasks.ts";
import type { LiveEvents } from "../live.ts";
import type { RunRecords } from "./run-records.ts";
import { checkInterval, type Scheduler } from "./scheduler.ts";
import { withDefaults } from "../settings.ts";
import type { Connector, Store } from "../store.ts";
import type { ActiveRuns } from "./active-runs.ts";

export interface ConnectorsParts {
  db: Database;
  store: Store;
  records: RunRecords;
  scheduler: Scheduler;
  active: ActiveRuns;
  live: LiveEvents;
  clock: Clock;
}

/** The connectors and jobs of all integrations: what runs on a schedule. */
export class Connectors {
  private readonly parts: ConnectorsParts;

  constructor(parts: ConnectorsParts) {
    this.parts = parts;
  }

  list(): ConnectorView[] {
    return this.parts.store.connectors().map((connector) => this.viewOf(connector));
  }

  /** @throws HostError when there is no such connector. */
  view(id: string): ConnectorView {
    return this.viewOf(this.parts.store.connector(id));
  }

  /**
   * Adds a connector, disabled.
   * @throws ParameterError that names the field which is missing or cannot be used.
   */
  add({ integration, name, connector, parameters, instance }: SettingsInput): ConnectorView {
    const { store, clock } = this.parts;
    const { id: packageId, manifest } = store.packageInUse(integration);
    const { name: declared, fields } = declaredTask(manifest, connector ?? manifest.connectors[0]?.name ?? "");
    const given = { ...withKeptSecrets(fields, parameters, {}), ...this.valuesOf(instance, packageId, fields) };
    const checked = withDefaults(fields, given, PLACE);
    checkInterval(checked);
    const own = { packageId, declared, name: this.freeName(name, packageId), parameters: checked };
    return this.changed(store.addConnector({ ...own, createdAt: clock.now() }, fields).id);
  }

  /**
   * Changes a connector, which goes on where it stood.
   * @throws ParameterError that names the field which is missing or cannot be used.
   */
  change(id: string, { name, parameters }: SettingsInput): ConnectorView {
    const { store, scheduler } = this.parts;
    const known = store.connector(id);
    const { fields } = declaredTask(store.package(known.packageId).manifest, known.declared);
    const checked = withDefaults(fields, withKeptSecrets(fields, parameters, known.parameters), PLACE);
    checkInterval(checked);
    store.reconfigure(
      "connectors",
      { ...known, name: this.freeName(name, known.packageId, id), parameters: checked },
      fields,
    );
    scheduler.plan(id);
    return this.changed(id);
  }

  /** Forgets a connector with its state; its cases stay. @throws HostError while it runs. */
  remove(id: string): void {
    this.refuseWhileRunning(id, "before you delete the connector");
    this.parts.store.remove("connectors", id);
    this.parts.scheduler.forget(id);
    this.parts.live.emit({ type: "connector", id });
  }

  /** An enabled connector runs at its interval, for the first time at once. */
  enable(id: string, enabled: boolean): ConnectorView {
    const { store, scheduler } = this.parts;
    store.connector(id);
    store.enable(id, enabled);
    scheduler.plan(id);
    return this.changed(id);
  }

  /** What the connector or the job remembers, finding type by finding type. */
  state(id: string): ConnectorState {
    const { store, records } = this.parts;
    const last = records.last(id);
    const state = store.state(id);
    const known = connectorState(state, last && records.view(last.id));
    if (this.view(id).kind === "connector") return { ...known, followed: [] };
    return { ...known, streams: [], followed: followedStreams(state, this.environmentNames()) };
  }

  /** The next run reads everything again; alerts that are known are dropped then. @throws HostError while it runs. */
  resetState(id: string): void {
    this.refuseWhileRunning(id, "before you reset its state");
    this.parts.store.resetState(id);
    this.parts.live.emit({ type: "connector", id });
  }

  private changed(id: string): ConnectorView {
    this.parts.live.emit({ type: "connector", id });
    return this.view(id);
  }

  /** Values of the fields that an instance of the same integration has as well. */
  private valuesOf(id: string | undefined, packageId: string, fields: readonly Parameter[]): JsonObject {
    if (id === undefined) return {};
    const instance = this.parts.store.instance(id);
    if (instance.packageId !== packageId)
      throw new HostError(400, "The instance belongs to another integration. Choose one of this connector's.");
    const shared = fields.filter(({ name }) => Object.hasOwn(instance.parameters, name));
    return Object.fromEntries(shared.map(({ name }) => [name, instance.parameters[name] ?? null]));
  }

  private environmentNames(): Map<string, string> {
    const sql = "SELECT DISTINCT environment_id AS id, environment_name AS name FROM alerts";
    const rows = this.parts.db.all(sql) as { id: string; name: string }[];
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  private refuseWhileRunning(id: string, when: string): void {
    this.parts.store.connector(id);
    if (this.parts.active.of(id) === null) return;
    throw new HostError(409, `The connector is running. Stop the run ${when}.`);
  }

  private freeName(name: string, packageId: string, own?: string): string {
    const others = this.parts.store.connectors();
    return checkName(
      name,
      others.filter((other) => other.packageId === packageId && other.id !== own),
      "connector",
    );
  }

  private viewOf(connector: Connector): ConnectorView {
    const { db, store, records, scheduler, active } = this.parts;
    const { id, packageId, declared, enabled, events } = connector;
    const { identifier, manifest } = store.package(packageId);
    const { kind, fields, description } = declaredTask(manifest, declared);
    const last = records.last(id);
    const counted = db.first("SELECT count(DISTINCT case_id) AS cases FROM alerts WHERE connector_id = ?", id);
    return {
      ...settingsOf(connector, fields, identifier),
      kind,
      connector: declared,
      description,
      enabled,
      runEveryMs: scheduler.runEveryMs(id),
      nextRunAt: scheduler.nextRunAt(id),
      runningId: active.of(id),
      lastRun:
        last === null
          ? null
          : { id: last.id, status: last.status, message: last.message, at: last.endedAt ?? last.startedAt },
      cases: (counted as { cases: number }).cases,
      events,
    };
  }
}

const PLACE = "in the settings of the connector";
