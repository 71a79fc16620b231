import { validate as validateLookedUp } from "../../generated/look-up-validator.js";
import type { Logger } from "../../logger.ts";
import type { ActionResult } from "../../manifest/types.ts";
import type { Json } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { exploreUrl } from "../../service/explore-page.ts";
import type { ServiceError } from "../../service/errors/errors.ts";
import { EntityFacts } from "../assets/entity-facts.ts";
import { findObject } from "./find-object.ts";
import type { LookedUp } from "./found-object.ts";
import type { Refusal } from "../result/refusal.ts";
import { fitObjects } from "../result/fit-result.ts";
import { clipped } from "../result/sentences.ts";
import { continueWork, resumeFrom, stateOf } from "../result/resume.ts";
import { isSameText } from "../../text.ts";

export type NamedObject = ActionResult<"Get Object Id">["objects"][number];

/** What all runs so far have found out about some names. */
export interface ObjectIdsFound {
  /** One entry per name in the given order, without those that remain. */
  objects: NamedObject[];
  /** What was found by each name. */
  facts: EntityFacts;
  /** How many different names the next run looks up. */
  remaining: number;
  /** Why names remain, when it is the rate limit. */
  refusal: Refusal | null;
  /** The fault that made all look-ups of this run fail, if there was one. */
  cause: ServiceError | null;
  state: Json;
}

/**
 * Looks up the names that earlier runs have not looked up yet, several at a time. Names that differ in letter case only are looked up
 * each, because two objects may have ids that differ in nothing else.
 *
 * @throws InputError when the state was not made for these names
 */
export async function findObjectIds(
  service: AttackPathService,
  names: readonly string[],
  { state, log }: { state: Json; log: Logger },
): Promise<ObjectIdsFound> {
  const items = new Map(names.map((name) => [name, name]));
  const progress = await continueWork<string, LookedUp>(
    {
      service,
      items,
      saved: resumeFrom(state, { action: "Get Object Id", tenant: service.origin, items }, validateLookedUp),
      answer: (name) => findObject(service.objects, name),
      failed: (_name, { message }) => ({ status: "failed", error: message }),
    },
    log,
  );
  const { answers, remaining, refusal, cause } = progress;
  const facts = new EntityFacts();
  for (const [name, found] of answers) addFacts(facts, name, found);
  const objects = names.flatMap((name) => {
    const found = answers.get(name);
    return found ? [namedObject(name, found, service.origin)] : [];
  });
  return {
    objects: fitObjects(objects),
    facts,
    remaining,
    refusal,
    cause,
    state: remaining === 0 ? null : stateOf(service.origin, progress),
  };
}

/** Whether every name stands for exactly one object; null when some could not be looked up and all others do. */
export function areAllFound(objects: readonly NamedObject[]): boolean | null {
  if (objects.some(({ status }) => status === "ambiguous" || status === "not_found")) return false;
  return objects.some(({ status }) => status === "failed") ? null : true;
}

function addFacts(facts: EntityFacts, name: string, found: LookedUp): void {
  if (found.status !== "found") {
    facts.addUnclear(name);
    return;
  }
  const { objectId, type, name: known } = found.object;
  facts.add([name, objectId, known], { objectId, kind: type, tierZero: found.tierZero });
}

function namedObject(name: string, found: LookedUp, origin: string): NamedObject {
  const nothing = { objectId: null, type: null, candidates: [] };
  if (found.status === "failed") return { name, ...nothing, status: "failed", error: found.error };
  if (found.status !== "found") return { name, ...nothing, status: found.status, candidates: found.candidates };
  const { objectId, type, name: fullName } = found.object;
  const isOtherForm = fullName !== null && ![fullName, objectId].some((known) => isSameText(known, clipped(name)));
  return {
    name,
    status: "found",
    objectId,
    type,
    ...(isOtherForm && { fullName }),
    url: exploreUrl(origin, objectId),
    candidates: found.candidates,
  };
}
