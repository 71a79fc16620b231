import type { AttackPathService } from "../service/attack-path-service.ts";
import type { SearchResult } from "../service/resources/objects.records.ts";
import { listed } from "./sentences.ts";

/** An object as results name it. */
export interface ObjectReference {
  objectId: string;
  name: string | null;
  type: string | null;
}

/** The result of a search for a name or an object id. */
export type FoundObject =
  | { status: "found"; object: ObjectReference; tierZero: boolean | null; candidates: ObjectReference[] }
  | { status: "ambiguous"; candidates: ObjectReference[] }
  | { status: "not_found"; candidates: ObjectReference[] };

type Objects = AttackPathService["objects"];

const PAGE_SIZE = 250;
/** The service lists exact matches first. Its order is trusted only after this many results. */
const TRUSTED_AFTER = 1_000;
const MOST_CANDIDATES = 25;
const TIER_ZERO_TAG = "admin_tier_0";

/**
 * Looks an object up by its name or its object id, letter case ignored (the service keeps names in capitals). An object
 * whose id is the text wins over objects that have it as a name; two objects of that name are ambiguous.
 */
export async function findObject(objects: Objects, text: string): Promise<FoundObject> {
  const wanted = text.toUpperCase();
  const exact: SearchResult[] = [];
  const partial: ObjectReference[] = [];
  for await (const page of searchPages(objects, text, (result) => isExact(result, wanted))) {
    for (const result of page) {
      if (isExact(result, wanted)) exact.push(result);
      else if (partial.length < MOST_CANDIDATES) partial.push(reference(result));
    }
  }
  const matches = exact.map(reference);
  const chosen =
    exact.find(({ objectid }) => objectid.toUpperCase() === wanted) ?? (exact.length === 1 ? exact[0] : null);
  if (chosen) {
    const others = [...matches.filter(({ objectId }) => objectId !== chosen.objectid), ...partial];
    const candidates = others.slice(0, MOST_CANDIDATES);
    return { status: "found", object: reference(chosen), tierZero: isTierZero(chosen), candidates };
  }
  return exact.length > 1 ? { status: "ambiguous", candidates: matches } : { status: "not_found", candidates: partial };
}

/** Why an ambiguous name cannot be used, and what to enter instead. */
export function ambiguity(subject: string, candidates: readonly ObjectReference[]): string {
  const ids = candidates.map(({ objectId, type }) => (type === null ? objectId : `${objectId} (${type})`));
  return `${subject} is the name of several objects. Enter one of their object ids: ${listed(ids)}.`;
}

/**
 * The results of a search that are new, page by page. A tenant may grant smaller pages than asked for, so a short page
 * does not end the list; an empty one does, and one that repeats what is known, and the single result of a full name.
 */
async function* searchPages(
  objects: Objects,
  text: string,
  isWanted: (result: SearchResult) => boolean,
): AsyncGenerator<SearchResult[]> {
  const seen = new Set<string>();
  for (let skip = 0; ;) {
    const page = await objects.search({ text, skip, limit: PAGE_SIZE });
    const fresh = page.filter(({ objectid }) => !seen.has(objectid) && seen.add(objectid));
    yield fresh;
    skip += page.length;
    const certain = skip >= TRUSTED_AFTER && !page.some(isWanted);
    if (fresh.length === 0 || page.length === 1 || certain) return;
  }
}

function isExact({ objectid, name }: SearchResult, wanted: string): boolean {
  return objectid.toUpperCase() === wanted || name?.toUpperCase() === wanted;
}

function reference({ objectid, name, type }: SearchResult): ObjectReference {
  return { objectId: objectid, name: name ?? null, type: type ?? null };
}

/** Null when the service does not give the tags. */
function isTierZero({ system_tags: tags }: SearchResult): boolean | null {
  return tags === undefined ? null : hasTierZeroTag(tags);
}

/** @param tags - the property `system_tags` of an object, separated by blanks */
export function hasTierZeroTag(tags: string): boolean {
  return tags.split(" ").includes(TIER_ZERO_TAG);
}
