import type { Environment } from "../service/records/environments.ts";
import { createHash } from "node:crypto";
import type { ConnectorOutcome, Logger } from "../runtime/modules.ts";
import type { Alert, ConnectorRun, Json, JsonObject } from "../runtime/protocol.ts";
import { TimeoutError } from "../service/errors.ts";
import type { Clock } from "../service/clock.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { loadCheckpoint, type Checkpoint, type Gate } from "./checkpoint.ts";
import { boundedDocuments, Documents } from "./documents.ts";
import { Failures } from "./failures.ts";
import { decideGate } from "./gate.ts";
import { Ledger } from "./ledger.ts";
import { Outbox } from "./outbox.ts";
import { nextStart, pairName, planOf, type PlannedPair } from "./plan.ts";
import { readPair, type ReadContext } from "./read-pair.ts";
import { newerState, nothingSelected, runOutcome } from "./report.ts";
import { deliverSample } from "./sample.ts";
import { scopeOf, selectTypes, unofferedTypes, type EnvironmentTypes } from "./scope.ts";
import { HOUR_MS } from "./seen.ts";

export interface IngestOptions {
  service: AttackPathService;
  run: Pick<ConnectorRun, "test" | "maxAlerts" | "maxEventsPerAlert">;
  clock: Clock;
  /** Epoch milliseconds at which the run's work ends; null for never. */
  deadline: number | null;
  /** The last checkpoint as the host kept it. */
  state: Json;
  selectedEnvironments: readonly string[];
  selectedFindingTypes: readonly string[];
  product: string;
  vendor: string;
  productField: string;
  eventField: string;
  /** Whether an environment's analysis history may stand in for reading it. */
  analysisGate: boolean;
  log: Logger;
  deliver(alert: Alert, checkpoint?: JsonObject): Promise<void>;
  progress(done: number, total: number, label: string): void;
}

/** Events in one alert where the host names no limit (Google SecOps SOAR, alert limits). */
const DEFAULT_EVENTS_PER_ALERT = 500;
/** Pairs read at a time: enough to hide latency, few enough to keep memory flat. */
const PAIRS_AT_A_TIME = 8;
/** The net below the analysis gate and the probes: everything is read at least this often. */
const SWEEP_EVERY_MS = HOUR_MS;

/**
 * One run of the connector: asks for what is new in the selected environments and finding types, delivers it, and
 * returns what the host is to store and to tell.
 *
 * @throws ServiceError when not even the environments could be read
 */
export async function ingest(options: IngestOptions): Promise<ConnectorOutcome> {
  const loaded = loadCheckpoint(options.state, options.service.origin);
  if (loaded.kind === "newer") return newerState(loaded.version);
  const notes = loaded.kind === "fresh" ? freshStart(options.log, loaded.reason, loaded.detail) : [];
  return new Ingestion(options, loaded.checkpoint, notes).run();
}

class Ingestion {
  readonly #options: IngestOptions;
  readonly #checkpoint: Checkpoint;
  /** Epoch milliseconds of the run. */
  readonly #now: number;
  readonly #sweep: boolean;
  readonly #failures: Failures;
  readonly #context: ReadContext;
  readonly #gates = new Map<string, Gate>();
  /** Sentences for the result, in the order in which they came up. */
  readonly #notes: string[];
  /** Environments that have named their finding types. */
  #reached = 0;
  /** Alerts that the host still takes and no pair has been granted. */
  #budget: number;
  /** Alerts that a pair may deliver before the others have their turn. */
  readonly #turn: number;

