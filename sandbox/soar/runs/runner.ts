import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../../src/clock.ts";
import type { Logger } from "../../../src/logger.ts";
import { readProject, type Project } from "../../../src/manifest/project.ts";
import {
  PROTOCOL,
  type ActionRequest,
  type Json,
  type JsonObject,
  type Request,
  type ResultMessage,
  type RunBase,
} from "../../../src/runtime/protocol.ts";
import type { AlertStore } from "../cases/alert-store.ts";
import type { Database } from "../database.ts";
import { alertContext } from "../cases/cases.ts";
import { required } from "../host-error.ts";
import type { Receiver } from "../cases/intake.ts";
import { ActiveRuns } from "./active-runs.ts";
import type { LiveEvents } from "../live.ts";
import type { NoResult, RunPlugin } from "./run-plugin.ts";
import type { NewRun, RunEnd, RunOutcome, RunRecords } from "./run-records.ts";
import type { ActionRunOptions, ConnectorRunOptions, RunOptions } from "./run-options.ts";
import { RunRecorder, shownRequest } from "./run-recorder.ts";
import { reportOf, type ActionReport, type ConnectorReport } from "./run-report.ts";
import { forPlugin, secretsOf } from "../settings.ts";
import { stateChanges } from "./state-changes.ts";
import { taskRequest } from "./task-request.ts";
import { declaredTask } from "./tasks.ts";
import type { Store } from "../store.ts";
import { messageOf } from "../../../src/text.ts";

/** A run that has begun: it stands in the records. */
export interface Begun<R> {
  runId: string;
  /** Resolves when it has ended. */
  report: Promise<R>;
}

export interface RunnerParts {
  db: Database;
  store: Store;
  alerts: AlertStore;
  records: RunRecords;
  live: LiveEvents;
  log: Logger;
  clock: Clock;
  /** Folder of the unpacked packages. */
  packages: string;
  runPlugin: RunPlugin;
  /** A run that may have stored alerts has ended. */
  onAlerts: () => void;
}

const TIMEOUT_MS = 10 * 60_000;
/** An action that is still in progress after this many runs would never end. */
const MOST_ROUNDS = 100;
/** Before an action that is in progress goes on. Platforms wait longer; a service's rate limit has passed after that. */
const PAUSE_MS = 1_000;

/** Alerts of a test run that are kept to be shown. */
const MOST_SAMPLED = 50;

/** A run that is under way. */
interface Run {
  row: NewRun;
  startedAt: number;
  recorder: RunRecorder;
  options: RunOptions;
}

/** Runs actions, connectors and jobs, and writes down what they do. */
export class Runner {
  readonly active: ActiveRuns;
  private readonly parts: RunnerParts;
  private readonly projects = new Map<string, Project>();

  constructor(parts: RunnerParts) {
    this.parts = parts;
    this.active = new ActiveRuns(parts.live);
  }

  /** Begins an action; one that is in progress is run again with the state it returned. */
  async action(
    instanceId: string,
    name: string,
    parameters: JsonObject,
    options: ActionRunOptions = {},
  ): Promise<Begun<ActionReport>> {
    const { store, alerts } = this.parts;
    const { packageId, name: owner, parameters: settings } = store.instance(instanceId);
    const declared = store.package(packageId).manifest.instance.parameters;
    const secrets = secretsOf(declared, settings);
    const context = { ...(await this.contextOf(packageId, options)), ...options.context };
    const run = this.newRun(options, false);
    const request: ActionRequest = {
      protocol: PROTOCOL,
      kind: "action",
      name,
      run,
      instance: forPlugin(declared, settings),
      parameters,
      context,
      state: null,
    };
    const caseId = options.caseId ?? (options.alert === undefined ? null : alerts.caseOf(options.alert));
    const { by = "Analyst", alert: alertKey = null } = options;
    const row = { id: run.id, kind: "action", name, ownerId: instanceId, owner, packageId, test: false, by } as const;
    const shown = shownRequest(request, secrets);
    return this.begin({ ...row, caseId, alertKey, request: shown }, options, async (run) => {
      const end = await this.rounds(request, secrets, run);
      return this.finish(run, end);
    });
  }

