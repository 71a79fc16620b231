import { describe, expect, it } from "@jest/globals";
import type { FindingsPage, FindingsQuery } from "../../../src/service/connect.ts";
import { sendJson, wrapper } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";

const tenant = answering();
const query: FindingsQuery = { environmentId: "S-1-5", findingType: "T0Owns" };

async function read(more: Partial<FindingsQuery> = {}): Promise<FindingsPage[]> {
  const pages: FindingsPage[] = [];
  for await (const page of tenant.service.findings.pages({ ...query, ...more })) pages.push(page);
  return pages;
}

describe("findings whose order the service refuses behind the first page", () => {
  it("begin again in another order, and other lists begin in the first one", async () => {
    tenant.answer = (request, response) => {
      const query = new URL(request.url ?? "", tenant.server.url).searchParams;
      const skip = Number(query.get("skip"));
      if (skip > 0 && query.has("sort_by")) sendJson(response, wrapper(400, "invalid parameter"), 400);
      else sendJson(response, { count: 9, data: [1, 2, 3, 4, 5].map((id) => ({ id: skip + id })).slice(0, 9 - skip) });
    };
    const pages = await read();
    // In another order, the sixth may be one of the first five.
    expect(pages.map(({ findings }) => findings.map(({ id }) => id))).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9],
    ]);
    const [, , last] = pages;
    const resumed = await read({ resume: { skip: 6, after: "6", order: last!.order } });
    expect(resumed.map(({ skip }) => skip)).toEqual([6]);
    await read();
    expect(
      tenant.targets().filter((target) => target.endsWith("sort_by=created_at&sort_by=id&limit=1000&skip=0")),
    ).toHaveLength(2);
  });

  it("are not taken for ordered where only a list without an order gave a page", async () => {
    tenant.answer = (request, response) => {
      const query = new URL(request.url ?? "", tenant.server.url).searchParams;
      if (query.has("sort_by")) sendJson(response, wrapper(400, "invalid parameter"), 400);
      else sendJson(response, { count: 3, data: [{ id: 1 }, { id: 2 }, { id: 3 }].slice(Number(query.get("skip"))) });
    };
    const pages = await read({ resume: { skip: 2, after: "2" } });
    expect(pages).toMatchObject([{ skip: 0, findings: [{}, {}, {}], inOrder: false }]);
  });
});
