import { tierZeroIn } from "../../findings/principal.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { searchPages } from "../../service/resources/objects.ts";
import type { SearchResult } from "../../service/resources/objects.records.ts";
import type { FoundObject, ObjectReference } from "./found-object.ts";
import {
  domainOfAccount,
  hasLabel,
  isCalled,
  isObjectId,
  otherSearches,
  readName,
  type WrittenName,
} from "./name-forms.ts";
import { clippedOrNull } from "../result/sentences.ts";
import { inCapitals, isSameText, listed } from "../../text.ts";

type Objects = AttackPathService["objects"];

/** The service lists exact matches first. After the last one, this many other results in a row end the search. */
const TRUSTED_AFTER = 1_000;
/** The same as long as there was no exact match. */
const MOST_PARTIAL = 10_000;
const MOST_CANDIDATES = 25;

/** What a search for a text found. */
interface Hits {
  /** Objects whose name or object id is the text. */
  exact: SearchResult[];
  /** Other objects, in the order of the service: the first ones. */
  partial: ObjectReference[];
  /** Other objects that have the account name of the text. */
  namesakes: SearchResult[];
  /** The search has more results, and narrower searches have to find the other namesakes. */
  isCut: boolean;
}

/**
 * Looks an object up by its object id or its name as the service writes it, else by the other forms of a name: `DOMAIN\user`,
 * a user name or a host name without its domain, an e-mail address. Letter case is ignored.
 *
 * An object whose id is the text, best in its own letter case, wins over objects that have it as a name. Several objects that fit
 * are ambiguous. An address in a domain that the service does not know counts as its local part.
 *
 * @throws ServiceError when a search cannot be read to its end, because another object may have the name
 */
export async function findObject(objects: Objects, text: string): Promise<FoundObject> {
  const name = readName(text);
  const hits = await search(objects, text, name, name.form === "bare" && !isObjectId(text));
  return hits.exact.length > 0 ? exactly(hits, text) : findNamesake(objects, name, hits);
}

/** The object that has the text as its id, letter case ignored. An object of another id may have it as its name. */
export async function findObjectById(objects: Objects, text: string): Promise<FoundObject> {
  const found = exactly(await search(objects, text, readName(text), false), text);
  const chosen = found.status === "found" ? [found.object] : found.status === "ambiguous" ? found.candidates : [];
  return chosen.some(({ objectId }) => isSameText(objectId, text)) ? found : { status: "not_found", candidates: [] };
}

/** @param takesNamesakes - whether objects matter that only have the account name of the text: these may be anywhere in the list */
async function search(objects: Objects, text: string, name: WrittenName, takesNamesakes: boolean): Promise<Hits> {
  const wanted = inCapitals(text);
  const hits: Hits = { exact: [], partial: [], namesakes: [], isCut: false };
  let sinceExact = 0;
  const readsBehind = (): boolean => takesNamesakes && hits.exact.length === 0;
  for await (const page of searchPages(objects, { text }, readsBehind)) {
    for (const result of page) {
      sinceExact = isExact(result, wanted) ? 0 : sinceExact + 1;
      if (isExact(result, wanted)) hits.exact.push(result);
      else if (hits.partial.length < MOST_CANDIDATES) hits.partial.push(reference(result));
      if (domainOfAccount(name, result) !== null) hits.namesakes.push(result);
    }
    if (hits.exact.some((result) => hasId(result, wanted))) break;
    hits.isCut = sinceExact >= (hits.exact.length > 0 ? TRUSTED_AFTER : MOST_PARTIAL);
    if (hits.isCut) break;
  }
  return hits;
}

function exactly({ exact, partial }: Hits, text: string): FoundObject {
  const byId = exact.filter((result) => hasId(result, inCapitals(text)));
  const [theOne, another] = byId;
  const chosen = byId.find(({ objectid }) => objectid === text) ?? (another === undefined ? theOne : undefined);
  if (chosen !== undefined) return found(chosen, [...exact.map(reference), ...partial]);
  return theOneOf(another === undefined ? exact : byId, partial);
}

