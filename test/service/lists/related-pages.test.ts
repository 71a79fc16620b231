import { describe, expect, it } from "@jest/globals";
import { relatedPages } from "../../../src/service/resources/entities.ts";
import { sendJson } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";
import { all, mapped, paging } from "../support/paged.ts";

const tenant = answering();

describe("related objects whose pages have the right entries in any order", () => {
  const related = (count: number) =>
    Array.from({ length: count }, (_, id) => ({
      objectID: `U-${String(id)}`,
      name: `USER-${String(id)}`,
      label: "User",
    }));
  const objectIds = async (): Promise<(string | null)[]> => {
    const pages = relatedPages((page) => tenant.service.entities.directoryRelated("groups", "G-1", "members", page));
    return (await all(mapped(pages, ({ items }) => items))).map(({ objectId }) => objectId);
  };
  /** Removes one of the first objects before the request of this number. */
  const shuffled = (length: number, removedBefore = Infinity): void => {
    let list = related(length);
    let requests = 0;
    tenant.answer = (request, response) => {
      requests += 1;
      if (requests === removedBefore) list = list.filter((_, index) => index !== 3);
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const [skip, limit] = [Number(searchParams.get("skip")), Number(searchParams.get("limit"))];
      const page = list.slice(skip, skip + limit);
      const turn = (requests * 7) % Math.max(1, page.length);
      const data = [...page.slice(turn), ...page.slice(0, turn)].reverse();
      sendJson(response, { count: list.length, skip, limit, data });
    };
  };

  it.each([1, 2, 249, 250, 251, 600, 3_000])("are read to their end: %i", async (length) => {
    shuffled(length);
    const found = await objectIds();
    expect([found.length, new Set(found).size]).toEqual([length, length]);
  });

  it.each([2, 3, 4])("are all read although one is removed before request %i", async (request) => {
    shuffled(900, request);
    const found = new Set(await objectIds());
    for (const { objectID } of related(900)) if (objectID !== "U-3") expect(found).toContain(objectID);
  });
});

it("Related objects are read to their end where the service grants whole pages and counts their entries", async () => {
  const list = Array.from({ length: 600 }, (_, id) => ({
    objectID: `U-${String(id)}`,
    name: `USER-${String(id)}`,
    label: "User",
  }));
  paging(tenant, list, { cap: Infinity, counts: "page" });
  const pages = relatedPages((page) => tenant.service.entities.directoryRelated("groups", "G-1", "members", page));
  expect(await all(mapped(pages, ({ items }) => items))).toHaveLength(600);
});
