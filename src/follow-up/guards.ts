import type { Environment } from "../service/resources/environments.records.ts";
import { isObject } from "../json.ts";
import type { EnvironmentMemory, VisibleEnvironments } from "./state/state.ts";
import { STABLE_LIST_MS } from "./waits.ts";

/** The environments that the token sees, after a complete list of them. */
export function afterList(
  before: VisibleEnvironments | undefined,
  listed: readonly Environment[],
  now: number,
): VisibleEnvironments {
  const ids = [...new Set(listed.map(({ id }) => id))].sort();
  if (before === undefined) return { ids, since: now };
  const present = new Set(ids);
  const isShorter = before.ids.some((id) => !present.has(id));
  if (isShorter) return { ids, since: now, ...FEWER };
  const isSame = ids.length === before.ids.length;
  const since = isSame && now >= before.since ? before.since : now;
  return { ids, since, ...(before.fewer === true && now - since < STABLE_LIST_MS ? FEWER : {}) };
}

const FEWER = { fewer: true } as const;

/**
 * The zones of an environment that the token sees: each has an exposure of its own (BloodHound API, docs/openapi.json). Null when
 * the service does not say.
 */
export function zonesOf({ exposures }: Environment): string[] | null {
  if (!Array.isArray(exposures)) return null;
  const ids = exposures.flatMap(({ asset_group_tag: tag }) => {
    const id = isObject(tag) ? (tag["id"] ?? tag["name"]) : undefined;
    return typeof id === "number" || typeof id === "string" ? [String(id)] : [];
  });
  return [...new Set(ids)].sort();
}

/** What is known about an environment after it was listed. */
export function afterListed(
  before: EnvironmentMemory | undefined,
  environment: Environment,
  now: number,
): EnvironmentMemory {
  const { zones: known, zonesLostAt, streams = {} } = before ?? {};
  const zones = zonesOf(environment) ?? known;
  const isFewer = known?.some((id) => zones?.includes(id) !== true) === true;
  const lostAt = isFewer ? now : zonesLostAt;
  return { streams, ...(zones && { zones }), ...(lostAt !== undefined && { zonesLostAt: Math.min(lostAt, now) }) };
}

/** Whether the token began to see fewer zones so lately that nothing is judged. */
export function zonesAreUnstable({ zonesLostAt }: EnvironmentMemory, now: number): boolean {
  return zonesLostAt !== undefined && now - zonesLostAt < STABLE_LIST_MS;
}

/**
 * Whether a finding may only have been hidden with a zone: it vanished about when the zone did.
 *
 * @param vanishedAt - when it was first absent; null when that is now
 * @param last - the analysis of the complete read before
 */
export function mayBeHidden({ zonesLostAt }: EnvironmentMemory, vanishedAt: number | null, last: number): boolean {
  if (zonesLostAt === undefined) return false;
  if (vanishedAt === null) return last < zonesLostAt + STABLE_LIST_MS;
  return vanishedAt >= zonesLostAt - STABLE_LIST_MS && vanishedAt < zonesLostAt;
}
