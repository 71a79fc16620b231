import type { Clock } from "../clock.ts";
import type { Deadline } from "../deadline.ts";
import { Pace, type RateRefusal } from "../ingestion/pace.ts";
import type { Scope } from "../ingestion/scope.ts";
import type { Selection } from "../ingestion/selection.ts";
import { heldUpAt, startingAt } from "../ingestion/turns.ts";
import type { Logger } from "../logger.ts";
import type { AlertChange } from "../runtime/modules.ts";
import type { JobAlert, Json } from "../runtime/protocol.ts";
import type { AttackPathService, EnvironmentList } from "../service/attack-path-service.ts";
import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { AnalysisTimes } from "./proof/analysis-time.ts";
import { isUnderHumanControl, type Settings, withReopening } from "./alert-change.ts";
import { requestChange } from "./request-change.ts";
import { hashOf } from "./finding-key.ts";
import { followEnvironment, type FollowUpContext } from "./follow-environment.ts";
import { isUnstable } from "./proof/guards.ts";
import { judgedAs } from "./proof/judge.ts";
import { JobTime } from "./proof/job-time.ts";
import { type RefusedRun, refusedRun } from "./refused-run.ts";
import { RunNotes } from "./run-notes.ts";
import {
  FEWER_ENVIRONMENTS,
  FEWER_ZONES,
  LIST_INCOMPLETE,
  NO_FINDINGS,
  NO_OBJECTS,
  NOT_COLLECTED,
  NOT_LISTED,
  PERSONS,
} from "./sentences.ts";
import { inCapitals } from "../text.ts";
import { loadState, type LoadedState } from "./state/load-state.ts";
import type { FittedState } from "./state/fitted-state.ts";
import { FollowUpMemory } from "./state/memory.ts";
import { REOPEN_WITHIN_MS, isWithdrawn } from "./proof/waits.ts";

export interface FollowUpOptions {
  readonly service: AttackPathService;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly log: Logger;
  readonly alerts: readonly JobAlert[];
  /** What the host kept of the last run. */
  readonly state: Json;
  /** Of environments. */
  readonly selection: Selection;
  readonly settings: Settings;
  /** How many characters the state may take. Default: as many as every host keeps. */
  readonly stateCharacters?: number;
  /** Asks the host for a change. */
  readonly change: (change: AlertChange) => Promise<void>;
  readonly progress: (done: number, total: number) => void;
}

export type FollowUpResult =
  | { readonly kind: "newer"; readonly version: number }
  | RefusedRun
  | (FittedState & {
      readonly kind: "done";
      readonly loaded: Exclude<LoadedState, { kind: "newer" }>;
      readonly notes: RunNotes;
      readonly selection: Selection;
      readonly scope: Scope;
      /** No environment has a name or id that was selected, and no alert is of one. */
      readonly selectsNothing: boolean;
    });

/**
 * Judges what became of the findings of the host's alerts, and asks the host for what follows from it.
 *
 * @throws ServiceError when the environments cannot be listed for another reason than the deadline or the rate limit
 */
export async function followUp(options: FollowUpOptions): Promise<FollowUpResult> {
  const { service, state: raw } = options;
  const loaded = loadState(raw, service.origin);
  if (loaded.kind === "newer") return loaded;
  const memory = new FollowUpMemory(loaded.state, raw, options.stateCharacters);
  service.dialect = memory.dialect;
  const pace = new Pace({ service, clock: options.clock, deadline: options.deadline, learned: memory.rate });
  const list = await service.environments.list().catch((error: unknown) => refusedRun(error, loaded, pace));
  if ("kind" in list) return list;
  const run = new FollowUpRun(options, memory, list, pace);
  await run.run();
  const { notes, scope, selectsNothing } = run;
  return { kind: "done", loaded, notes, selection: options.selection, scope, selectsNothing, ...run.end() };
}

/** Reasons for which something was not read that has to be. */
const UNREAD: ReadonlySet<string> = new Set([LIST_INCOMPLETE, FEWER_ENVIRONMENTS, FEWER_ZONES]);

class FollowUpRun {
  readonly notes = new RunNotes();
  selectsNothing = false;
  readonly scope: Scope;
  readonly #options: FollowUpOptions;
  readonly #memory: FollowUpMemory;
  readonly #list: EnvironmentList;
  readonly #listed: ReadonlyMap<string, Environment>;
  /** Ids of those that are listed. */
  readonly #selected: ReadonlySet<string>;
  readonly #pace: Pace;
  readonly #context: FollowUpContext;
  readonly #time: JobTime;
  /** The environment with which the next run begins; null for the first one. */
  #next: string | null = null;
  /** Where the run was, should the service refuse the rest. */
  #refused: RateRefusal = { part: null, isApart: false };
  /** Environments and finding types of the host's alerts. */
  readonly #used = new Map<string, Set<string>>();

