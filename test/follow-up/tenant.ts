import { Deadline } from "../../src/deadline.ts";
import { followUp } from "../../src/follow-up/follow-up.ts";
import { outcomeOf } from "../../src/follow-up/report.ts";
import type { Settings } from "../../src/follow-up/alert-change.ts";
import { RunNotes } from "../../src/follow-up/run-notes.ts";
import type { VerdictCounts } from "../../src/follow-up/state/state.ts";
import { Selection } from "../../src/ingestion/selection.ts";
import type { AlertChange } from "../../src/runtime/modules.ts";
import type { JobAlert, Json } from "../../src/runtime/protocol.ts";
import type { AttackPathService, PathQuery } from "../../src/service/attack-path-service.ts";
import {
  BadRequestError,
  DeadlineError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  type ServiceError,
} from "../../src/service/errors/errors.ts";
import type { Environment } from "../../src/service/resources/environments.records.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";

export const START = Date.parse("2026-11-01T00:00:00Z");
export const HOUR = 3_600_000;
export const DETAILS = { whoActs: "service" } as const;

/** A tenant in memory: what it lists, what its graph joins, and when its last analysis ended. */
export class Tenant {
  /** By how much the service's clock is ahead. */
  ahead = 0;
  now = START;
  analysis = START - HOUR;
  idle = true;
  collected = true;
  unreadableEnvironments = 0;
  /** What it answers to the list of environments instead; null for nothing. */
  refusal: ServiceError | null = null;
  /** Whether it offers `datapipe/status`. */
  tellsAnalysis = true;
  /** When the last point of a sparkline was made that gets none any more; null when it has none. */
  readonly still = new Map<string, number | null>();
  /** Types whose sparklines cannot be read. */
  readonly withoutSparkline = new Set<string>();
  /** Names of environments, and the zones of each that the token sees. */
  environments = new Map([["E", [1, 2]]]);
  /** Finding types that name one object. */
  readonly single = new Set<string>();
  /** Environments without collected data. */
  readonly uncollected = new Set<string>();
  /** Of every finding. */
  severity = "high";
  /** Targets of findings whose risk is accepted. */
  readonly accepted = new Set<string>();
  /** Objects that it does not know. */
  readonly unknown = new Set<string>();
  /** Targets of findings that are listed as deleted, and since when. */
  readonly deleted = new Map<string, string>();
  /** Targets by finding type. */
  readonly listed = new Map<string, Set<string>>();
  /** Targets that the graph joins with any source, by a relationship that gives no control. */
  readonly joined = new Set<string>();
  /** Types that cannot be read. */
  readonly unreadable = new Set<string>();
  /** Types that cannot be read once. */
  readonly failOnce = new Set<string>();
  /** Types that the service does not know. */
  readonly removed = new Set<string>();
  /** Whether a gateway says that, and not the service. */
  isRemovedByGateway = false;
  /** Whether it calls a type that it does not know a bad request. */
  rejectsRemoved = false;
  /** How many paths it can be asked for until the run's time is up. */
  checksLeft = Infinity;
  /** How long it takes to list a page, in milliseconds. */
  pageMs = 0;
  /** How many requests it takes until it refuses the rest with 429. */
  requestsLeft = Infinity;
  /** For how long requests wait for the rate limit, in milliseconds. */
  heldBackMs = 0;
  /** What the last run asked. */
  lastService: AttackPathService | null = null;
  /** When the run's time is up. */
  endsAt = Infinity;
  reads = 0;
  onRead: (findingType: string) => void = () => undefined;
  onCheck = (): void => undefined;

  /** The service does not list these any more. */
  lose(findingType: string, ...targets: string[]): void {
    for (const target of targets) this.listed.get(findingType)?.delete(target);
  }

