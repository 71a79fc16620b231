import type { Environment } from "../../service/resources/environments.records.ts";
import { isObject } from "../../json.ts";
import { hashOf } from "../finding-key.ts";
import type { VisibleIds } from "../state/state.ts";
import { STABLE_LIST_MS } from "./waits.ts";

/** A longer id is remembered as its hash. */
const LONGEST_ID = 256;
/** A service that gives new ids in each run must not fill the state. */
const MOST_LOST = 1_000;

/** What the token sees after a complete list, and what it saw before and does not see any more. */
export function afterList(before: VisibleIds | undefined, listed: Iterable<string>, now: number): VisibleIds {
  const present = new Set([...listed].map((id) => (id.length > LONGEST_ID ? hashOf(id) : id)));
  const ids = [...present].sort();
  if (before === undefined) return { ids, since: now };
  const lost = [...new Set([...before.ids, ...(before.lost ?? [])])]
    .filter((id) => !present.has(id))
    .sort()
    .slice(0, MOST_LOST);
  const isShorter = before.ids.some((id) => !present.has(id));
  // What it never had before says nothing about the rest.
  const isBack = (before.lost ?? []).some((id) => present.has(id));
  const since = isShorter || isBack ? now : before.since;
  if (lost.length === 0) return { ids, since };
  return { ids, since, lost, lostAt: isShorter ? now : (before.lostAt ?? now) };
}

/** Whether the token has begun to see less with this list. */
export function hasLost(before: VisibleIds | undefined, after: VisibleIds | undefined): boolean {
  return before !== undefined && before.ids.some((id) => !after?.ids.includes(id));
}

/** Whether the token sees less than before, and that has not been the same for long enough to judge anything. */
export function isUnstable(list: VisibleIds | undefined, now: number): boolean {
  return list?.lostAt !== undefined && now - list.since < STABLE_LIST_MS;
}

/**
 * The zones of an environment that the token sees: each has an exposure of its own (BloodHound API, docs/openapi.json). Null when
 * the service does not say.
 */
export function zonesOf({ exposures }: Environment): string[] | null {
  if (!Array.isArray(exposures)) return null;
  return exposures.flatMap(({ asset_group_tag: tag }) => {
    const id = isObject(tag) ? (tag["id"] ?? tag["name"]) : undefined;
    return typeof id === "number" || typeof id === "string" ? [String(id)] : [];
  });
}

/**
 * Whether what is absent may only be hidden, because the token has begun to see less since the complete read before. This also
 * applies to findings that were already missing: one earlier absence does not show that they are gone.
 *
 * @param readAt - when that read was made; 0 for none
 */
export function mayBeHidden(visible: readonly (VisibleIds | undefined)[], readAt: number): boolean {
  return visible.some((list) => list?.lostAt !== undefined && readAt < list.lostAt + STABLE_LIST_MS);
}
