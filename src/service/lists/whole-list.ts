import { isObject } from "../../json.ts";
import { type Endpoint, ServiceError } from "../errors/errors.ts";
import type { Api, Reply, RequestKind } from "../api.ts";
import { readList } from "./paging.ts";
import { listIn, inconsistentList } from "../responses/response-body.ts";

/** Asked for where a first answer does not hold the whole list. */
const PAGE_SIZE = 1_000;

export interface WholeList {
  readonly entries: unknown[];
  readonly endpoint: Endpoint;
  /** Why entries are missing; null when none are. */
  readonly incomplete: ServiceError | null;
}

export interface WholeListOptions {
  /** Where the list is, when it is not the data itself. */
  readonly listOf?: (reply: Reply) => unknown[];
  readonly kind?: RequestKind;
}

/**
 * Reads a list that the service sends in one answer as a rule. Where it counts more than that, or names a page size that
 * the list fills, the rest is requested page by page.
 *
 * @throws ServiceError when nothing arrived of a list that is not empty
 */
export async function wholeList(
  api: Api,
  path: string,
  { listOf = ({ body, endpoint }) => listIn(body, endpoint), kind = {} }: WholeListOptions = {},
): Promise<WholeList> {
  const first = await api.getList(path, [], kind);
  const { endpoint, body } = first;
  const listed = listOf(first);
  const isWhole = body.count === null || body.count <= listed.length;
  if (isWhole && !body.mayGoOn) return { entries: listed, endpoint, incomplete: null };
  let answered: Reply | null = first;
  const fetch = async (skip: number) => {
    const page =
      skip === 0
        ? []
        : ([
            ["skip", skip],
            ["limit", PAGE_SIZE],
          ] as const);
    const reply = answered ?? (await api.get(path, page, kind));
    answered = null;
    return { records: listOf(reply), invalidValues: [], total: reply.body.count };
  };
  const fault = (problem: string): ServiceError => inconsistentList(problem, endpoint);
  const entries: unknown[] = [];
  try {
    for await (const { records } of readList({ fetch, identity: identityOf, once: true, fault }))
      for (const record of records) entries.push(record);
    return { entries, endpoint, incomplete: null };
  } catch (error) {
    if (!(error instanceof ServiceError) || entries.length === 0) throw error;
    return { entries, endpoint, incomplete: error };
  }
}

/** A text, the id of a record, or what else it says; objects inside it do not tell records apart. */
function identityOf(entry: unknown): string {
  if (Array.isArray(entry)) return "list";
  if (!isObject(entry)) return JSON.stringify(entry);
  const { id } = entry;
  if (typeof id === "string" || typeof id === "number") return `id ${id}`;
  return JSON.stringify(Object.entries(entry).filter(([, value]) => typeof value !== "object"));
}
