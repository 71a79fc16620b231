import type { Stream } from "../../src/ingestion/scope.ts";
import { HOUR_MS } from "../../src/clock.ts";
import type { PollTime } from "../../src/ingestion/time.ts";

export const NOW = Date.parse("2030-01-31T10:00:00Z");
/** Whole hours since the epoch at `NOW`. */
export const NOW_HOUR = NOW / HOUR_MS;
export const TENANT = "https://tenant.test";

/** A stream of an environment that is named like its id. */
export function streamOf(environmentId = "S-1", findingType = "T0Owns"): Stream {
  return { environment: { id: environmentId, name: environmentId }, findingType };
}

/** The clocks of a run in which host and service agree. */
export function timeAt(now = NOW): PollTime {
  return { host: now, service: now, trusted: now, lastRun: null, earliestNew: now - HOUR_MS };
}

/** The instant so many hours after `NOW`, as the service writes it. */
export function instant(hours: number): string {
  return new Date(NOW + hours * HOUR_MS).toISOString();
}
