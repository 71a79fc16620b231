import type { History, RunRecord } from "../history.ts";
import { MINUTE, streamKey, type World } from "../world.ts";
import type { Law } from "./law.ts";
import { clocksAgree, hadItsTime, isDisturbed, missingAfter } from "./service.ts";

/** Shorter runs take what answers first. */
const LONG_ENOUGH_MS = MINUTE;

/**
 * Where the host takes few alerts a run, streams take turns: of as many as have something to deliver, none waits for
 * more runs than there are others.
 */
export const takesTurns: Law = (world, history, run) => {
  if (!isFull(world, run)) return null;
  const waitedFor = new Map([...waitingAfter(world, history, run)].map((stream) => [stream, 0]));
  const rivals = new Set<string>();
  for (const each of history.runs.slice(0, run.index + 1).reverse()) {
    if (waitedFor.size === 0 || !isFull(world, each)) return null;
    const waiting = waitingAfter(world, history, each);
    const served = new Set(each.alerts.map(({ alert }) => streamKey(alert.environmentId, alert.findingType)));
    for (const stream of [...waiting, ...served]) rivals.add(stream);
    for (const [stream, runs] of waitedFor) {
      if (!waiting.has(stream) || served.has(stream)) waitedFor.delete(stream);
      else if (runs >= rivals.size) return `${stream.replace("\n", " / ")} had no turn in ${runs + 1} runs`;
      else waitedFor.set(stream, runs + 1);
    }
    if (each.plan.memory.kind !== "kept") return null;
  }
  return null;
};

/** Whether the run was well and ended because the host took no more alerts. */
function isFull(world: World, run: RunRecord): boolean {
  const { deadlineMs, maxAlerts } = run.plan;
  if (run.alerts.length !== maxAlerts || !hadItsTime(run) || isDisturbed(run)) return false;
  return (deadlineMs === null || deadlineMs >= LONG_ENOUGH_MS) && clocksAgree(world, run);
}

/** Streams with findings that the run had to find and that the host still lacks. */
function waitingAfter(world: World, history: History, run: RunRecord): Set<string> {
  const findings = missingAfter(world, history, run).flatMap((key) => world.findings.get(key) ?? []);
  return new Set(findings.map(({ environment, type }) => streamKey(environment, type)));
}
