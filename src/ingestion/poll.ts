import type { Clock } from "../clock.ts";
import type { Deadline } from "../deadline.ts";
import type { Alert, ConnectorRun, Json, JsonObject } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { AbortedError, DeadlineError, endsTheRun, ServiceError } from "../service/errors/errors.ts";
import { checkpoint } from "./checkpoint.ts";
import { Descriptions } from "./descriptions.ts";
import { hourOf } from "./time.ts";
import { interleave } from "./interleave.ts";
import { alertOf, type AlertLabels } from "./mapping/alert.ts";
import { OptionalRoutes } from "./optional-routes.ts";
import { MOST_AT_ONCE, Pace } from "./pace.ts";
import type { NewsItem, PollContext, PollItem, PollSource, PollSubject } from "./poll-items.ts";
import { readTenant } from "./read-tenant.ts";
import type { Selection } from "./selection.ts";
import { loadState } from "./state/load-state.ts";
import { StateStore } from "./state/state-store.ts";
import { runResult, stateNotes } from "./report/run-result.ts";
import type { MemoryNote, RunSummary } from "./report/run-summary.ts";
import { SummaryBuilder } from "./report/summary-builder.ts";

export interface PollOptions {
  readonly service: AttackPathService;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly limits: Pick<ConnectorRun, "maxAlerts" | "maxEventsPerAlert">;
  /** The last checkpoint, as the host kept it. */
  readonly state: Json;
  /** How many characters of JSON the state may take. Default: as many as every known host keeps. */
  readonly stateCharacters?: number;
  readonly selection: Selection;
  readonly labels: Omit<AlertLabels, "origin">;
  /** Resolves when the host has room for more. */
  deliver(alert: Alert, patch: JsonObject, withoutAlert?: JsonObject): Promise<void>;
  progress(done: number, total: number, label: string): void;
}

/** The state was written by a newer version of this plugin: nothing was read, and the state stays as it is. */
export interface NewerState {
  readonly version: number;
}

export interface PollResult {
  readonly summary: RunSummary;
  /** The whole state once everything delivered is stored. */
  readonly checkpoint: JsonObject;
}

/** Events in one alert where the host names no limit (Google SecOps SOAR, alert limits). */
const EVENTS_PER_ALERT = 500;
/** How long pending streams may still deliver what they have read once a run is ending. */
const LAST_ITEMS_MS = 100;

/**
 * One run of the connector: finds what is new, delivers it alert by alert, and reports what it did. Only what was
 * delivered is remembered as delivered.
 *
 *     interleave(readTenant -> scope -> readEnvironment -> skip? -> pollStream -> readStream) -> alertOf -> deliver -> checkpoint -> summary
 */
export async function poll(options: PollOptions): Promise<PollResult | NewerState> {
  const { service, clock, deadline, limits } = options;
  const loaded = loadState(options.state, service.origin);
  if (loaded.kind === "newer") return { version: loaded.version };
  const state = new StateStore(loaded.state, options.state, options.stateCharacters);
  const { learned } = state;
  service.dialect = learned.dialect;
  service.findings.pageSize = learned.pageSize ?? service.findings.pageSize;
  state.select(options.selection.fingerprint);

  const pace = new Pace({ service, clock, deadline, learned: learned.rate });
  const routes = new OptionalRoutes(learned.refused, { clock, patienceMs: pace.patienceMs });
  const descriptions = new Descriptions(service.documents, learned.descriptions, { clock, routes });
  const batchSize = limits.maxEventsPerAlert ?? EVENTS_PER_ALERT;
  const awaitingDescription: PollContext["awaitingDescription"] = new Set();
  const context: PollContext = { ...options, state, descriptions, awaitingDescription, routes, pace, batchSize };
  const summary = new SummaryBuilder(() => pace.slowMs);
  const labels = { ...options.labels, origin: service.origin };
  const notes: MemoryNote[] = stateNotes(loaded);

  const tenant: PollSource = { subject: { kind: "tenant" }, read: () => readTenant(context) };
  const items = interleave<PollItem, PollSubject>([tenant], {
    atOnce: MOST_AT_ONCE,
    atOnceNow: () => pace.atOnce,
    budget: limits.maxAlerts ?? Infinity,
    costs: (item) => item.kind === "news",
    clock,
    patienceMs: () => pace.slowMs,
    lastItemsMs: LAST_ITEMS_MS,
    onFailure: (subject, error, waitedMs) => fail({ subject, waitedMs }, error, summary, service),
    onCutOff: (subject, waitedMs) => {
      const awaitsDescription = subject.kind === "stream" && awaitingDescription.has(subject.stream);
      summary.cutOff(subject, awaitsDescription ? 0 : waitedMs);
    },
  });
  for await (const item of items) {
    summary.add(item);
    if (item.kind !== "news") notes.push(...remember(item, state, clock));
    else {
      const withoutAlert = state.withoutAlert(item.stream);
      const patch = state.advance(item.stream, item.memory, descriptions.toStore(item.stream.findingType));
      const wasReached = deadline.reached;
      await options.deliver(alertOf(item, item.description, labels, clock.now()), patch, withoutAlert);
      // The deadline passed while the host was reading this alert. The rest of the run is for alerts that are on their way.
      if (deadline.reached && !wasReached && summary.unread().length > 0) {
        summary.endedBy(outOfTime(deadline), tenant.subject);
        break;
      }
    }
    const { done, total } = summary.progress();
    options.progress(done, total, "streams");
  }
  // Made first: it may forget streams to fit, and the result reports that.
  const stored = checkpoint(summary, context, state);
  return { summary: runResult(summary, options, { descriptions, state }, notes), checkpoint: stored };
}

/** Stores what follows from an item with which nothing is delivered. */
function remember(item: Exclude<PollItem, NewsItem>, state: StateStore, clock: Clock): MemoryNote[] {
  if (item.kind === "start") {
    const streams = state.followClock(item.time);
    return streams === 0 ? [] : [{ kind: "clock_set_back", streams }];
  }
  if (item.kind === "scope") state.setScope(item.scope, clock.now());
  else if (item.kind === "types") state.setTypes(item.environment, item, hourOf(clock.now()));
  else if (item.kind === "no_news" || item.kind === "gone") state.keep(item.stream, item.memory);
  return [];
}

/** The run had to stop between two alerts, and not while it waited for the service. */
function outOfTime({ expired }: Deadline): ServiceError {
  if (!expired) return new AbortedError("The run was stopped before everything was delivered.", { whoActs: "analyst" });
  const message =
    "The run reached its deadline before everything was delivered. Allow runs more time if this keeps happening.";
  return new DeadlineError(message, { whoActs: "administrator" });
}

/** Decides what the failure of one source means for the run. */
function fail(
  { subject, waitedMs }: { subject: PollSubject; waitedMs: number },
  error: unknown,
  summary: SummaryBuilder,
  { responded }: AttackPathService,
): "continue" | "stop" {
  if (!(error instanceof ServiceError)) throw error;
  // A server that never responded at all will not respond to the other requests either.
  const ends = endsTheRun(error) || !responded;
  if (ends) summary.endedBy(error, subject);
  if (endsTheRun(error)) summary.cutOff(subject, waitedMs);
  else summary.failed(subject, error);
  return ends ? "stop" : "continue";
}
