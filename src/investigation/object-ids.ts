import type { Logger } from "../logger.ts";
import type { ActionResult } from "../manifest/types.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { exploreUrl } from "../service/explore-page.ts";
import type { ServiceError } from "../service/errors/errors.ts";
import { isFailed, type Settled, settleEach, sharedCause } from "./each.ts";
import { EntityFacts } from "./entity-facts.ts";
import { findObject, type FoundObject } from "./find-object.ts";

export type NamedObject = ActionResult<"Get Object Id">["objects"][number];

/**
 * Looks names up, several at a time; names that differ in letter case only are asked for once.
 *
 * @returns one entry per name in the given order, what was found by each name, and the fault that made all look-ups fail, if there was one
 */
export async function findObjectIds(
  service: AttackPathService,
  names: readonly string[],
  log: Logger,
): Promise<{ objects: NamedObject[]; facts: EntityFacts; cause: ServiceError | null }> {
  const keys = [...new Map(names.map((name) => [name.toUpperCase(), name])).values()];
  const settled = await settleEach(keys, (name) => findObject(service.objects, name), log);
  const byKey = new Map(keys.map((name, index) => [name.toUpperCase(), settled[index]]));
  const objects = names.flatMap((name) => {
    const found = byKey.get(name.toUpperCase());
    return found ? [describe(name, found, service.origin)] : [];
  });
  const facts = new EntityFacts();
  for (const [index, name] of keys.entries()) {
    const found = settled[index];
    if (found && !isFailed(found)) addFacts(facts, name, found.value);
  }
  return { objects, facts, cause: sharedCause(settled) };
}

function addFacts(facts: EntityFacts, name: string, found: FoundObject): void {
  if (found.status !== "found") return;
  const { objectId, type, name: known } = found.object;
  facts.add([name, objectId, known], { objectId, kind: type, tierZero: found.tierZero });
}

function describe(name: string, settled: Settled<FoundObject>, origin: string): NamedObject {
  const nothing = { objectId: null, type: null, candidates: [] };
  if (isFailed(settled)) return { name, status: "failed", ...nothing, error: settled.error.message };
  const found = settled.value;
  if (found.status !== "found") return { name, ...nothing, status: found.status, candidates: found.candidates };
  const { objectId, type } = found.object;
  return { name, status: "found", objectId, type, url: exploreUrl(origin, objectId), candidates: found.candidates };
}