  /**
   * Begins a run of a connector or a job, and stores what it delivers or asks for.
   * @throws HostError when a run of it is under way.
   */
  async connector(connectorId: string, options: ConnectorRunOptions = {}): Promise<Begun<ConnectorReport>> {
    const { store } = this.parts;
    const { test = false, by = "Analyst" } = options;
    const { packageId, name: owner, declared: name, parameters } = store.connector(connectorId);
    const { kind, fields } = declaredTask(store.package(packageId).manifest, name);
    const project = await this.project(packageId);
    this.active.refuseSecond(connectorId);
    const before = store.state(connectorId);
    const { request, intake } = taskRequest(this.parts, {
      kind,
      shared: { protocol: PROTOCOL, name, parameters: forPlugin(fields, parameters), state: before },
      run: this.newRun(options, test),
      connectorId,
      limits: options,
      project,
    });
    const { run } = request;
    const secrets = secretsOf(fields, parameters);
    const row = { id: run.id, kind, name, ownerId: connectorId, owner, packageId, test, by } as const;
    const shown = shownRequest(request, secrets);
    return this.begin({ ...row, caseId: null, alertKey: null, request: shown }, options, async (run) => {
      try {
        const end = await this.converse(request, secrets, run, intake);
        return { ...this.finish(run, end, { intake, before }), ...intake.totals };
      } finally {
        // Also after a run that stored none: those of a run that failed may wait.
        this.parts.onAlerts();
      }
    });
  }

  /** Asks a run to end. @throws HostError when it is not under way. */
  stop(id: string): void {
    const { records } = this.parts;
    const ended = this.active.ids().includes(id) ? [] : records.endFailed();
    this.tell(ended);
    if (!ended.includes(id)) this.active.stop(id);
  }

  private tell(ids: readonly string[]): void {
    const { records, live } = this.parts;
    for (const id of ids) live.emit({ type: "run", run: records.run(id) });
  }

  private begin<R>(row: NewRun, options: RunOptions, work: (run: Run) => Promise<R>): Begun<R> {
    const { records, live, clock } = this.parts;
    const startedAt = clock.now();
    const failed = records.endFailed();
    records.begin(row, startedAt);
    const recorder = new RunRecorder({ log: records.log, live, clock }, { id: row.id, startedAt });
    const signal = this.active.add(row, options.signal);
    this.tell([...failed, row.id]);
    const report = work({ row, startedAt, recorder, options: { ...options, signal } })
      .catch((error: unknown) => {
        records.fail(row.id, messageOf(error), clock.now());
        recorder.flushIfPossible();
        throw error;
      })
      .finally(() => {
        this.active.remove(row.id);
        this.tell([row.id]);
      });
    this.active.keep(row.id, report);
    return { runId: row.id, report };
  }

  private async rounds(first: ActionRequest, secrets: readonly string[], run: Run): Promise<ResultMessage | NoResult> {
    let request = first;
    for (let round = 1; ; round += 1) {
      const end = await this.converse(request, secrets, run);
      if (end.type === "no_result" || end.status !== "in_progress" || round === MOST_ROUNDS) return end;
      await this.parts.clock.sleep(PAUSE_MS, run.options.signal).catch(() => undefined);
      // Each round has the whole time: what is in progress had used up the one before.
      request = { ...first, run: { ...this.newRun(run.options, false), id: run.row.id }, state: end.state ?? null };
    }
  }

