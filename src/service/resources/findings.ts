import { validateFinding, validateSparklinePoint } from "../../generated/validators.js";
import type { Api } from "./api.ts";
import type { AttackPathService, FindingsQuery } from "../attack-path-service.ts";
import { listIn, malformed } from "./response-body.ts";
import { findingIdentity } from "./finding-identity.ts";
import { type ListAnswer, readList } from "./paging.ts";
import type { Finding } from "./findings.records.ts";
import { checkRecords } from "./invalid-values.ts";
import { wholeList } from "./whole-list.ts";
import { path, type QueryPair } from "../http/target.ts";
import { BadRequestError, ServiceError } from "../errors/errors.ts";
import { isName } from "./names.ts";
import { emptyUnrequested, isOfAnother } from "./requested-findings.ts";

/** The service documents no largest page; it may grant fewer. */
const PAGE_SIZE = 1_000;
/** For a list whose page takes the service longer than it works on one request. */
const SMALL_PAGE_SIZE = 100;

/**
 * How to request a window, cheapest first. A service that rejects a sort order, a page size or a filter is read without
 * it.
 */
const listings: readonly { sortBy: readonly string[]; limit: boolean; filter: boolean }[] = [
  // Findings of one analysis share their creation time; the id keeps them in one order.
  { sortBy: ["created_at", "id"], limit: true, filter: true },
  { sortBy: ["created_at"], limit: true, filter: true },
  { sortBy: ["created_at"], limit: false, filter: true },
  { sortBy: [], limit: true, filter: true },
  { sortBy: [], limit: false, filter: true },
  { sortBy: [], limit: false, filter: false },
];

/** How a page is asked for. */
interface Asked {
  /** Position in `listings`. */
  readonly listing: number;
  readonly limit: number;
}

export function findingsOf(api: Api): AttackPathService["findings"] {
  /** The first of the listings that the service has not rejected. */
  let accepted = 0;
  let newestRejected = false;
  /** What tells replaced findings apart, which are empty. */
  const identities = new WeakMap<Finding, string>();

  /** One page, and how the service accepted to be asked for it. */
  async function fetchPage(
    query: FindingsQuery,
    skip: number,
    asked: Asked,
  ): Promise<{ answer: ListAnswer<Finding>; asked: Asked }> {
    let { limit } = asked;
    let rejection: unknown;
    for (let listing = asked.listing; listing < listings.length;) {
      try {
        const answer = await fetchFindings(api, query, listingQuery(query, { listing, limit }, skip), {
          skip,
          identities,
        });
        // Others are rejected for their position, or follow one that was.
        if (skip === 0 && asked.listing === accepted) accepted = listing;
        return { answer, asked: { listing, limit } };
      } catch (error) {
        if (limit > SMALL_PAGE_SIZE && tookTooLong(error)) {
          limit = SMALL_PAGE_SIZE;
        } else {
          if (!(error instanceof BadRequestError)) throw error;
          rejection ??= error;
          listing += 1;
        }
      }
    }
    throw rejection;
  }

  return {
    async types(environmentId) {
      const { entries, incomplete } = await wholeList(api, path`/api/v2/domains/${environmentId}/available-types`);
      const types = entries.filter(isName);
      const unreadable = entries.length - types.length;
      return { types: [...new Set(types)], unreadable, ...(incomplete && { incomplete }) };
    },

    async *pages(query) {
      let asked: Asked = { listing: accepted, limit: PAGE_SIZE };
      let startedOver = false;
      const pages = readList({
        fetch: async (skip) => {
          try {
            // One listing for all pages: in another order, a position would be another place.
            const page = await fetchPage(query, skip, asked);
            asked = page.asked;
            return page.answer;
          } catch (error) {
            if (skip === 0 || startedOver || !(error instanceof BadRequestError)) throw error;
            startedOver = true;
            return null;
          }
        },
        identity: (finding) => identities.get(finding) ?? findingIdentity(finding),
        resume: query.resume,
        once: query.once,
        fault: (problem) => malformed(problem, { method: "GET", path: detailsPath(query) }),
      });
      for await (const { records, ...page } of pages) {
        yield { findings: records, ...page, inOrder: listings[asked.listing]?.sortBy[0] === "created_at" };
      }
    },

    async newest(query) {
      if (newestRejected) return null;
      const parameters: QueryPair[] = [...filterOf(query), ["sort_by", "-id"], ["limit", 1]];
      try {
        const { records, total } = await fetchFindings(api, query, parameters, { skip: 0, identities });
        const [newest = null] = records;
        // The count may be that of another stream, too.
        return newest !== null && isEmpty(newest) ? null : { total, newest };
      } catch (error) {
        if (!(error instanceof BadRequestError)) throw error;
        newestRejected = true;
        return null;
      }
    },

    async sparkline({ environmentId, findingType, from, to }) {
      const query: QueryPair[] = [["finding", findingType]];
      if (from !== undefined) query.push(["from", from]);
      if (to !== undefined) query.push(["to", to]);
      const reply = await api.get(path`/api/v2/domains/${environmentId}/sparkline`, query);
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

/** The service ended its work on the request (BloodHound API, `request timed out` with a 500). */
function tookTooLong(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 500 && /request timed out/i.test(error.message);
}

function detailsPath({ environmentId }: FindingsQuery): string {
  return path`/api/v2/domains/${environmentId}/details`;
}

function filterOf({ createdFrom }: FindingsQuery): QueryPair[] {
  return createdFrom === undefined ? [] : [["created_at", `gte:${createdFrom}`]];
}

function listingQuery(query: FindingsQuery, asked: Asked, skip: number): QueryPair[] {
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
): Promise<ListAnswer<Finding>> {
  const all: QueryPair[] = [["finding", query.findingType], ...parameters];
  const request = place.skip === 0 ? api.getList.bind(api) : api.get.bind(api);
  const { body, endpoint } = await request(detailsPath(query), all);
  // Only the finding's own fields: the properties of its principals stay as sent.
  const options = { firstPosition: place.skip, levels: 0 };
  const checked = checkRecords(validateFinding, listIn(body, endpoint), options);
  emptyUnrequested(checked, query, place);
  return { ...checked, total: body.count };
}