async function findNamesake(objects: Objects, name: WrittenName, hits: Hits): Promise<FoundObject> {
  const { partial, namesakes, isCut } = hits;
  const byId = new Map(namesakes.map((result) => [result.objectid, result]));
  const inDomain = (isMeant: (domain: string) => boolean): SearchResult[] =>
    [...byId.values()].filter((result) => isMeant(domainOfAccount(name, result) ?? ""));
  const isNamed = (domain: string): boolean => name.domain === null || isCalled(domain, name.domain);
  // In the domain that the text names, one object is enough. Without such a domain, another object may have the account name, too.
  const readsBehind = (): boolean => name.domain === null || inDomain(isNamed).length === 0;
  for (const text of otherSearches(name, isCut)) {
    if (!isCut && inDomain(isNamed).length > 0) break;
    for await (const page of searchPages(objects, { text }, readsBehind)) {
      for (const result of page) if (domainOfAccount(name, result) !== null) byId.set(result.objectid, result);
    }
  }
  const others = [...[...byId.values()].map(reference), ...partial];
  const named = inDomain(isNamed);
  if (named.length > 0 || name.domain === null || byId.size === 0) return theOneOf(named, others);
  const { form, domain } = name;
  const elsewhere = inDomain((known) => form === "address" || hasLabel(known, domain));
  const isElsewhere = elsewhere.length > 0 && !(await knowsDomain(objects, form, domain));
  return theOneOf(isElsewhere ? elsewhere : [], others);
}

/** Whether the service has the domain that the text names. If so, an object of another domain is not the one that is meant. */
async function knowsDomain(objects: Objects, form: WrittenName["form"], text: string): Promise<boolean> {
  const types = form === "address" ? ["Domain", "AZTenant"] : ["Domain"];
  // Fewer domains than a page holds have the text in their names.
  for await (const page of searchPages(objects, { text, types }, () => false)) {
    const isMeant = ({ name = "", type = "" }: SearchResult): boolean =>
      types.includes(type) && isCalled(inCapitals(name), text);
    if (page.some(isMeant)) return true;
  }
  return false;
}

function theOneOf(matches: readonly SearchResult[], others: readonly ObjectReference[]): FoundObject {
  const [first, second] = matches;
  if (first === undefined) return { status: "not_found", candidates: distinct(others) };
  if (second !== undefined) return { status: "ambiguous", candidates: matches.map(reference) };
  return found(first, others);
}

function found(chosen: SearchResult, others: readonly ObjectReference[]): FoundObject {
  const candidates = distinct(others.filter(({ objectId }) => objectId !== chosen.objectid));
  // The search writes an empty text for an object without tags, and a service that keeps its zones otherwise has none of any object.
  const tierZero = chosen.system_tags === "" ? null : (tierZeroIn({ system_tags: chosen.system_tags }) ?? null);
  return { status: "found", object: reference(chosen), tierZero, candidates };
}

function distinct(objects: readonly ObjectReference[]): ObjectReference[] {
  return [...new Map(objects.map((object) => [object.objectId, object])).values()].slice(0, MOST_CANDIDATES);
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
  const areNamesakes = new Set(candidates.map(({ name }) => name)).size > 1;
  const ids = candidates.map(({ objectId, name, type }) => {
    const notes = [type, areNamesakes ? name : null].filter((note) => note !== null);
    return notes.length === 0 ? objectId : `${objectId} (${notes.join(" ")})`;
  });
  return `${subject} is the name of several objects. ${advice}: ${listed(ids, undefined, undefined, Infinity)}.`;
}

function isExact(result: SearchResult, wanted: string): boolean {
  return hasId(result, wanted) || inCapitals(result.name ?? "") === wanted;
}

function hasId({ objectid }: SearchResult, wanted: string): boolean {
  return inCapitals(objectid) === wanted;
}

function reference({ objectid, name, type }: SearchResult): ObjectReference {
  // A name or a kind that is empty says no more than none.
  return { objectId: objectid, name: clippedOrNull(name || null), type: clippedOrNull(type || null) };
}
