import type { AttackPathService } from "../service/attack-path-service.ts";
import type { SearchResult } from "../service/resources/objects.records.ts";

/** An object as results name it. */
export interface ObjectReference {
  objectId: string;
  name: string | null;
  type: string | null;
}

/** The result of a search for a name or an object id. */
export type FoundObject =
  | { status: "found"; object: ObjectReference; candidates: ObjectReference[] }
  | { status: "ambiguous"; candidates: ObjectReference[] }
  | { status: "not_found"; candidates: ObjectReference[] };

type Objects = AttackPathService["objects"];

const PAGE_SIZE = 250;
/** The service lists exact matches first. Its order is trusted only after this many results. */
const TRUSTED_AFTER = 1_000;
const MOST_CANDIDATES = 25;

/**
 * Looks an object up by its name or its object id, letter case ignored (the service keeps names in capitals). An object
 * whose id is the text wins over objects that have it as a name; two objects of that name are ambiguous.
 */
export async function findObject(objects: Objects, text: string): Promise<FoundObject> {
  const wanted = text.toUpperCase();
  const exact: ObjectReference[] = [];
  const partial: ObjectReference[] = [];
  for await (const page of searchPages(objects, text, (result) => isExact(result, wanted))) {
    for (const result of page) {
      if (isExact(result, wanted)) exact.push(reference(result));
      else if (partial.length < MOST_CANDIDATES) partial.push(reference(result));
    }
  }
  const object =
    exact.find((match) => match.objectId.toUpperCase() === wanted) ?? (exact.length === 1 ? exact[0] : undefined);
  if (object) {
    const others = [...exact.filter((match) => match !== object), ...partial];
    return { status: "found", object, candidates: others.slice(0, MOST_CANDIDATES) };
  }
  return exact.length > 1 ? { status: "ambiguous", candidates: exact } : { status: "not_found", candidates: partial };
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
