import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlaybookRunView, PlaybookStep, PlaybookView } from "../../console/contract/index.ts";
import type { Clock } from "../../../src/clock.ts";
import type { Logger } from "../../../src/logger.ts";
import {
  readPlaybook,
  type ActionStep,
  type Playbook,
  type Step,
} from "../../../src/packaging/google-secops/playbook-source.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import type { AlertStore } from "../cases/alert-store.ts";
import type { Cases } from "../cases/case-list.ts";
import { instanceFor } from "../configurations.ts";
import type { Database } from "../database.ts";
import { HostError, required } from "../host-error.ts";
import type { LiveEvents } from "../live.ts";
import { allSteps, inWords, OTHERWISE, PlaybookRun, type StepOutcome } from "./playbook-run.ts";
import type { PlaybookRuns, QueuedPlaybook } from "./playbook-runs.ts";
import { platformAction } from "./platform-actions.ts";
import type { Runner } from "../runs/runner.ts";
import type { InstalledPackage, Store } from "../store.ts";
import { messageOf } from "../../../src/text.ts";

export interface PlaybooksParts {
  db: Database;
  store: Store;
  alerts: AlertStore;
  cases: Cases;
  runs: PlaybookRuns;
  runner: Runner;
  live: LiveEvents;
  log: Logger;
  clock: Clock;
  /** Folder of the unpacked packages. */
  packages: string;
}

interface Installed {
  playbook: Playbook;
  source: InstalledPackage;
}

/** The playbooks of all packages in use. They run one after the other, so that they leave the service room for polls. */
export class Playbooks {
  private readonly parts: PlaybooksParts;
  private readonly stopped = new AbortController();
  private queue: Promise<unknown> = Promise.resolve();

  constructor(parts: PlaybooksParts) {
    this.parts = parts;
  }

  async list(): Promise<PlaybookView[]> {
    return (await this.installed()).map((installed) => this.viewOf(installed));
  }

  /** An enabled playbook runs on each new alert. @throws HostError when there is no such playbook. */
  async enable(name: string, enabled: boolean): Promise<PlaybookView> {
    const installed = await this.named(name);
    this.parts.db.run(
      "INSERT INTO playbooks VALUES (?, ?, ?) ON CONFLICT (identifier, name) DO UPDATE SET enabled = excluded.enabled",
      installed.source.identifier,
      name,
      Number(enabled),
    );
    this.parts.live.emit({ type: "playbooks" });
    return this.viewOf(installed);
  }

  /** Begins a playbook on an alert, behind those that were begun before. @throws HostError when there is no such playbook or alert. */
  async start(name: string, alertKey: number, by = "Analyst"): Promise<PlaybookRunView> {
    const installed = await this.named(name);
    return this.begin(installed, this.newRun(installed, alertKey, by));
  }

  /**
   * Begins what waits: the given runs, and the playbooks that were enabled when new alerts were stored.
   * @param left runs that {@link endLeftOvers} gave
   */
  async beginWaiting(left: readonly PlaybookRunView[]): Promise<void> {
    const all = await this.installed();
    for (const run of left) {
      const installed = all.find(({ playbook }) => playbook.name === run.playbook);
      if (installed === undefined) this.endLeftOver(run);
      // The playbook may have been upgraded since.
      else this.begin(installed, { ...run, steps: waitingSteps(installed.playbook) });
    }
    for (const queued of this.parts.runs.queued()) this.beginQueued(queued, all);
  }

  /** Resolves when nothing is waiting or running. */
  async idle(): Promise<void> {
    await this.queue;
  }

  /** Ends the runs that an earlier process of this host has begun. Gives those that were still waiting. */
  endLeftOvers(): PlaybookRunView[] {
    const left = this.parts.runs.unfinished();
    const isWaiting = ({ steps }: PlaybookRunView): boolean => steps.every(({ status }) => status === "waiting");
    for (const run of left) if (!isWaiting(run)) this.endLeftOver(run);
    return left.filter(isWaiting);
  }

  /** Begins nothing more, so that the next start of the host goes on with what waits; resolves when the run that is under way has ended. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.queue;
  }

  private endLeftOver(run: PlaybookRunView): void {
    const { runs, clock } = this.parts;
    const steps = run.steps.map((step) =>
      step.status === "running"
        ? { ...step, status: "failed" as const, message: "The host ended before the step did.", endedAt: clock.now() }
        : { ...step, ...(step.status === "waiting" && { status: "skipped" as const }) },
    );
    runs.keep({ ...run, steps, status: "failed", endedAt: clock.now() });
  }

  private beginQueued(queued: QueuedPlaybook, all: readonly Installed[]): void {
    const { db, alerts, runs } = this.parts;
    const { alertKey, identifier, name } = queued;
    const installed = all.find(({ playbook, source }) => source.identifier === identifier && playbook.name === name);
    const trigger = installed?.playbook.trigger ?? {};
    const starts = !("product" in trigger) || trigger.product === alerts.alert(alertKey)?.product;
    // Together, so that an alert gets its run exactly once, whenever the host ends.
    const run = db.transaction(() => {
      runs.dequeue(queued);
      return installed === undefined || !starts ? null : this.newRun(installed, alertKey, "New alert");
    });
    if (installed !== undefined && run !== null) this.begin(installed, run);
  }

  private newRun({ playbook }: Installed, alertKey: number, by: string): PlaybookRunView {
    const { alerts, runs, clock } = this.parts;
    const run: PlaybookRunView = {
      id: randomUUID(),
      playbook: playbook.name,
      alertKey,
      caseId: alerts.caseOf(alertKey),
      by,
      status: "running",
      startedAt: clock.now(),
      endedAt: null,
      steps: waitingSteps(playbook),
    };
    runs.keep(run);
    return run;
  }

  /** Behind those that were begun before. */
  private begin(installed: Installed, view: PlaybookRunView): PlaybookRunView {
    const { runs, log, live } = this.parts;
    const told = (run: PlaybookRunView): void => {
      live.emit({ type: "playbook_run", run: structuredClone(run) });
    };
    const changed = (run: PlaybookRunView): void => {
      runs.keep(run);
      told(run);
    };
    told(view);
    this.queue = this.queue
      .then(() => (this.stopped.signal.aborted ? undefined : this.execute(installed, view, changed)))
      .catch((error: unknown) => {
        log.error(`A run of the playbook ${view.playbook} failed: ${messageOf(error)}`);
      });
    return structuredClone(view);
  }

