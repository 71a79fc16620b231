import type { ListAnswer, ListPage, PagingOptions } from "../../../src/service/lists/paging.ts";

export interface Item {
  id: number;
}

/** A list as a service would page it. */
export interface Service {
  items: Item[];
  /** Largest page that the service grants. */
  cap: number;
  counts: boolean;
  requests: number[];
}

export function serviceWith(length: number, options: Partial<Service> = {}): Service {
  return { items: Array.from({ length }, (_, id) => ({ id })), cap: 10, counts: true, requests: [], ...options };
}

export function answer(service: Service, skip: number): ListAnswer<Item> {
  service.requests.push(skip);
  const { items, cap, counts } = service;
  return { records: items.slice(skip, skip + cap), invalidValues: [], total: counts ? items.length : null };
}

export function options(
  fetch: (skip: number) => ListAnswer<Item>,
  resume?: PagingOptions<Item>["resume"],
): PagingOptions<Item> {
  return {
    fetch: (skip) => Promise.resolve(fetch(skip)),
    identity: ({ id }) => String(id),
    fault: (problem) => new Error(problem),
    resume,
  };
}

export async function collect(reading: AsyncGenerator<ListPage<Item>>): Promise<ListPage<Item>[]> {
  const pages: ListPage<Item>[] = [];
  for await (const page of reading) pages.push(page);
  return pages;
}

export const ids = (pages: ListPage<Item>[]) => pages.flatMap(({ records }) => records.map(({ id }) => id));