  service(): AttackPathService {
    const findings = {
      pages: (stream: { findingType: string }) => this.#pages(stream),
      types: () => Promise.resolve({ types: [], unreadable: 0 }),
      newest: () => Promise.resolve({ total: null, newest: null }),
      hasMore: () => Promise.resolve(false),
      sparkline: ({ findingType }: { findingType: string }) =>
        whileTimeIsLeft(() => {
          if (this.withoutSparkline.has(findingType)) throw new ServerError("broken", DETAILS);
          if (this.removed.has(findingType)) throw this.#unknownType();
          const at = this.still.get(findingType);
          return at === null ? [] : [{ created_at: at === undefined ? this.#analysis() : new Date(at).toISOString() }];
        }),
    };
    const whileTimeIsLeft = async <T>(answer: () => T): Promise<T> => {
      this.#request();
      return Promise.resolve(answer());
    };
    const status = () => (this.tellsAnalysis ? { idle: this.idle, completedAt: this.#analysis() } : null);
    const search = ({ text }: { text: string }) =>
      Promise.resolve({ records: this.unknown.has(text) ? [] : [{ objectid: text }] });
    this.lastService = {
      origin: "https://tenant.test",
      dialect: null,
      requestsPerSecond: 53,
      requestsSent: 0,
      heldBackMs: this.heldBackMs,
      time: () => this.now + this.ahead,
      environments: {
        list: () => {
          if (this.refusal !== null) return Promise.reject(this.refusal);
          return Promise.resolve({ environments: this.#environments(), unreadable: this.unreadableEnvironments });
        },
      },
      analysis: { status: () => whileTimeIsLeft(status) },
      findings,
      objects: { search },
      paths: {
        shortest: (source: string, target: string, { onlyTraversable = false }: PathQuery = {}) => {
          this.checksLeft -= 1;
          return whileTimeIsLeft(() => (onlyTraversable ? null : this.#path(source, target)));
        },
      },
    } as unknown as AttackPathService;
    return this.lastService;
  }

  #request(): void {
    if (this.checksLeft < 0 || this.now >= this.endsAt) throw new DeadlineError("time is up", DETAILS);
    this.requestsLeft -= 1;
    if (this.requestsLeft < 0) throw new RateLimitedError("too many requests", DETAILS);
  }

  #unknownType(): Error {
    const Denied = this.rejectsRemoved ? BadRequestError : NotFoundError;
    return new Denied("gone", { ...DETAILS, wrapped: !this.isRemovedByGateway });
  }

  #analysis(): string {
    return new Date(this.analysis + this.ahead).toISOString();
  }

  #environments(): Environment[] {
    return [...this.environments].map(([id, zones]) => {
      const exposures = zones.map((zone) => ({ asset_group_tag: { id: zone } }));
      return { id, name: "CORP", collected: this.collected && !this.uncollected.has(id), exposures };
    });
  }

  async *#pages({ findingType }: { findingType: string }) {
    this.#request();
    this.reads += 1;
    this.onRead(findingType);
    this.now += this.pageMs;
    if (this.now >= this.endsAt) throw new DeadlineError("time is up", DETAILS);
    if (this.failOnce.delete(findingType)) throw new ServerError("broken", DETAILS);
    if (this.unreadable.has(findingType)) throw new ServerError("broken", DETAILS);
    if (this.removed.has(findingType)) throw this.#unknownType();
    const objects = (target: string): Finding =>
      this.single.has(findingType) ? { Principal: target } : { FromPrincipal: "S", ToPrincipal: target };
    const findings = [...(this.listed.get(findingType) ?? [])].map((target, id): Finding => ({
      id,
      Finding: findingType,
      ...objects(target),
      Severity: this.severity,
      Accepted: this.accepted.has(target),
      deleted_at: this.deleted.get(target) ?? null,
    }));
    yield await Promise.resolve({ findings, total: findings.length, invalidValues: [], skip: 0, inOrder: true });
  }

  #path(source: string, target: string) {
    this.onCheck();
    if (!this.joined.has(target)) return null;
    const node = (objectId: string) => ({ objectId, label: objectId, kind: "User" });
    const nodes = new Map([
      ["1", node(source)],
      ["2", node(target)],
    ]);
    return {
      nodes,
      edges: [{ source: "1", target: "2", label: "GetChanges", kind: "GetChanges" }],
    };
  }
}

export const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

export interface HostRun {
  /** What the host was asked for, such as `close T0Owns-A`. */
  asked: string[];
  counts: VerdictCounts;
  /** How many open alerts were judged, or could not be. */
  alerts: number;
  /** Environments in which nothing is closed. */
  closingPaused: string[];
  why: string[];
  status: string;
  message: string;
  value: Json;
}

/** A host with its alerts and the job's state. */
export class Host {
  state: Json = null;
  /** By how much the host's clock is ahead. */
  ahead = 0;
  alerts: JobAlert[] = [];
  environments = ["All"];
  settings: Settings = { closes: true, keptOpen: null, allowsMassClosing: false };
  readonly #tenant: Tenant;

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  /** An alert for each target, all of which the tenant lists. */
  add(findingType: string, ...targets: string[]): void {
    this.#tenant.listed.set(findingType, new Set(targets));
    const common = { environmentId: "E", findingType, status: "open", closedBy: null, closedAt: null } as const;
    for (const target of targets) {
      const source = this.#tenant.single.has(findingType) ? null : "S";
      const finding = { id: target, source, target, createdAt: 0 };
      this.alerts.push({ ...common, alertId: `${findingType}-${target}`, findings: [finding] });
    }
  }

  /** Alerts of findings that name one object: no graph has them. */
  addSingles(findingType: string, ...targets: string[]): void {
    this.#tenant.single.add(findingType);
    this.add(findingType, ...targets);
  }

  /** Time passes, and an analysis ends an hour before the run. */
  runAfter(hours: number): ReturnType<Host["run"]> {
    this.#tenant.now += hours * HOUR;
    this.#tenant.analysis = this.#tenant.now - HOUR;
    return this.run();
  }

  async run({ timeMs, isTest = false }: { timeMs?: number; isTest?: boolean } = {}): Promise<HostRun> {
    const changes: AlertChange[] = [];
    const forEver = new Promise<never>(() => undefined);
    const clock = {
      now: () => this.#tenant.now + this.ahead,
      monotonic: () => this.#tenant.now,
      sleep: () => forEver,
    };
    this.#tenant.endsAt = this.#tenant.now + (timeMs ?? Infinity);
    const result = await followUp({
      service: this.#tenant.service(),
      clock,
      deadline: new Deadline({ clock, at: timeMs === undefined ? null : clock.now() + timeMs }),
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      alerts: this.alerts,
      state: this.state,
      selection: new Selection({ "Selected Environments": this.environments }),
      settings: this.settings,
      change: (change) => {
        changes.push(change);
        return Promise.resolve();
      },
      progress: () => undefined,
    });
    if (result.kind === "newer") throw new Error("The state is newer.");
    if (result.state !== null) this.state = JSON.parse(JSON.stringify(result.state)) as Json;
    const { counts, closingPaused, notJudged, judged, unjudged } =
      result.kind === "done" ? result.notes : new RunNotes();
    const asked = changes.map(({ change, alertId }) => `${change} ${alertId}`);
    const why = notJudged.map(({ why }) => why);
    const { status, message, value } = outcomeOf(result, { isTest });
    const said = { why, status, message, value };
    return { asked, counts, alerts: judged + unjudged, closingPaused: closingPaused.map(({ id }) => id), ...said };
  }
}