  constructor(options: IngestOptions, checkpoint: Checkpoint, notes: string[]) {
    const { service, run, log } = options;
    const now = options.clock.now();
    this.#now = now;
    this.#options = options;
    this.#notes = notes;
    this.#checkpoint = checkpoint;
    const selection = fingerprintOfSelection(options);
    if (checkpoint.selection !== selection) checkpoint.sweptAt = 0;
    checkpoint.selection = selection;
    this.#sweep = !isRecent(checkpoint.sweptAt, now);
    this.#failures = new Failures(log);
    this.#budget = run.maxAlerts ?? Number.MAX_SAFE_INTEGER;
    this.#turn = Math.max(1, Math.floor(this.#budget / PAIRS_AT_A_TIME));
    this.#context = {
      service: service.findings,
      documents: new Documents(service.documents, checkpoint.documents, now),
      ledger: new Ledger(options.state, checkpoint),
      now,
      sweep: this.#sweep,
      maxEventsPerAlert: run.maxEventsPerAlert ?? DEFAULT_EVENTS_PER_ALERT,
      frame: {
        origin: service.origin,
        product: options.product,
        vendor: options.vendor,
        productField: options.productField,
        eventField: options.eventField,
      },
      outbox: new Outbox((alert, patch) => options.deliver(alert, patch)),
      log,
      tally: { findings: 0, alerts: 0, misfits: 0 },
    };
  }

  async run(): Promise<ConnectorOutcome> {
    const environments = await this.#scope();
    if (environments.length === 0) return nothingSelected(this.#notes);
    const types = await this.#findingTypes(environments);
    if (this.#options.run.test) {
      return deliverSample(types, this.#budget, {
        context: this.#context,
        failures: this.#failures,
        notes: this.#notes,
      });
    }
    const unread = await this.#pastTheGate(types);
    const plan = planOf(unread, this.#checkpoint.next);
    await this.#readAll(plan);
    this.#closeBooks(plan);
    const { json, forgotten } = this.#context.ledger.finish();
    if (forgotten > 0) {
      this.#options.log.warn(
        `The state is full: ${forgotten} finding types forget what was delivered and may repeat it`,
      );
    }
    return runOutcome({
      tally: this.#context.tally,
      environments: environments.length,
      reached: this.#reached,
      notes: this.#notes,
      gated: types.length - unread.length,
      plan,
      failures: this.#failures,
      documentFailures: this.#context.documents.failures,
      checkpoint: json,
    });
  }

  async #scope(): Promise<Environment[]> {
    const { service, log, selectedEnvironments } = this.#options;
    const visible = await service.environments.list();
    const scope = scopeOf(visible, selectedEnvironments);
    if (scope.unknown.length > 0) {
      const names = visible.map(({ name, id }) => name ?? id).join(", ") || "none";
      const note = `Selected Environments: there is no ${scope.unknown.join(", ")}. The token can see: ${names}.`;
      this.#note(note);
    }
    for (const { name, id } of scope.uncollected) {
      log.info(`${name ?? id} is left out: nothing has been collected in it yet`);
    }
    return scope.chosen;
  }

  #note(note: string): void {
    this.#options.log.warn(note);
    this.#notes.push(note);
  }

  async #findingTypes(environments: Environment[]): Promise<EnvironmentTypes[]> {
    const { service, selectedFindingTypes } = this.#options;
    const answers = await Promise.all(
      environments.map((environment) =>
        this.#failures.guard(environment.name ?? environment.id, environment.id, () =>
          this.#inGoodTime(service.findings.types(environment.id)),
        ),
      ),
    );
    this.#reached = answers.filter((answer) => answer !== null).length;
    const silent = environments.filter((_, index) => answers[index]?.length === 0).map(({ name, id }) => name ?? id);
    if (silent.length > 0) this.#notes.push(`The service names no finding types for ${silent.join(", ")} at present.`);
    const missing = unofferedTypes(
      answers.flatMap((answer) => answer ?? []),
      selectedFindingTypes,
    );
    if (missing.length > 0 && !answers.includes(null)) {
      this.#note(`Selected Finding Types: the selected environments do not offer ${missing.join(", ")} at present.`);
    }
    return environments.map((environment, index) => ({
      environment,
      findingTypes: selectTypes(answers[index] ?? [], selectedFindingTypes),
    }));
  }

  /** The environments that must be read, those included of which nothing is known. */
  async #pastTheGate(types: EnvironmentTypes[]): Promise<EnvironmentTypes[]> {
    const { analysisGate, service, log } = this.#options;
    if (!analysisGate) {
      this.#checkpoint.gates.clear();
      return types;
    }
    const open = await Promise.all(
      types.map(async ({ environment: { id, name }, findingTypes: [first, ...others] }) => {
        if (first === undefined) return true;
        const decision = await this.#failures.guard(name ?? id, id, () =>
          this.#inGoodTime(decideGate(service.findings, this.#checkpoint, id, [first, ...others])),
        );
        if (decision !== null) this.#gates.set(id, decision.gate);
        return this.#sweep || decision?.read !== false;
      }),
    );
    const unread = types.filter((_, index) => open[index]);
    const gated = types.length - unread.length;
    if (gated > 0) log.info(`${gated} environments are not read: the service has not analysed them again`);
    return unread;
  }

  /** What must be known before anything is read takes a third of the run's time: one that hangs keeps nobody waiting. */
  async #inGoodTime<T>(work: Promise<T>): Promise<T> {
    const { clock, deadline } = this.#options;
    if (deadline === null) return work;
    const done = new AbortController();
    const late = clock.sleep((deadline - this.#now) / 3, done.signal).then(() => {
      const message =
        "The service did not answer in time to read anything in this run. Allow runs more time if it stays.";
      throw new TimeoutError(message, { whoActs: "service" });
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      done.abort();
    }
  }

  async #readAll(plan: PlannedPair[]): Promise<void> {
    const queue = [...plan];
    let read = 0;
    const work = async (): Promise<void> => {
      while (this.#failures.ending === null && this.#budget >= 1) {
        const pair = queue.shift();
        if (pair === undefined) return;
        const complete = await this.#giveTurn(pair);
        if (complete === false) queue.push(pair);
        else this.#options.progress(++read, plan.length, "finding types");
      }
    };
    await Promise.all(Array.from({ length: PAIRS_AT_A_TIME }, work));
    await this.#context.outbox.emptied();
  }

  async #giveTurn(pair: PlannedPair): Promise<boolean | null> {
    const turn = { alerts: Math.min(this.#turn, this.#budget) };
    this.#budget -= turn.alerts;
    const complete = await this.#failures.guard(pairName(pair), pair.environmentId, () =>
      readPair(pair, this.#context, turn),
    );
    this.#budget += turn.alerts;
    if (complete === true) pair.progress = "done";
    // What ended the run is asked for again; what failed alone too, but nobody waits for it.
    else if (complete === null && this.#failures.ending === null) pair.progress = "failed";
    return complete;
  }

  /** Brings gates, sweep and starting point up to date once all reading is over. */
  #closeBooks(plan: PlannedPair[]): void {
    const checkpoint = this.#checkpoint;
    const failed = this.#failures.environments;
    for (const [environmentId, gate] of this.#gates) {
      const pairs = plan.filter((pair) => pair.environmentId === environmentId);
      if (failed.has(environmentId) || pairs.some(({ progress }) => progress !== "done")) {
        checkpoint.gates.delete(environmentId);
      } else {
        // What was delivered is the change after which two polls must pass.
        checkpoint.gates.set(environmentId, pairs.some(({ delivered }) => delivered) ? { quietPolls: 0 } : gate);
      }
    }
    for (const environmentId of failed) checkpoint.gates.delete(environmentId);
    // What failed alone has no gate and is read in the next run anyway.
    if (this.#sweep && this.#failures.ending === null) checkpoint.sweptAt = this.#now;
    checkpoint.next = nextStart(plan);
    checkpoint.documents = boundedDocuments(checkpoint.documents);
  }
}

function isRecent(sweptAt: number, now: number): boolean {
  return sweptAt <= now && now - sweptAt < SWEEP_EVERY_MS;
}

function fingerprintOfSelection({ selectedEnvironments, selectedFindingTypes }: IngestOptions): string {
  const selection = [selectedEnvironments, selectedFindingTypes].map((names) => [...names].sort());
  return createHash("sha256").update(JSON.stringify(selection)).digest("base64url").slice(0, 12);
}

/** Says why there is no state to go on from, in the log and for the result. */
function freshStart(log: Logger, reason: "other_tenant" | "damaged" | null, detail: string): string[] {
  if (reason === null) return [];
  const note =
    reason === "other_tenant"
      ? `The saved state belongs to ${detail}: this tenant is read from the start.`
      : `The saved state is damaged (${detail}) and set aside: findings that were delivered before may repeat.`;
  log[reason === "damaged" ? "error" : "warn"](note);
  return [note];
}
