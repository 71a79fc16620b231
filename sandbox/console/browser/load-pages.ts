import type { Page } from "../contract/index.ts";

/** The first pages of a list, until they have so many rows or it ends. Needs no browser. */
export async function loadPages<T>(
  load: (cursor: string | undefined) => Promise<Page<T>>,
  wanted: number,
): Promise<Page<T>> {
  let list = await load(undefined);
  while (list.next !== null && list.rows.length < wanted) {
    const page = await load(list.next);
    list = { ...page, rows: [...list.rows, ...page.rows] };
  }
  return list;
}