  private async execute(
    { playbook, source }: Installed,
    view: PlaybookRunView,
    changed: (run: PlaybookRunView) => void,
  ): Promise<void> {
    const { alerts, clock, live } = this.parts;
    const { events } = required(alerts.alert(view.alertKey), "alert", view.alertKey);
    const act = (
      step: ActionStep,
      parameters: Record<string, string>,
      begun: (runId: string) => void,
    ): Promise<StepOutcome> =>
      step.integration === undefined
        ? this.ownAction(step, parameters, { source, view, begun })
        : Promise.resolve(platformAction(this.parts.cases, view, step, parameters));
    await new PlaybookRun({ view, events, actions: { act }, clock, changed }).run(playbook);
    live.emit({ type: "case", caseId: view.caseId });
  }

  private async ownAction(
    step: ActionStep,
    parameters: JsonObject,
    { source, view, begun }: { source: InstalledPackage; view: PlaybookRunView; begun: (runId: string) => void },
  ): Promise<StepOutcome> {
    const { runner } = this.parts;
    const instance = this.instanceOf(view.alertKey, source.identifier);
    const { by, alertKey: alert } = { by: view.playbook, alertKey: view.alertKey };
    const run = await runner.action(instance, step.action, parameters, { by, alert, signal: this.stopped.signal });
    begun(run.runId);
    const { status, message, value, json, runId } = await run.report;
    return {
      ok: status === "completed",
      message,
      value: typeof value === "string" ? value : JSON.stringify(value),
      json,
      runId,
    };
  }

  /** The instance for the tenant of the alert. */
  private instanceOf(alertKey: number, identifier: string): string {
    const { store, alerts } = this.parts;
    const connectorId = alerts.alerts({ key: alertKey })[0]?.connectorId;
    const connector = store.connectors().find(({ id }) => id === connectorId);
    const instance = instanceFor(store, connector, identifier);
    if (instance === null) {
      throw new HostError(
        409,
        "No instance has the settings of the connector that brought the alert. Add one for its tenant.",
      );
    }
    return instance.id;
  }

  private async named(name: string): Promise<Installed> {
    const found = (await this.installed()).find(({ playbook }) => playbook.name === name);
    return required(found, "playbook", name);
  }

  private async installed(): Promise<Installed[]> {
    const { store, packages } = this.parts;
    const inUse = store.packages().filter((source) => source.inUse);
    const files = inUse.flatMap((source) => source.manifest.playbooks.map((file) => ({ source, file })));
    return Promise.all(
      files.map(async ({ source, file }) => {
        const text = await readFile(join(packages, source.id, file), "utf8");
        return { playbook: readPlaybook(text, file, source.manifest), source };
      }),
    );
  }

  private enabledNow(): (installed: Installed) => boolean {
    const rows = this.parts.db.all("SELECT identifier, name FROM playbooks WHERE enabled = 1");
    const keyOf = (identifier: string, name: string): string => JSON.stringify([identifier, name]);
    const enabled = new Set(
      (rows as { identifier: string; name: string }[]).map((row) => keyOf(row.identifier, row.name)),
    );
    return ({ playbook, source }) => enabled.has(keyOf(source.identifier, playbook.name));
  }

  private viewOf(installed: Installed): PlaybookView {
    const { playbook, source } = installed;
    return {
      name: playbook.name,
      description: playbook.description,
      integration: source.identifier,
      enabled: this.enabledNow()(installed),
      steps: playbook.steps.map(stepView),
    };
  }
}

function waitingSteps({ steps }: Playbook): PlaybookRunView["steps"] {
  return allSteps(steps).map(({ name }) => ({
    name,
    status: "waiting",
    message: "",
    startedAt: null,
    endedAt: null,
    runId: null,
  }));
}

function stepView(step: Step): PlaybookStep {
  const { name } = step;
  if ("action" in step) return { name, kind: "action", action: step.action, branches: [] };
  const ways = [...step.branches, { name: OTHERWISE, conditions: [], steps: step.otherwise }];
  return {
    name,
    kind: "condition",
    action: null,
    branches: ways.map((way) => ({
      name: way.name,
      conditions: way.conditions.map(inWords),
      steps: way.steps.map(stepView),
    })),
  };
}
