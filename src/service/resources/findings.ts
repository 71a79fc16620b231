import { validateFinding, validateSparklinePoint } from "../../generated/validators.js";
import { type Api, LARGEST_LIST_BYTES, type RequestKind, savingWork } from "../api.ts";
import type { AttackPathService, FindingsQuery } from "../attack-path-service.ts";
import { listIn, inconsistentList, malformed } from "../responses/response-body.ts";
import { askFew, type CountCheck } from "../lists/count-check.ts";
import { findingIdentity } from "./finding-identity.ts";
import { type ListAnswer, readList } from "../lists/paging.ts";
import type { Finding } from "./findings.records.ts";
import { checkRecords } from "../responses/invalid-values.ts";
import { wholeList } from "../lists/whole-list.ts";
import { isName, path, type QueryPair } from "../http/target.ts";
import { BadRequestError, refusesPosition } from "../errors/errors.ts";
import { type PageCost, type PageSize, PageSizes } from "../lists/page-size.ts";
import { emptyUnrequested, isOfAnother } from "./requested-findings.ts";

/** Most bytes of one finding and a count. */
const LARGEST_PROBE_BYTES = 4 * 2 ** 20;

/**
 * How to request a window, cheapest first. A service that rejects a sort order, a page size or a filter is read without
 * it. After each listing with a limit comes the same one without.
 */
const listings: readonly { sortBy: readonly string[]; limit: boolean; filter: boolean }[] = [
  // Findings of one analysis share their creation time; the id keeps them in one order.
  { sortBy: ["created_at", "id"], limit: true, filter: true },
  { sortBy: ["created_at"], limit: true, filter: true },
  { sortBy: ["created_at"], limit: false, filter: true },
  // Without an order, pages may contradict each other. So the filter is given up before the order.
  { sortBy: ["created_at", "id"], limit: true, filter: false },
  { sortBy: ["created_at"], limit: true, filter: false },
  { sortBy: ["created_at"], limit: false, filter: false },
  { sortBy: [], limit: true, filter: true },
  { sortBy: [], limit: false, filter: true },
  { sortBy: [], limit: true, filter: false },
  { sortBy: [], limit: false, filter: false },
];

/** A page, and the position in `listings` that the service accepted. */
interface FetchedPage {
  readonly answer: ListAnswer<Finding>;
  readonly listing: number;
  /** Most findings that it could have; Infinity without a limit. */
  readonly limit: number;
}

/** @param counts - what is known of the tenant's counts */
export function findingsOf(api: Api, counts: CountCheck): AttackPathService["findings"] {
  /** The first of the listings that the service has not rejected. */
  let accepted = 0;
  /** What tells replaced findings apart, which are empty. */
  const identities = new WeakMap<Finding, string>();
  const identity = (finding: Finding): string => identities.get(finding) ?? findingIdentity(finding);
  const sizes = new PageSizes();

  async function fetchPage(
    query: FindingsQuery,
    { skip, mayBeEnd, listing: begin }: { skip: number; mayBeEnd: boolean; listing: number },
    size: PageSize,
  ): Promise<FetchedPage> {
    let rejection: unknown;
    for (let listing = begin; listing < listings.length;) {
      const hasLimit = listings[listing]?.limit === true;
      try {
        const divisible = hasLimit && size.isDivisible;
        const { limit } = size;
        const parameters = listingQuery(query, { listing, limit }, skip);
        const { answer, cost } = await fetchFindings(api, query, parameters, { skip, identities }, { divisible });
        // Others are rejected for their position, or follow one that was.
        if (skip === 0 && begin === accepted) accepted = listing;
        if (hasLimit) size.arrived(cost);
        return { answer, listing, limit: hasLimit ? limit : Infinity };
      } catch (error) {
        if (size.shrink(error)) {
          // A limit that was rejected may be accepted when it is smaller. Behind the first page, the order must stay.
          if (!hasLimit) listing = skip === 0 ? 0 : listing - 1;
          continue;
        }
        // The list was read up to there in this way.
        if (!(error instanceof BadRequestError) || mayBeEnd) throw error;
        rejection ??= error;
        listing = listingAfter(listing, query);
      }
    }
    throw rejection;
  }

  async function fetchFew(
    query: FindingsQuery,
    asked: { listing: number; limit: number },
    skip: number,
  ): Promise<ListAnswer<Finding>> {
    const parameters = listingQuery(query, asked, skip);
    return (await fetchFindings(api, query, parameters, { skip, identities }, {})).answer;
  }

  return {
    get pageSize() {
      return sizes.limit;
    },

    set pageSize(most) {
      sizes.limit = most;
    },

    async types(environmentId) {
      const address = path`/api/v2/domains/${environmentId}/available-types`;
      const { entries, incomplete } = await wholeList(api, address, { kind: { largestBody: LARGEST_LIST_BYTES } });
      const types = entries.filter(isName);
      const unreadable = entries.length - types.length;
      return { types: [...new Set(types)], unreadable, ...(incomplete && { incomplete }) };
    },

    async *pages(query) {
      let listing = knownListing(query.resume?.order) ?? accepted;
      const size = sizes.forList();
      let startedOver = false;
      let isResumed = query.resume !== undefined;
      const pages = readList({
        fetch: async (skip, mayBeEnd) => {
          try {
            // One listing for all pages: in another order, a position would be another place.
            const page = await fetchPage(query, { skip, mayBeEnd, listing }, size);
            const isOtherPlace = skip > 0 && !countsLike(page.listing, listing);
            listing = page.listing;
            if (isOtherPlace) return null;
            isResumed &&= skip > 0;
            return await counts.checked(page.answer, {
              list: detailsPath(query) + query.findingType,
              skip,
              isResumed,
              limit: page.limit,
              ask: (position, limit) => fetchFew(query, { listing, limit }, position),
              identity,
            });
          } catch (error) {
            const isRefused = error instanceof BadRequestError || refusesPosition(error, true);
            if (skip === 0 || mayBeEnd || startedOver || !isRefused) throw error;
            startedOver = true;
            return null;
          }
        },
        identity,
        resume: query.resume,
        once: query.once,
        fault: (problem) => inconsistentList(problem, { method: "GET", path: detailsPath(query) }),
      });
      for await (const { records, ...page } of pages) {
        yield { findings: records, ...page, inOrder: listings[listing]?.sortBy[0] === "created_at", order: listing };
      }
    },

    async newest(query, options) {
      const parameters: QueryPair[] = [...filterOf(query), ["sort_by", "-id"], ["limit", 1]];
      const request = savingWork(options, LARGEST_PROBE_BYTES);
      try {
        const { answer } = await fetchFindings(api, query, parameters, { skip: 0, identities }, request);
        const [newest = null] = answer.records;
        // The count may be that of another stream, too.
        return newest !== null && isEmpty(newest) ? null : { total: answer.total, newest };
      } catch (error) {
        // What a gateway rejects says nothing about the service.
        if (!(error instanceof BadRequestError && error.wrapped)) throw error;
        return null;
      }
    },

    async hasMore(query, length) {
      const ask = (skip: number, limit: number) => fetchFew(query, { listing: accepted, limit }, skip);
      const at = (position: number) => askFew(position, 1, { ask, limit: sizes.limit });
      try {
        const answer = await at(length);
        return answer.records.length > 0 || (answer.total ?? 0) > length;
      } catch (error) {
        if (length === 0 || !refusesPosition(error, true)) throw error;
        // If it takes the position before, it refuses this one because it is past the end.
        const { records, total } = await at(length - 1);
        if (records.length === 0) throw error;
        return (total ?? 0) > length;
      }
    },

    async sparkline({ environmentId, findingType, from, to }, options) {
      const query: QueryPair[] = [["finding", findingType]];
      if (from !== undefined) query.push(["from", from]);
      if (to !== undefined) query.push(["to", to]);
      const address = path`/api/v2/domains/${environmentId}/sparkline`;
      const reply = await api.get(address, query, savingWork(options, LARGEST_LIST_BYTES));
      const points = api.list(validateSparklinePoint, reply);
      if (points.some((point) => isOfAnother(point, environmentId)))
        throw malformed("is about another environment", reply.endpoint);
      return points;
    },
  };
}

