import type { ActionResult } from "../../manifest/types.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { ServiceError } from "../../service/errors/errors.ts";
import {
  type AzureKind,
  azureTypes,
  type DirectoryKind,
  directoryRoutes,
  type RelatedObject,
  type RelatedPage,
} from "../../service/resources/entities.records.ts";
import { isNamed, relatedPages } from "../../service/resources/entities.ts";
import { isForNextRun } from "../result/each.ts";
import type { Counts } from "./promised-counts.ts";
import { relatedLists } from "./related-lists.ts";
import { clipped } from "../result/sentences.ts";

/** Where an object of a kind is read. */
export type EntityRoute = { family: "directory"; kind: DirectoryKind } | { family: "azure"; kind: AzureKind };

type Related = ActionResult<"Fetch Assets">["assets"][number]["related"];
type List = Related[string];

const MOST_ITEMS = 25;
/** Of a service that grants only a few entries of each list. */
const MOST_PAGES = 5;

/** The first entries of a list. */
interface ListStart extends RelatedPage {
  /** Why some of the first entries may be missing. */
  failure?: string;
  /** The same if the next run may read them. */
  late?: ServiceError;
}

/** The lists of an object, as far as they could be read. */
export interface RelatedRead {
  related: Related;
  /** Why the next run may read more of them; null when it would not. */
  late: ServiceError | null;
}

/**
 * The objects in the lists that the kind has. A list that is known to be empty is not requested. A list that cannot be read, or
 * is shorter than its count, has an error.
 */
export async function readRelated(
  service: AttackPathService,
  route: EntityRoute,
  objectId: string,
  counts: Counts,
): Promise<RelatedRead> {
  let late: ServiceError | null = null;
  const lists = relatedLists[route.kind].map(async ({ list, count }): Promise<[string, List]> => {
    const counted = countAt(counts, count);
    if (counted === 0) return [list, { total: 0, items: [] }];
    const start = await readStart(service, route, objectId, { list, counted });
    late ??= start.late ?? null;
    return [list, listOf(start, counted)];
  });
  return { related: Object.fromEntries(await Promise.all(lists)), late };
}

/** The lists of an object's kind that were not read, because the service did not know the object at the route of this kind. */
export function unreadLists({ kind }: EntityRoute, read: Related): Related {
  const error = `The service knows this object, but not with kind ${kind} (status 404), so this list was not requested. Run the action again later.`;
  const unread = relatedLists[kind].filter(({ list }) => !Object.hasOwn(read, list));
  return Object.fromEntries(unread.map(({ list }) => [list, { total: null, items: null, error }]));
}

/** @param counted - how long the object says that the list is */
async function readStart(
  { entities }: AttackPathService,
  route: EntityRoute,
  objectId: string,
  { list, counted }: { list: string; counted: number | null },
): Promise<ListStart> {
  const pages = relatedPages((page) => {
    if (route.family === "azure") return entities.azureRelated(azureTypes[route.kind], objectId, list, page);
    return entities.directoryRelated(directoryRoutes[route.kind], objectId, list, page);
  }, MOST_ITEMS);
  const start: ListStart = { items: [], total: null };
  let left = MOST_PAGES;
  try {
    for await (const { items, total } of pages) {
      start.items = start.items.concat(items);
      start.total = total;
      const arrived = start.items.length;
      if (arrived >= Math.min(MOST_ITEMS, lengthOf(total, counted, arrived) ?? MOST_ITEMS)) return start;
      left -= 1;
      if (left === 0)
        return {
          ...start,
          failure: `The service lists few objects at a time, and only ${start.items.length} were read.`,
        };
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...start, failure: error.message, ...(isForNextRun(error) && { late: error }) };
  }
  return start;
}

function listOf({ items, total: listed, failure }: ListStart, counted: number | null): List {
  if (failure !== undefined && items.length === 0) return { total: counted, items: null, error: failure };
  const shown = items
    .filter(isNamed)
    .slice(0, MOST_ITEMS)
    .map(({ objectId, name, kind }) => ({
      objectId: objectId && clipped(objectId),
      name: name && clipped(name),
      kind: kind && clipped(kind),
    }))
    // The service lists the objects of a page in any order.
    .sort((one, other) => (titleOf(one) < titleOf(other) ? -1 : 1));
  const total = lengthOf(listed, counted, items.length);
  const missing = whatIsMissing(items, { total, listed });
  if (missing === null && failure === undefined) return { total, items: shown };
  const known = missing === null ? "" : `${missing}. The others are not known. `;
  const error = `${known}${failure ?? "Run the action again later."}`;
  return { total, items: shown.length === 0 ? null : shown, error };
}

function titleOf({ name, objectId }: { name: string | null; objectId: string | null }): string {
  return name ?? objectId ?? "";
}

/**
 * The greater of what the list and the object say. A count that is less than the objects that have arrived does not count: null when
 * there is no other.
 */
function lengthOf(listed: number | null, counted: number | null, arrived: number): number | null {
  const length = counted === null || listed === null ? (listed ?? counted) : Math.max(listed, counted);
  return length !== null && length < arrived ? null : length;
}

/**
 * What a list lacks, as the beginning of an error; null when it lacks nothing. Only its first objects are read.
 *
 * @param listed - how long the list says that it is
 */
function whatIsMissing(
  items: readonly RelatedObject[],
  { total, listed }: { total: number | null; listed: number | null },
): string | null {
  const usable = items.filter(isNamed).length;
  const counted = total ?? items.length;
  const named = usable < items.length ? " with an id or a name" : "";
  if (usable < Math.min(counted, MOST_ITEMS)) {
    const first = counted > MOST_ITEMS ? ` of the first ${MOST_ITEMS}` : "";
    return `The service counts ${counted} objects but lists ${usable}${first}${named}`;
  }
  return listed !== null && listed < counted ? `The service counts ${counted} objects but lists ${listed}` : null;
}

/** A count, also one inside a group of counts; null when it is not known. */
function countAt(counts: Counts, [name = "", ...rest]: readonly string[]): number | null {
  const count = Object.hasOwn(counts, name) ? counts[name] : undefined;
  if (rest.length === 0) return typeof count === "number" ? count : null;
  return typeof count === "object" && count !== null ? countAt(count, rest) : null;
}
