import type { LogEntry } from "../tenant/tenant.ts";
import { MINUTE, type World } from "../world.ts";
import type { Law } from "./law.ts";

/** Whether more requests than the limit arrived within one second, by the host's clock where that was set or ran fast. */
export function isTooFast(world: World, requests: readonly LogEntry[], limit: number): boolean {
  const arrivals = requests.flatMap(({ arrived }) => arrived ?? []).sort((a, b) => a - b);
  const until = (at: number): number => at + 1_000 - Math.max(0, world.hostGain(at, at + 1_000));
  return arrivals.some((at, index) => (arrivals[index + limit] ?? Infinity) < until(at));
}

/** A lower limit that the service announces holds from then on. */
export const withinTheAnnouncedLimit: Law = (world, _history, { requests }) => {
  const { announcedLimit } = world.story.tenant;
  if (announcedLimit === undefined) return null;
  const heard = requests.filter(({ outcome }) => typeof outcome === "number");
  const since = Math.min(...heard.map(({ answered }) => answered ?? Infinity));
  const later = requests.filter(({ sent }) => sent > since);
  // A clock that is set back and forward again within a second says that more time has passed.
  if (world.story.host.movesInRuns === true && isSetTwice(world, later)) return null;
  return isTooFast(world, later, announcedLimit)
    ? `more than the announced ${announcedLimit} requests arrived in one second`
    : null;
};

function isSetTwice(world: World, requests: readonly LogEntry[]): boolean {
  const moments = world.story.host.clock.map(({ span }) => span).filter(([from, to]) => to - from < 1_000);
  return moments.some(([from]) => requests.some(({ sent }) => Math.abs(sent - from) < 2_000));
}

const LONGEST_PAUSE_MS = MINUTE;

/** A run never waits long without a request on its way, whatever happens to the host's clock. */
export const neverIdle: Law = (_world, _history, { requests, plan, start, end, ending }) => {
  if (plan.hostMs > 0 || ending !== "ended") return null;
  let busyUntil = start;
  for (const { sent, answered } of [...requests, { sent: end, answered: end }]) {
    if (sent - busyUntil > LONGEST_PAUSE_MS) return `nothing was asked for ${(sent - busyUntil) / 1_000} s`;
    busyUntil = Math.max(busyUntil, answered ?? end);
  }
  return null;
};