/** Whether a finding replaces a list entry that was not an object, or a finding of another type or environment. */
export function isEmpty(finding: Finding): boolean {
  for (const _ in finding) return false;
  return true;
}

function detailsPath({ environmentId }: FindingsQuery): string {
  return path`/api/v2/domains/${environmentId}/details`;
}

function filterOf({ createdFrom }: FindingsQuery): QueryPair[] {
  return createdFrom === undefined ? [] : [["created_at", `gte:${createdFrom}`]];
}

/** The next one to try. Where there is nothing to filter, those without a filter have been tried already. */
function listingAfter(listing: number, query: FindingsQuery): number {
  const isNext = ({ filter }: (typeof listings)[number], index: number): boolean =>
    index > listing && (filter || query.createdFrom !== undefined);
  const next = listings.findIndex(isNext);
  return next < 0 ? listings.length : next;
}

/** Whether a position in one listing is the same place in the other. */
function countsLike(listing: number, other: number): boolean {
  const [a, b] = [listings[listing], listings[other]];
  return a !== undefined && b !== undefined && a.filter === b.filter && a.sortBy.join() === b.sortBy.join();
}

/** Null when there is no such listing. */
function knownListing(order: number | undefined): number | null {
  return order !== undefined && order in listings ? order : null;
}

function listingQuery(query: FindingsQuery, asked: { listing: number; limit: number }, skip: number): QueryPair[] {
  const { sortBy = [], limit = false, filter = false } = listings[asked.listing] ?? {};
  return [
    ...(filter ? filterOf(query) : []),
    ...sortBy.map((column): QueryPair => ["sort_by", column]),
    ...(limit ? [["limit", asked.limit] as const] : []),
    ["skip", skip],
  ];
}

async function fetchFindings(
  api: Api,
  query: FindingsQuery,
  parameters: readonly QueryPair[],
  place: { skip: number; identities: WeakMap<Finding, string> },
  kind: RequestKind,
): Promise<{ answer: ListAnswer<Finding>; cost: PageCost }> {
  const all: QueryPair[] = [["finding", query.findingType], ...parameters];
  const request = place.skip === 0 ? api.getList.bind(api) : api.get.bind(api);
  const { body, endpoint, cost } = await request(detailsPath(query), all, kind);
  // Only the finding's own fields: the properties of its principals stay as sent.
  const options = { firstPosition: place.skip, levels: 0 };
  const checked = checkRecords(validateFinding, listIn(body, endpoint), options);
  emptyUnrequested(checked, query, place);
  return { answer: { ...checked, total: body.count }, cost };
}
