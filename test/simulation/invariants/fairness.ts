import type { History, RunRecord } from "../history.ts";
import { MINUTE, streamKey, type World } from "../world.ts";
import type { Invariant } from "./invariant.ts";
import { clocksAgree, hadItsTime, isDisturbed, missingAfter } from "./service.ts";

/** Shorter runs take what answers first. */
const LONG_ENOUGH_MS = MINUTE;

/**
 * Where the host takes few alerts a run, streams take turns: of as many as have something to deliver, none waits for
 * more runs than there are others. A run that begins in the middle of an environment goes round its finding types before the next
 * environment, so that one stream of each may have two turns.
 */
export const takesTurns: Invariant = (world, history, run) => {
  if (!isFull(world, run)) return null;
  const waitedFor = new Map([...waitingAfter(world, history, run)].map((stream) => [stream, 0]));
  const rivals = new Set<string>();
  for (const each of history.runs.slice(0, run.index + 1).reverse()) {
    if (waitedFor.size === 0 || !isFull(world, each)) return null;
    const waiting = waitingAfter(world, history, each);
    const served = new Set([...servedIn(each), ...(world.lagMs > 0 ? failedIn(each) : [])]);
    for (const stream of [...waiting, ...served]) rivals.add(stream);
    for (const [stream, runs] of waitedFor) {
      if (!waiting.has(stream) || served.has(stream)) waitedFor.delete(stream);
      else if (runs >= rivals.size + environmentsOf(rivals)) return `${nameOf(stream)} had no turn in ${runs + 1} runs`;
      else waitedFor.set(stream, runs + 1);
    }
    if (each.plan.memory.kind !== "kept") return null;
  }
  return null;
};

function environmentsOf(streams: ReadonlySet<string>): number {
  return new Set([...streams].map((stream) => stream.split("\n", 1)[0])).size;
}

/** How often a stream may be served before all that wait have been asked: those that are cut short go on. */
const MOST_TURNS = 4;

/** Whatever cuts runs short, no stream is served over and over while another one that has something waits unasked. */
export const passesNobodyOver: Invariant = (world, history, run) => {
  let passedOver = waitingAfter(world, history, run);
  const turns = new Map<string, number>();
  for (const each of history.runs.slice(0, run.index + 1).reverse()) {
    const waiting = waitingAfter(world, history, each);
    const asked = new Set(each.requests.map(({ environment, type }) => streamKey(environment ?? "", type ?? "")));
    passedOver = new Set([...passedOver].filter((stream) => waiting.has(stream) && !asked.has(stream)));
    const [stream] = passedOver;
    if (stream === undefined || !isWell(world, each)) return null;
    for (const served of servedIn(each)) {
      turns.set(served, (turns.get(served) ?? 0) + 1);
      if ((turns.get(served) ?? 0) > MOST_TURNS) {
        return `${nameOf(stream)} was not asked for while ${nameOf(served)} had ${MOST_TURNS + 1} turns`;
      }
    }
    if (each.plan.memory.kind !== "kept") return null;
  }
  return null;
};

function servedIn({ alerts }: RunRecord): Set<string> {
  return new Set(alerts.map(({ alert }) => streamKey(alert.environmentId, alert.findingType)));
}

/** Streams whose replicas contradicted each other until the run gave them up: that was their turn. */
function failedIn({ result }: RunRecord): string[] {
  const incomplete = Array.isArray(result?.json?.["incomplete"]) ? result.json["incomplete"] : [];
  return (incomplete as { environmentId?: string; findingType?: string; outcome?: string }[])
    .filter(({ outcome }) => outcome === "failed")
    .map(({ environmentId = "", findingType = "" }) => streamKey(environmentId, findingType));
}

function nameOf(stream: string): string {
  return stream.replace("\n", " / ");
}

/** Of overlapping runs, the state of the last one stays, and with it only the turns that this one knows. */
function isWell(world: World, run: RunRecord): boolean {
  if (run.overlapped || world.scenario.tenant.wire !== undefined) return false;
  return hadItsTime(run) && !isDisturbed(run) && clocksAgree(world, run);
}

/** Whether the run was well and ended because the host took no more alerts. */
function isFull(world: World, run: RunRecord): boolean {
  const { deadlineMs, maxAlerts } = run.plan;
  if (run.alerts.length !== maxAlerts || !isWell(world, run)) return false;
  return deadlineMs === null || deadlineMs >= LONG_ENOUGH_MS;
}

/** Streams with findings that the run had to find and that the host still lacks. */
function waitingAfter(world: World, history: History, run: RunRecord): Set<string> {
  const findings = missingAfter(world, history, run).flatMap((key) => world.findings.get(key) ?? []);
  return new Set(findings.map(({ environment, type }) => streamKey(environment, type)));
}