  constructor(options: FollowUpOptions, memory: FollowUpMemory, list: EnvironmentList, pace: Pace) {
    const { service, settings, selection, change, log, clock, deadline } = options;
    this.#options = options;
    this.#memory = memory;
    this.#list = list;
    this.#listed = new Map(list.environments.map((environment) => [environment.id, environment]));
    this.#pace = pace;
    this.scope = selection.scope(list.environments, list.unreadable);
    this.#selected = new Set([...this.scope.selected, ...this.scope.uncollected].map(({ id }) => id));
    this.#time = new JobTime(memory.clock, () => ({ service: service.time(), host: clock.now() }));
    memory.apply(hashOf(JSON.stringify([settings, selection.fingerprint])));
    this.#context = {
      service,
      times: new AnalysisTimes(service, memory.tellsAnalysis),
      memory,
      settings,
      deadline,
      isCareful: memory.next !== undefined,
      notes: this.notes,
      log,
      change,
      time: this.#time,
      now: () => this.#time.now(),
      hostNow: () => clock.now(),
      tenantTime: null,
    };
  }

  async run(): Promise<void> {
    const byEnvironment = this.#alertsByEnvironment();
    const isComplete = this.#list.incomplete === undefined && this.#list.unreadable === 0;
    const selectsNoneListed = this.scope.unknown.length > 0 && this.#selected.size === 0;
    this.selectsNothing = isComplete && byEnvironment.size === 0 && selectsNoneListed;
    if (isComplete) this.#memory.see(this.#list.environments, this.#context.now());
    const turns = startingAt([...byEnvironment], ([id]) => id === this.#memory.next);
    await this.#readTenantTime();
    // A run that can read nothing keeps the place of the one before.
    if (this.#isAnalysing()) this.#next = this.#memory.next ?? null;
    let begun = 0;
    for (const [id, alerts] of turns) {
      if (this.notes.stopped !== null) {
        this.#unknown(alerts, null);
        continue;
      }
      this.#refused = { part: { environmentId: id }, isApart: begun > 0 };
      this.#options.progress(begun++, turns.length);
      const wasIdle = !this.#isAnalysing();
      await this.#judge(id, alerts, isComplete);
      if (wasIdle && this.#isAnalysing()) this.#next = heldUpAt(turns, begun);
    }
    this.#nameClosingPaused(turns.flatMap(([id]) => this.#listed.get(id) ?? []));
    if (this.notes.stopped === null) this.#options.progress(turns.length, turns.length);
    else if (begun === 0) this.#next = this.#memory.next ?? null;
    else this.#next = heldUpAt(turns, begun);
  }

  /** @throws ServiceError when it does not end the run: nothing was judged then */
  async #readTenantTime(): Promise<void> {
    const { times } = this.#context;
    try {
      this.#context.tenantTime = await times.ofTenant();
      if (times.isTold) this.#memory.tellAnalysis(this.#context.now());
      else if (this.#memory.ceasesToTell(this.#context.now())) {
        times.giveUpTenant();
        this.#context.tenantTime = null;
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || !endsTheRun(error)) throw error;
      this.notes.stop(error);
    }
  }

  /** Whether the tenant is analysing, as far as this run knows. */
  #isAnalysing(): boolean {
    const { tenantTime } = this.#context;
    return tenantTime !== null && "why" in tenantTime;
  }

  end(): FittedState {
    const { service } = this.#options;
    const refusal = this.notes.stopped?.code === "rate_limited" ? this.#refused : null;
    const rate = this.#pace.next({ refusal, wasServed: true });
    const end = { next: this.#next, dialect: service.dialect, rate, clock: this.#time.toState() };
    return this.#memory.toState(end, this.#used);
  }

  async #judge(id: string, alerts: readonly JobAlert[], isComplete: boolean): Promise<void> {
    const environment = this.#listed.get(id);
    if (environment === undefined) await this.notes.untilStopped(() => this.#unlisted(id, alerts, isComplete));
    else await this.#follow(environment, alerts, isComplete);
  }

  async #follow(environment: Environment, alerts: readonly JobAlert[], isComplete: boolean): Promise<void> {
    const why = this.#guard(environment, isComplete);
    if (why !== null) this.#unknown(alerts, { what: environment.name ?? environment.id, why });
    else await followEnvironment(this.#context, environment, alerts);
  }

  /** What speaks against judging an environment that is listed; null for nothing. */
  #guard({ id, collected }: Environment, isComplete: boolean): string | null {
    const now = this.#context.now();
    if (!isComplete) return LIST_INCOMPLETE;
    if (isUnstable(this.#memory.visible, now)) return FEWER_ENVIRONMENTS;
    if (isUnstable(this.#memory.environment(id).zones, now)) return FEWER_ZONES;
    return collected === false ? NOT_COLLECTED : null;
  }

  /** Reports the environments in which closing pauses, even if this run read nothing. */
  #nameClosingPaused(environments: readonly Environment[]): void {
    if (this.#options.settings.allowsMassClosing) return;
    this.notes.closingPaused.push(
      ...environments.filter(({ id }) => this.#memory.environment(id).closingPaused === true),
    );
  }

  /** An environment that is not listed may be selected by its id, or by its last name. */
  #isSelected(id: string): boolean {
    if (this.#listed.has(id)) return this.#selected.has(id);
    const { name } = this.#memory.environment(id);
    return this.#options.selection.scope([{ id, ...(name !== undefined && { name }) }], 0).selected.length > 0;
  }

  /** An environment that no complete list has had for a week is withdrawn. That is said once, and nothing is closed. */
  async #unlisted(id: string, alerts: readonly JobAlert[], isComplete: boolean): Promise<void> {
    const now = this.#context.now();
    const since = isComplete ? (this.#memory.unlisted(id, now).absentSince ?? now) : now;
    if (!isWithdrawn(since, now)) {
      this.#unknown(alerts, { what: id, why: isComplete ? NOT_LISTED : LIST_INCOMPLETE });
      return;
    }
    for (const alert of alerts) {
      if (alert.status !== "open") continue;
      const judged = judgedAs("withdrawn", alert);
      this.notes.addFindings(judged.counts);
      this.notes.countAlert(judged.counts);
      await requestChange(this.#context, alert, judged, false);
    }
  }

  /** The alerts that may be touched, by environment. */
  #alertsByEnvironment(): Map<string, JobAlert[]> {
    const byEnvironment = new Map<string, JobAlert[]>();
    const idOf = this.#environmentIds();
    const ids = new Set(this.#options.alerts.map(({ environmentId }) => idOf(environmentId)));
    const selected = new Set([...ids].filter((id) => this.#isSelected(id)));
    for (const alert of this.#options.alerts) {
      const id = idOf(alert.environmentId);
      if (!selected.has(id)) {
        // Another job may follow it. What is known of it stays.
        this.#memory.alert(alert.alertId);
        this.#use(id, alert);
        continue;
      }
      if (!this.#rememberStanding(alert) || !this.#canJudge(alert)) continue;
      this.#use(id, alert);
      const alerts = byEnvironment.get(id) ?? [];
      byEnvironment.set(id, alerts);
      alerts.push(alert);
    }
    return byEnvironment;
  }

  #use(id: string, { findingType }: JobAlert): void {
    this.#used.set(id, (this.#used.get(id) ?? new Set()).add(findingType));
  }

  /** How the service writes the id of an environment, which a host may have stored in another letter case. */
  #environmentIds(): (id: string) => string {
    const ids = new Set([...this.#memory.environmentIds, ...this.#list.environments.map(({ id }) => id)]);
    const byCapitals = new Map([...ids].map((id) => [inCapitals(id), id]));
    return (id) => (ids.has(id) ? id : (byCapitals.get(inCapitals(id)) ?? id));
  }

  /** Remembers who closed or reopened an alert. @returns whether the job may touch it */
  #rememberStanding(alert: JobAlert): boolean {
    const { alertId, status } = alert;
    const memory = this.#memory.alert(alertId);
    if (!isUnderHumanControl(alert, memory)) {
      this.#memory.setAlert(alertId, withReopening(alert, memory));
      return true;
    }
    if (status === "open") this.notes.cannotJudge(alertId, PERSONS);
    this.#memory.setAlert(alertId, status === "open" ? { ...memory, person: true } : memory);
    return false;
  }

  /** Whether an alert has findings that can be judged, and is still of interest. Says why not. */
  #canJudge(alert: JobAlert): boolean {
    const { alertId, status, findings } = alert;
    if (status === "closed" && !this.#isRecent(alert)) return false;
    const hasObjects = findings.every(({ source, target }) => source !== "" && target !== "");
    if (findings.length > 0 && hasObjects) return true;
    if (status === "open") this.#unknown([alert], { what: alertId, why: hasObjects ? NO_FINDINGS : NO_OBJECTS });
    return false;
  }

  #isRecent({ closedBy, closedAt }: JobAlert): boolean {
    return closedBy === "job" && (closedAt === null || this.#context.hostNow() - closedAt <= REOPEN_WITHIN_MS);
  }

  #unknown(alerts: readonly JobAlert[], reason: { what: string; why: string } | null): void {
    if (reason !== null) this.notes.cannotJudge(reason.what, reason.why, { failed: UNREAD.has(reason.why) });
    this.notes.unknown(alerts);
  }
}
