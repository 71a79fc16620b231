import type { History, RunRecord } from "../history.ts";
import { TRAITS } from "../misbehaviours.ts";
import type { Endpoint, EnvironmentPlan, Fault } from "../scenario.ts";
import type { LogEntry } from "../tenant/log.ts";
import { HOUR, MINUTE, streamKey, type World } from "../world.ts";
import { describe, said } from "./wording.ts";
import type { Invariant } from "./invariant.ts";
import { isTooFast } from "./pace.ts";
import { promisedBy } from "./promises.ts";
import { isSelected } from "./scope.ts";

const MOST_IN_A_SECOND = 55;

/** The tenant never sees more requests in a second than the service allows. */
export const withinTheLimit: Invariant = (_world, _history, { requests }) =>
  isTooFast(requests, MOST_IN_A_SECOND) ? `more than ${MOST_IN_A_SECOND} requests arrived in one second` : null;

/** After a rejected credential or a rate limit nothing more is asked. */
export const stopsWhenRefused: Invariant = (_world, _history, { requests }) => {
  const required = requests.filter(isRefusal);
  const later = requests.filter(({ sent }) => sent > firstEnd(required));
  if (later.length > 0) return `${later.length} requests after status ${required[0]?.outcome ?? ""}`;
  const optional = requests.filter((request) => wasRefused(request) && isOptional(request));
  const vain = requests.filter((request) => isOptional(request) && request.sent > firstEnd(optional));
  return vain.length === 0 ? null : `${vain.length} requests that save work after one of them was refused`;
};

function firstEnd(requests: readonly LogEntry[]): number {
  return Math.min(...requests.map(({ answered }) => answered ?? Infinity));
}

/** As many as may be asked at the same time, and as many in place of those that were given up. */
const MOST_IN_VAIN = 2 * 64;
const LONGEST_IN_VAIN_MS = 5 * MINUTE;

/** A tenant that never answers anything ends the run soon. */
export const givesUpOnSilence: Invariant = (_world, _history, { requests, start, end, ending }) => {
  // Heads of responses are signs of life, whatever becomes of their bodies.
  if (ending !== "ended" || requests.some(({ outcome, heard }) => typeof outcome === "number" || heard !== null))
    return null;
  if (requests.length > MOST_IN_VAIN) return `${requests.length} requests to a tenant that never answers`;
  return end - start > LONGEST_IN_VAIN_MS ? `${(end - start) / 1000} s for a tenant that never answers` : null;
};

const LEAST_DEADLINE_MS = 5_000;
/** Requests that follow one another until the first page of a window arrives. */
const REQUESTS_IN_A_ROW = 4;

/** With a service that is well, every second run at the latest gets something across while there is something to get. */
export const getsOn: Invariant = (world, history, run) => {
  const before = history.runs[run.index - 1];
  if (before === undefined || !stoodStill(world, history, before) || !stoodStill(world, history, run)) return null;
  return `nothing was delivered in two runs of a healthy service; missing: ${describe(world, missingAfter(world, history, run))}; it says: ${said(run)}`;
};

function stoodStill(world: World, history: History, run: RunRecord): boolean {
  const { alerts } = run;
  // A line or a service that takes its time may take more than the run has, and replicas may disagree for several runs.
  if (alerts.length > 0 || !hadItsTime(run) || world.scenario.tenant.wire !== undefined || world.lagMs > 0)
    return false;
  // Runs that overlap go on where the same run ended: together they get no further than one.
  if (run.overlapped) return false;
  const needed = timeNeeded(world, learnedLimit(run)) + timeForEarlierStreams(world, run);
  const time = run.plan.deadlineMs ?? Infinity;
  if (time < LEAST_DEADLINE_MS || time * 0.8 < needed) return false;
  return !isDisturbed(run) && clocksAgree(world, run) && missingAfter(world, history, run).length > 0;
}

/** Where the host takes more alerts than this in a run, the connector reads streams in parallel. */
const FEW_ALERTS = 8;

/** Milliseconds for streams with nothing to deliver, all of which a run may read first: where the host takes few alerts, as few at once. */
function timeForEarlierStreams({ scenario }: World, { plan }: RunRecord): number {
  const { maxAlerts } = plan;
  if (maxAlerts === null || maxAlerts > FEW_ALERTS) return 0;
  const streams = sum(scenario.environments.map(({ types }) => types.length));
  return (streams / maxAlerts) * scenario.tenant.latency[1];
}

/**
 * Milliseconds that pass, with a service that is well, until a run has something to deliver.
 *
 * @param learned - requests a second that the connector sends at most
 */