  /** One process, from request to result: logs, progress, alerts on the way. */
  private async converse(
    request: Request,
    secrets: readonly string[],
    { row, recorder, options }: Run,
    intake?: Receiver,
  ): Promise<ResultMessage | NoResult> {
    const { live, log, clock } = this.parts;
    const { signal, onProgress } = options;
    const folder = this.folder(row.packageId);
    for await (const message of this.parts.runPlugin({ folder, request, secrets, ...(signal && { signal }) })) {
      if (message.type === "log") {
        recorder.take(message);
        // The log of the host is for people; each request stands in the record of its run.
        if (message.level !== "debug") log[message.level](message.message, { ...message.fields, run: row.id });
      } else if (message.type === "progress") {
        const { done, total, label } = message;
        this.active.note(row.id, { done, total, label });
        onProgress?.(message);
      } else if (message.type === "alert" || message.type === "alert_change") {
        const caseId = intake?.receive(message, clock.now()) ?? null;
        if (caseId !== null) live.emit({ type: "case", caseId });
      } else return message;
    }
    throw new Error("A run of the plugin ended without an outcome.");
  }

  private finish(
    { row, startedAt, recorder }: Run,
    end: ResultMessage | NoResult,
    delivered?: { intake: Receiver; before: Json },
  ): ActionReport {
    const { records, clock, log } = this.parts;
    const now = clock.now();
    const { alerts = 0, events = 0, repeated = 0, sample = [] } = delivered?.intake.totals ?? {};
    const report = reportOf(end, { runId: row.id, ms: now - startedAt });
    const { message, value, json, tables, insight } = report;
    const status = this.statusOf(row.id, report);
    recorder.flush();
    const checkpoint = end.type === "result" && delivered?.intake.storing === true ? end.checkpoint : undefined;
    const outcome: RunOutcome = {
      value,
      json,
      tables,
      insight,
      sample: sample.slice(0, MOST_SAMPLED),
      ...this.changes(row.ownerId, delivered, checkpoint),
      requestsLeft: recorder.requestsLeft,
    };
    const done = { status, message, alerts, events, repeated, outcome };
    records.end(row.id, { ...done, ...(checkpoint && { checkpoint }) }, now);
    const fields = {
      run: row.id,
      ...(delivered && { alerts, events, repeated }),
      ...(end.type === "no_result" && { stderr: end.stderr }),
    };
    log[status === "completed" ? "info" : "warn"](`Run ${status}: ${message}`, fields);
    return report;
  }

  /** A stop that came too late changes nothing. */
  private statusOf(id: string, { status }: ActionReport): RunEnd["status"] {
    return status !== "completed" && this.active.isStopped(id) ? "stopped" : status;
  }

  private changes(
    connectorId: string,
    delivered: { intake: Receiver; before: Json } | undefined,
    checkpoint: JsonObject | undefined,
  ): Pick<RunOutcome, "stateChanges" | "stateChangesLeft"> {
    if (delivered?.intake.storing !== true) return { stateChanges: [], stateChangesLeft: 0 };
    const { changes, left } = stateChanges(delivered.before, checkpoint ?? this.parts.store.state(connectorId));
    return { stateChanges: changes, stateChangesLeft: left };
  }

  /** What an action may know of the alert that it runs on. */
  private async contextOf(packageId: string, { alert: key, findings }: ActionRunOptions): Promise<JsonObject> {
    if (key === undefined) return {};
    const alert = required(this.parts.alerts.alert(key), "alert", key);
    const { mappings } = await this.project(packageId);
    const events = alert.events.filter((_, position) => findings?.includes(position) ?? true);
    return alertContext({ ...alert, events }, [...mappings.values()]);
  }

  /** The files of an installed package never change, so they are read and checked once. */
  private async project(packageId: string): Promise<Project> {
    const project = this.projects.get(packageId) ?? (await readProject(this.folder(packageId)));
    this.projects.set(packageId, project);
    return project;
  }

  private folder(packageId: string): string {
    return join(this.parts.packages, packageId);
  }

  private newRun({ timeoutMs = TIMEOUT_MS }: RunOptions, test: boolean): RunBase {
    const deadline = timeoutMs === null ? null : new Date(this.parts.clock.now() + timeoutMs).toISOString();
    // The requests of a run are found in its most detailed messages.
    return { id: randomUUID(), deadline, test, logLevel: "debug" };
  }
}
