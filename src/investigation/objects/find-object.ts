import type { AttackPathService } from "../../service/attack-path-service.ts";
import { searchPages } from "../../service/resources/objects.ts";
import type { SearchResult } from "../../service/resources/objects.records.ts";
import type { FoundObject, ObjectReference } from "./found-object.ts";
import { clippedOrNull } from "../result/sentences.ts";
import { listed } from "../../text.ts";

type Objects = AttackPathService["objects"];

/** The service lists exact matches first. Once it did, as many results without one are trusted to be the rest. */
const TRUSTED_AFTER = 1_000;
const MOST_CANDIDATES = 25;
const TIER_ZERO_TAG = "admin_tier_0";

/**
 * Looks an object up by its name or its object id, letter case ignored (the service keeps names in capitals). An object
 * whose id is the text wins over objects that have it as a name; two objects of that name are ambiguous.
 *
 * @throws ServiceError when the search cannot be read to its end: another object may have the name
 */
export async function findObject(objects: Objects, text: string): Promise<FoundObject> {
  const wanted = text.toUpperCase();
  const exact: SearchResult[] = [];
  const partial: ObjectReference[] = [];
  let sinceExact = 0;
  for await (const page of searchPages(objects, { text })) {
    for (const result of page) {
      sinceExact = isExact(result, wanted) ? 0 : sinceExact + 1;
      if (isExact(result, wanted)) exact.push(result);
      else if (partial.length < MOST_CANDIDATES) partial.push(reference(result));
    }
    if (exact.some((result) => hasId(result, wanted))) break;
    if (exact.length > 0 && sinceExact >= TRUSTED_AFTER) break;
  }
  const matches = exact.map(reference);
  const chosen = exact.find((result) => hasId(result, wanted)) ?? (exact.length === 1 ? exact[0] : null);
  if (chosen) {
    const others = [...matches.filter(({ objectId }) => objectId !== chosen.objectid), ...partial];
    const candidates = others.slice(0, MOST_CANDIDATES);
    return { status: "found", object: reference(chosen), tierZero: isTierZero(chosen), candidates };
  }
  return exact.length > 1 ? { status: "ambiguous", candidates: matches } : { status: "not_found", candidates: partial };
}

/**
 * Why an ambiguous name cannot be used, and what to enter instead.
 *
 * @param advice - to be followed by the object ids
 */
export function ambiguity(
  subject: string,
  candidates: readonly ObjectReference[],
  advice = "Enter one of their object ids",
): string {
  const ids = candidates.map(({ objectId, type }) => (type === null ? objectId : `${objectId} (${type})`));
  return `${subject} is the name of several objects. ${advice}: ${listed(ids)}.`;
}

function isExact(result: SearchResult, wanted: string): boolean {
  return hasId(result, wanted) || result.name?.toUpperCase() === wanted;
}

function hasId({ objectid }: SearchResult, wanted: string): boolean {
  return objectid.toUpperCase() === wanted;
}

function reference({ objectid, name, type }: SearchResult): ObjectReference {
  return { objectId: objectid, name: clippedOrNull(name), type: clippedOrNull(type) };
}

/** Null when the service does not give the tags. */
function isTierZero({ system_tags: tags }: SearchResult): boolean | null {
  return tags === undefined ? null : hasTierZeroTag(tags);
}

/** @param tags - the property `system_tags` of an object, separated by blanks */
export function hasTierZeroTag(tags: string): boolean {
  return tags.split(" ").includes(TIER_ZERO_TAG);
}