export function timeNeeded(world: World, learned = Infinity): number {
  const { latency, announcedLimit = Infinity } = world.scenario.tenant;
  const limit = Math.min(announcedLimit, learned);
  return (
    (REQUESTS_IN_A_ROW + mostPages(world) / 2) * latency[1] + (limit === Infinity ? 0 : timeForTurns(world, limit))
  );
}

/** The four texts of each finding type may be asked for before its findings. */
const REQUESTS_PER_STREAM = 5;

/** Milliseconds for which requests wait where few of them are sent a second: the pages of all windows among them. */
function timeForTurns(world: World, limit: number): number {
  const { environments } = world.scenario;
  const pages = pagesOfWindows(world);
  const requests = REQUESTS_IN_A_ROW + environments.length + REQUESTS_PER_STREAM * pages.length + sum(pages) / 2;
  return (requests / limit) * 1_000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Pages of the longest window: what is new may stand on the last one, and the second run goes on where the first one ended. */
function mostPages(world: World): number {
  return Math.max(...pagesOfWindows(world));
}

/** Pages of each stream's longest window. Each page repeats one record; one of a single record is asked for by itself again. */
function pagesOfWindows(world: World): number[] {
  const { environments, tenant } = world.scenario;
  const size = Math.min(tenant.pageCap ?? Infinity, tenant.largestLimit ?? Infinity);
  const newInEach = size > 1 ? size - 1 : 1 / 2;
  return environments.flatMap(({ id, types }) =>
    types.map(({ name }) => Math.ceil(world.findingsOf(id, name).length / newInEach)),
  );
}

/** Whether anything went wrong that holds findings back. */
export function isDisturbed({ requests }: RunRecord): boolean {
  return requests.some(isRefusal) || requests.some(holdsBack);
}

/** Nothing more is asked after such an answer. */
export function isRefusal(request: LogEntry): boolean {
  return wasRefused(request) && !isOptional(request);
}

function wasRefused({ outcome }: LogEntry): boolean {
  return outcome === 401 || outcome === 429;
}

/** What is only asked for texts, or to save work, holds no findings back. */
function holdsBack(request: LogEntry): boolean {
  return request.struck && !isOptional(request);
}

export function isOptional({ endpoint, isProbe }: LogEntry): boolean {
  return isProbe || OPTIONAL.has(endpoint);
}

const OPTIONAL = new Set<Endpoint | null>(["document", "sparkline", "datapipe"]);

export function hadItsTime({ ending, plan }: RunRecord): boolean {
  return ending === "ended" && plan.stopAfterMs === undefined && plan.hostMs === 0;
}

/** Findings that the run had to find, and that the host still lacks without having left them itself. */
export function missingAfter(world: World, history: History, run: RunRecord): string[] {
  const delivered = (key: string): boolean =>
    run.left.has(key) || history.deliveries.get(key)?.some((delivery) => delivery.run <= run.index) === true;
  return promisedBy(world, history, run).flatMap(({ key }) => (delivered(key) ? [] : [key]));
}

function overlaps({ span: [from, until] }: Fault, { start, end }: RunRecord): boolean {
  return from <= end && until > start;
}

/** Requests are not refused for their date. */
export function clocksAgree(world: World, { start, end }: RunRecord): boolean {
  const apart = (moment: number): number => Math.abs(world.hostAhead(moment) - world.serviceAhead(moment));
  return !world.scenario.tenant.checksRequestDate || [start, end].every((moment) => apart(moment) < 0.9 * HOUR);
}

const LONG_ENOUGH_MS = MINUTE;
/** Of eight requests that are on their way at a time, one that hangs is given up after up to 20 seconds. */
const FOR_EACH_STRUCK_MS = 2_500;
const SMALL_LATENCY_MS = 100;
const LEAST_LIMIT = 8;

/** Requests a second that the connector sends at most since it was refused some. */
function learnedLimit({ stateBefore }: RunRecord): number {
  const { requestsPerSecond } = (stateBefore ?? {}) as { requestsPerSecond?: unknown };
  return typeof requestsPerSecond === "number" ? requestsPerSecond : Infinity;
}

/** Whatever happens in other environments, a healthy one is read to its end in the same run. */
export const healthyOnesAreRead: Invariant = (world, history, run) => {
  const { plan, requests } = run;
  const { tenant } = world.scenario;
  // Replicas that disagree about a list of single entries may never show one whole list.
  if (tenant.wire !== undefined || (tenant.listPages === 1 && world.lagMs > 0)) return null;
  if (!hadItsTime(run) || plan.maxAlerts !== null || tenant.latency[1] > SMALL_LATENCY_MS) return null;
  const struck = requests.filter(holdsBack);
  const streams = new Set(struck.map(({ environment, type }) => streamKey(environment ?? "", type ?? "")));
  if ((plan.deadlineMs ?? Infinity) < LONG_ENOUGH_MS + streams.size * FOR_EACH_STRUCK_MS) return null;
  // The service may count a request as late as its answer comes: of so few, those that hang leave none for the others.
  if (Math.min(tenant.announcedLimit ?? Infinity, learnedLimit(run)) < LEAST_LIMIT) return null;
  if (requests.some(isRefusal) || !clocksAgree(world, run)) return null;
  const ill = (id: string): boolean => struck.some(({ environment = id }) => environment === id);
  const missing = missingAfter(world, history, run).filter((key) => {
    const environment = world.findings.get(key)?.environment;
    return environment !== undefined && !ill(environment) && !outpaces(world, environment, run);
  });
  return missing.length === 0 ? null : `missing: ${describe(world, missing)}; it says: ${said(run)}`;
};

/** A list that changes more often than this while it is read may be left to the next run. */
const MOST_CHANGES = 3;

/**
 * A list that changes while it is read is read anew, and left to the next run when it goes on changing. Pages of one record
 * cannot show where it has changed, and replicas show it changed and unchanged in turns: there, one change is enough.
 */
export function outpaces({ scenario, lagMs }: World, environment: string, { start, end }: RunRecord): boolean {
  const most = scenario.tenant.pageCap !== 1 && lagMs === 0 ? MOST_CHANGES : 0;
  const changes = new Map<string, number>();
  for (const { environment: id, type, visible, deleted, redated = [] } of scenario.findings) {
    if (id !== environment) continue;
    const moments = [visible, deleted?.at, deleted?.backAt, ...redated.map(({ at }) => at)];
    const inRun = moments.filter((at) => at !== undefined && at >= start - lagMs && at <= end).length;
    changes.set(type, (changes.get(type) ?? 0) + inRun);
  }
  return [...changes.values()].some((count) => count > most);
}

/** An environment that could not be read at all is named to people, or in the figures. */
export const failuresAreNamed: Invariant = (world, _history, run) => {
  if (run.result === null || run.result.status === "failed" || run.ending !== "ended") return null;
  if (run.requests.some(isRefusal)) return null;
  const shown = `${run.result.message} ${JSON.stringify(run.result.json ?? {})}`.replaceAll(/\(GET [^)]*\)/g, "");
  const faults = run.quiet ? [] : world.scenario.faults.filter((fault) => overlaps(fault, run));
  const isFailed = faults.some(mayLookRight) ? isRefused : isWrong;
  const failed = failedThroughout(run.requests, isFailed);
  const unnamed = world.scenario.environments.find(
    (environment) =>
      failed.has(environment.id) &&
      isSelected(world, environment.id, run) &&
      !namesOf(world, environment, run).some((name) => shown.includes(name)),
  );
  return unnamed === undefined ? null : `${unnamed.id} failed and is not named in: ${said(run)}`;
};

