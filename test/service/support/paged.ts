import { sendJson } from "../../support/raw-server.ts";
import type { FindingsQuery } from "../../../src/service/attack-path-service.ts";
import type { Answering } from "./answering.ts";

interface Paging {
  /** Largest page that the service grants. */
  cap: number;
  /** What it counts: the records of the page, those of the list, or those up to the end of the page. */
  counts: "list" | "page" | "shown";
  /** Status of the answer to a position past the end of the list. Default: an empty page. */
  pastEnd?: number | undefined;
  /** It answers 504 to a request for more records than this, as a gateway that gives up does. Default: it takes every number. */
  most?: number | undefined;
}

/** The service lists so many from the position that is asked for, and echoes the limit that it granted. */
export function paging(
  tenant: Answering,
  list: readonly unknown[],
  { cap, counts, pastEnd, most = Infinity }: Paging,
): void {
  tenant.answer = (request, response) => {
    const { searchParams } = new URL(request.url ?? "", tenant.server.url);
    const skip = Number(searchParams.get("skip"));
    const limit = Math.min(Number(searchParams.get("limit") ?? cap), cap);
    if (pastEnd !== undefined && skip > 0 && skip >= list.length) {
      sendJson(response, { http_status: pastEnd, errors: [{ context: "", message: "invalid skip" }] }, pastEnd);
      return;
    }
    const data = list.slice(skip, skip + limit);
    if (data.length > most) {
      sendJson(response, { http_status: 504, errors: [{ context: "", message: "gateway timeout" }] }, 504);
      return;
    }
    const count = { list: list.length, page: data.length, shown: skip + data.length }[counts];
    sendJson(response, { count, limit, skip, data });
  };
}

export async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const records: T[] = [];
  for await (const page of pages) records.push(...page);
  return records;
}

export async function* mapped<A, B>(items: AsyncIterable<A>, map: (item: A) => B): AsyncGenerator<B> {
  for await (const item of items) yield map(item);
}

/** How many different findings a list has, as the client reads it. */
export async function countFindings({ service }: Answering, query: FindingsQuery): Promise<number> {
  const found = await all(mapped(service.findings.pages({ ...query, once: true }), ({ findings }) => findings));
  return new Set(found.map(({ id }) => id)).size;
}
