import { describe, expect, it } from "@jest/globals";
import { relatedPages } from "../../../src/service/resources/entities.ts";
import { searchPages } from "../../../src/service/resources/objects.ts";
import { sendJson } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";

const tenant = answering();

interface Paging {
  /** Largest page that the service grants. */
  cap: number;
  /** What it counts: the records of the page, or those of the list. */
  counts: "list" | "page";
}

/** The service lists so many from the position that is asked for, and echoes the limit that it granted. */
function paging(list: readonly unknown[], { cap, counts }: Paging): void {
  tenant.answer = (request, response) => {
    const { searchParams } = new URL(request.url ?? "", tenant.server.url);
    const skip = Number(searchParams.get("skip"));
    const limit = Math.min(Number(searchParams.get("limit") ?? cap), cap);
    const data = list.slice(skip, skip + limit);
    sendJson(response, { count: counts === "page" ? data.length : list.length, limit, skip, data });
  };
}

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const records: T[] = [];
  for await (const page of pages) records.push(...page);
  return records;
}

async function* mapped<A, B>(items: AsyncIterable<A>, map: (item: A) => B): AsyncGenerator<B> {
  for await (const item of items) yield map(item);
}

const stream = { environmentId: "S-1", findingType: "T0Owns" };
const objects = ["A", "B", "C", "D", "E", "F", "G"].map((id) => ({ objectid: id, name: `OBJECT-${id}` }));

const lists: [string, readonly unknown[], () => Promise<readonly unknown[]>][] = [
  [
    "environments",
    objects.map(({ name: id }) => ({ id })),
    async () => (await tenant.service.environments.list()).environments,
  ],
  ["finding types", objects.map(({ name }) => name), async () => (await tenant.service.findings.types("S-1")).types],
  [
    "findings",
    objects.map((_, id) => ({ id: id + 1 })),
    () => all(mapped(tenant.service.findings.pages(stream), ({ findings }) => findings)),
  ],
  ["search results", objects, () => all(searchPages(tenant.service.objects, { text: "object" }))],
  [
    "related objects",
    objects.map(({ objectid, name }) => ({ objectID: objectid, name, label: "User" })),
    async () => {
      const pages = relatedPages((page) => tenant.service.entities.directoryRelated("groups", "G-1", "members", page));
      const found = await all(mapped(pages, ({ items }) => items));
      return found.map(({ objectId, name, kind }) => ({ objectID: objectId, name, label: kind }));
    },
  ],
];

describe.each(lists)("a list of %s", (_, records, read) => {
  it.each([1, 2, 3, 6, 7])("is read to its end when the count is that of a page of %i", async (cap) => {
    paging(records, { cap, counts: "page" });
    await expect(read()).resolves.toEqual(records);
  });

  it("costs one request more when it fills the page that the service granted, and is whole", async () => {
    paging(records, { cap: records.length, counts: "list" });
    await expect(read()).resolves.toEqual(records);
    expect(tenant.targets()).toHaveLength(2);
  });

  it("costs one request when it is shorter than the page that the service granted", async () => {
    paging(records, { cap: records.length + 1, counts: "list" });
    await expect(read()).resolves.toEqual(records);
    expect(tenant.targets()).toHaveLength(1);
  });
});

it("accepts the count of a page that has as many records as were requested", async () => {
  paging([{ id: 7 }], { cap: 1_000, counts: "list" });
  await expect(tenant.service.findings.newest(stream, { required: true })).resolves.toMatchObject({ total: 1 });
});

it("says whether findings follow behind those that were counted, and rejects when the service does not", async () => {
  const { findings } = tenant.service;
  paging([{ id: 7 }, { id: 8 }], { cap: 1, counts: "page" });
  await expect(findings.hasMore(stream, 1)).resolves.toBe(true);
  await expect(findings.hasMore(stream, 2)).resolves.toBe(false);
  tenant.respond({ count: 3, data: [] });
  await expect(findings.hasMore(stream, 2)).resolves.toBe(true);
  tenant.respond({ errors: [{ context: "", message: "invalid skip" }], http_status: 400 }, 400);
  await expect(findings.hasMore(stream, 2)).rejects.toMatchObject({ code: "bad_request" });
});