/** The environments of which no request succeeded. */
function failedThroughout(requests: readonly LogEntry[], isFailed: (entry: LogEntry) => boolean): Set<string> {
  const asked = requests.filter(({ endpoint }) => endpoint !== "sparkline");
  const failed = new Set(asked.flatMap(({ environment }) => environment ?? []));
  for (const entry of asked) if (!isFailed(entry)) failed.delete(entry.environment ?? "");
  return failed;
}

function isRefused({ outcome }: LogEntry): boolean {
  return typeof outcome === "number" ? outcome >= 300 : outcome !== "aborted" && outcome !== "abandoned";
}

/** Web pages and responses that are cut short have status 200, too. */
function isWrong(entry: LogEntry): boolean {
  return isRefused(entry) || (entry.outcome === 200 && !entry.sound);
}

function mayLookRight({ what }: Fault): boolean {
  return TRAITS[what.kind].looksRight === true;
}

/** As JSON writes them: unusual names stand in the figures with escapes. */
function namesOf(world: World, environment: EnvironmentPlan, { start, end }: RunRecord): string[] {
  const names = [environment.id, ...[start, end].map((moment) => world.nameOf(environment, moment))];
  return names.flatMap((name) => (name === null || name === "" ? [] : [name, JSON.stringify(name).slice(1, -1)]));
}
