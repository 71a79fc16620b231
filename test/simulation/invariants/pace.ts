import type { LogEntry } from "../tenant/log.ts";
import { MINUTE } from "../world.ts";
import type { Invariant } from "./invariant.ts";

/** Whether more requests than the limit arrived within one second. */
export function isTooFast(requests: readonly LogEntry[], limit: number): boolean {
  const arrivals = requests.flatMap(({ arrived }) => arrived ?? []).sort((a, b) => a - b);
  return arrivals.some((at, index) => (arrivals[index + limit] ?? Infinity) < at + 1_000);
}

/** A lower limit that the service announces holds from then on. */
export const withinTheAnnouncedLimit: Invariant = (world, _history, { requests }) => {
  const { announcedLimit } = world.scenario.tenant;
  if (announcedLimit === undefined) return null;
  const heard = requests.filter(({ outcome }) => typeof outcome === "number");
  const since = Math.min(...heard.map(({ answered }) => answered ?? Infinity));
  const later = requests.filter(({ sent }) => sent > since);
  return isTooFast(later, announcedLimit)
    ? `more than the announced ${announcedLimit} requests arrived in one second`
    : null;
};

const LONGEST_PAUSE_MS = MINUTE;

/** A run never waits long without a request on its way, whatever happens to the host's clock. */
export const neverIdle: Invariant = (_world, _history, { requests, plan, start, end, ending }) => {
  if (plan.hostMs > 0 || ending !== "ended") return null;
  let busyUntil = start;
  for (const { sent, answered } of [...requests, { sent: end, answered: end }]) {
    if (sent - busyUntil > LONGEST_PAUSE_MS) return `nothing was asked for ${(sent - busyUntil) / 1_000} s`;
    busyUntil = Math.max(busyUntil, answered ?? end);
  }
  return null;
};
