import { describe, expect, it } from "@jest/globals";
import { relatedPages } from "../../../src/service/resources/entities.ts";
import { searchPages } from "../../../src/service/resources/objects.ts";
import { sendJson } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";
import { all, countFindings, mapped, paging } from "../support/paged.ts";

const tenant = answering();

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
    paging(tenant, records, { cap, counts: "page" });
    await expect(read()).resolves.toEqual(records);
  });

  it("costs one request more when it fills the page that the service granted, and is whole", async () => {
    paging(tenant, records, { cap: records.length, counts: "list" });
    await read();
    tenant.server.requests.length = 0;
    const fewer = records.slice(1);
    paging(tenant, fewer, { cap: fewer.length, counts: "list" });
    await expect(read()).resolves.toEqual(fewer);
    expect(tenant.targets()).toHaveLength(2);
  });

  it("costs one request when it is shorter than the page that the service granted", async () => {
    paging(tenant, records, { cap: records.length + 1, counts: "list" });
    await expect(read()).resolves.toEqual(records);
    tenant.server.requests.length = 0;
    await expect(read()).resolves.toEqual(records);
    expect(tenant.targets()).toHaveLength(1);
  });
});

// A search is read from where the last page ended, by positions that the service has.
describe.each(lists.filter(([name]) => name !== "search results"))(
  "a list of %s whose count is that of a page",
  (_, records, read) => {
    it.each([
      [400, 1],
      [404, 1],
      [400, 3],
      [404, 3],
    ])("is read to its end when the service says so with %i, after pages of %i", async (pastEnd, cap) => {
      paging(tenant, records, { cap, counts: "page", pastEnd });
      await expect(read()).resolves.toEqual(records);
    });

    it("does not end where the service refuses a position once", async () => {
      paging(tenant, records, { cap: 1, counts: "page", pastEnd: 404 });
      const answer = tenant.answer;
      let refusals = 0;
      tenant.answer = (request, response, index) => {
        const skip = new URL(request.url ?? "", tenant.server.url).searchParams.get("skip");
        if (skip === "3" && ++refusals === 1) sendJson(response, { http_status: 404, errors: [] }, 404);
        else answer(request, response, index);
      };
      await expect(read()).resolves.toEqual(records);
    });
  },
);

it("A list that an earlier run began proves nothing about a service that may count no further than what it shows", async () => {
  const listOf = (length: number): object[] => Array.from({ length }, (_, id) => ({ id: id + 1 }));
  paging(tenant, listOf(430), { cap: 73, counts: "shown" });
  await countFindings(tenant, { ...stream, resume: { skip: 420, after: "420" } });
  paging(tenant, listOf(400), { cap: 73, counts: "shown" });
  expect(await countFindings(tenant, { ...stream, findingType: "Other" })).toBe(400);
});

describe("findings of which the service counts those of a page", () => {
  const all2500 = Array.from({ length: 2_500 }, (_, id) => ({ id: id + 1 }));
  const ids = (query = stream): Promise<number> => countFindings(tenant, query);

  it.each<[string, (page: readonly unknown[], skip: number) => object, number]>([
    ["and says no other limit than the one asked for", (page) => ({ count: page.length, limit: 1_000 }), 1_000],
    ["and says no limit", (page) => ({ count: page.length }), 1_000],
    ["at most a thousand", () => ({ count: 1_000 }), 1_000],
    ["which are few", (page) => ({ count: page.length }), 7],
    ["which are few, and says another limit", (page) => ({ count: page.length, limit: 1_000 }), 7],
  ])("are read to their end: %s", async (_, described, cap) => {
    const list = all2500.slice(0, cap * 5 + 3);
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const skip = Number(searchParams.get("skip"));
      const data = list.slice(skip, skip + Math.min(cap, Number(searchParams.get("limit"))));
      sendJson(response, { ...described(data, skip), skip, data });
    };
    expect(await ids()).toBe(list.length);
    expect(await ids()).toBe(list.length);
  });

  it("are read to their end where the service counts up to the last one that it shows", async () => {
    const counting = (length: number): void => {
      const list = all2500.slice(0, length);
      tenant.answer = (request, response) => {
        const { searchParams } = new URL(request.url ?? "", tenant.server.url);
        const skip = Number(searchParams.get("skip"));
        const data = list.slice(skip, skip + Number(searchParams.get("limit")));
        sendJson(response, { count: skip + data.length, skip, data });
      };
    };
    for (const length of [1_500, 1_300]) {
      counting(length);
      expect(await ids()).toBe(length);
    }
  });

  it("are believed to be counted once one answer has counted more than it held", async () => {
    paging(tenant, all2500.slice(0, 1_500), { cap: 1_000, counts: "list" });
    expect(await ids()).toBe(1_500);
    paging(tenant, all2500.slice(0, 7), { cap: 1_000, counts: "list" });
    tenant.server.requests.length = 0;
    expect(await ids()).toBe(7);
    expect(tenant.targets()).toHaveLength(1);
  });

  it.each([10, 16, 20, 25, 50, 64, 100, 150, 250, 500, 512])(
    "are read to their end although those of another list were counted: pages of %i",
    async (cap) => {
      paging(tenant, all2500.slice(0, 700), { cap: 1_000, counts: "list" });
      expect(await ids()).toBe(700);
      paging(tenant, all2500.slice(0, 3 * cap + 1), { cap, counts: "page" });
      expect(await ids({ ...stream, environmentId: "S-2" })).toBe(3 * cap + 1);
    },
  );

  it("are read to their end although those of another list were counted: pages as large as asked for", async () => {
    paging(tenant, all2500.slice(0, 700), { cap: 1_000, counts: "list" });
    expect(await ids()).toBe(700);
    paging(tenant, all2500.slice(0, 25), { cap: 1_000, counts: "page" });
    tenant.service.findings.pageSize = 2;
    expect(await ids({ ...stream, environmentId: "S-2" })).toBe(25);
  });

  it("cost a request more in the first few lists that a page of a usual size may have cut", async () => {
    paging(tenant, all2500.slice(0, 700), { cap: 1_000, counts: "list" });
    expect(await ids()).toBe(700);
    paging(tenant, all2500.slice(0, 100), { cap: 1_000, counts: "list" });
    tenant.server.requests.length = 0;
    for (const findingType of ["A", "B", "C", "D", "E", "F"]) expect(await ids({ ...stream, findingType })).toBe(100);
    expect(tenant.targets()).toHaveLength(6 + 3);
  });

  it("are not believed to be counted because a page lacks its records", async () => {
    tenant.answer = (_, response) => {
      sendJson(response, { count: 1, data: null });
    };
    await expect(ids()).rejects.toThrow("is empty at position 0 although it reports 1");
    for (const length of [1, 3]) {
      tenant.answer = (request, response) => {
        const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
        const data = all2500.slice(skip, Math.min(length, skip + 1));
        sendJson(response, { count: data.length, data });
      };
      expect(await ids()).toBe(length);
    }
  });

  it.each<[string, (skip: number) => { status: number; body: object }]>([
    [
      "refuses a position behind the end",
      () => ({ status: 400, body: { http_status: 400, errors: [{ message: "bad skip" }] } }),
    ],
    ["ignores the position", () => ({ status: 200, body: { count: 2, data: all2500.slice(0, 2) } })],
    ["does not count an empty page", () => ({ status: 200, body: { data: [] } })],
  ])("end where a service says that %s", async (_, behind) => {
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      const { status, body } =
        skip < 2 ? { status: 200, body: { count: 2, data: all2500.slice(skip, 2) } } : behind(skip);
      sendJson(response, body, status);
    };
    expect([await ids(), await ids()]).toEqual([2, 2]);
  });

  it.each([400, 404])(
    "end where a service answers %i to a position behind the end, and no page shows two",
    async (status) => {
      tenant.answer = (request, response) => {
        const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
        const data = all2500.slice(skip, skip === 0 ? 2 : Math.min(2, skip + 1));
        if (data.length > 0) sendJson(response, { count: data.length, data });
        else sendJson(response, { http_status: status, errors: [{ message: "bad skip" }] }, status);
      };
      expect(await ids()).toBe(2);
    },
  );

  it("are read to their end where the service grants one record a page after a page of two", async () => {
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      const data = all2500.slice(skip, Math.min(3, skip + (skip === 0 ? 2 : 1)));
      sendJson(response, { count: data.length, data });
    };
    expect(await ids()).toBe(3);
  });

  it("are read to their end where the service counts one record more than it shows, one a page", async () => {
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      const data = all2500.slice(skip, Math.min(6, skip + 1));
      sendJson(response, { count: skip + data.length + Number(skip < 5), data });
    };
    expect(await ids()).toBe(6);
  });

  it("are read to their end although the list has grown at its beginning before the question", async () => {
    let list = all2500.slice(1, 4);
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      const data = list.slice(skip, skip + 2);
      list = all2500.slice(0, 4);
      sendJson(response, { count: data.length, data });
    };
    expect(await ids()).toBe(4);
  });

  /** A list that grows at its beginning by one, after the first answer, of which the service says what it counts. */
  const growing = (length: number, page: number, countOf: (held: number) => number): void => {
    let list = all2500.slice(1, length);
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const skip = Number(searchParams.get("skip"));
      const data = list.slice(skip, skip + Math.min(page, Number(searchParams.get("limit"))));
      list = all2500.slice(0, length);
      sendJson(response, { count: countOf(data.length), data });
    };
  };

  it("are read to their end although the list has grown before the question, where the service counts at most a thousand", async () => {
    growing(2_500, 1_000, () => 1_000);
    expect(await ids()).toBe(2_500);
  });

  it("are read to their end although the list has grown before the question, and a page has one record", async () => {
    growing(5, 1, (held) => held);
    expect(await ids()).toBe(5);
  });

  it("are read to their end although the list that has grown shrinks again, and the service refuses a position behind it", async () => {
    const [before, grown] = [all2500.slice(1, 4), all2500.slice(0, 4)];
    let answers = 0;
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      const list = answers++ === 1 ? grown : before;
      // The first page, the question, and the question whether positions are ignored.
      if (answers === 3) sendJson(response, { http_status: 400, errors: [{ message: "bad skip" }] }, 400);
      else sendJson(response, { count: list.slice(skip, skip + 2).length, data: list.slice(skip, skip + 2) });
    };
    expect(await ids()).toBe(3);
  });

  it("are not whole where the service ignores positions and counts a full page", async () => {
    tenant.answer = (request, response) => {
      const limit = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("limit"));
      sendJson(response, { count: limit, data: all2500.slice(0, limit) });
    };
    await expect(ids()).rejects.toThrow("keeps changing");
  });

  it("are whole where the service ignores positions and counts a page that is not full", async () => {
    tenant.answer = (request, response) => {
      const limit = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("limit"));
      const data = all2500.slice(0, Math.min(limit, 307));
      sendJson(response, { count: data.length, data });
    };
    expect(await ids()).toBe(307);
  });

  it("are read to their end although the service refuses a position behind the end of another list", async () => {
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const skip = Number(searchParams.get("skip"));
      const isShort = searchParams.get("finding") === "T0Owns";
      const data = all2500.slice(skip, Math.min(isShort ? 1 : 3, skip + 2));
      if (isShort && skip > 0) sendJson(response, { http_status: 404, errors: [{ message: "not found" }] }, 404);
      else sendJson(response, { count: data.length, data });
    };
    expect(await ids()).toBe(1);
    expect(await ids({ ...stream, findingType: "Kerberoasting" })).toBe(3);
  });

  it("are believed to be counted once three lists have been as long as a page can be, and not before", async () => {
    const list = (findingType: string): Promise<number> => ids({ ...stream, findingType });
    const counting = (most: number, length: number): void => {
      tenant.answer = (request, response) => {
        const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
        sendJson(response, {
          count: Math.min(most, length),
          data: all2500.slice(skip, Math.min(length, skip + 1_000)),
        });
      };
    };
    counting(1_000, 1_000);
    for (let read = 0; read < 4; read += 1) expect(await list("T0Owns")).toBe(1_000);
    expect(await list("T0GenericAll")).toBe(1_000);
    // As long as it is only two lists, the service may count no further.
    counting(1_000, 1_200);
    expect(await list("T0WriteDacl")).toBe(1_200);
  });

  it("cost no question each where they are as long as a page can be", async () => {
    paging(tenant, all2500.slice(0, 1_000), { cap: 1_000, counts: "list" });
    for (const findingType of ["A", "B", "C"]) await ids({ ...stream, findingType });
    tenant.server.requests.length = 0;
    for (const findingType of ["D", "E"]) expect(await ids({ ...stream, findingType })).toBe(1_000);
    expect(tenant.targets()).toHaveLength(2);
  });

  it("are read to their end although another list is as long as the service counts by chance", async () => {
    let length = 5;
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      const data = all2500.slice(skip, Math.min(length, skip + 2));
      sendJson(response, { count: data.length + 3, data });
    };
    expect(await ids()).toBe(5);
    length = 6;
    expect(await ids()).toBe(6);
  });

  it.each([5, 9, 12, 13])("go on behind a count of %d that is too small on each page of a list", async (count) => {
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const skip = Number(searchParams.get("skip"));
      const data = all2500.slice(skip, Math.min(23, skip + Math.min(5, Number(searchParams.get("limit")))));
      sendJson(response, { count, data });
    };
    expect(await ids()).toBe(23);
  });

  it.each([
    ["a thousand, as many as the list before had", 1_000, 1_000, 1_000],
    ["a number that the list before did not reach", 12, 7, 5],
  ])("are read to their end where the service counts at most %s", async (_, most, before, cap) => {
    let length = before;
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const [skip, limit] = [Number(searchParams.get("skip")), Number(searchParams.get("limit"))];
      const data = all2500.slice(skip, Math.min(length, skip + Math.min(cap, limit)));
      sendJson(response, { count: Math.min(length, most), data });
    };
    expect(await ids()).toBe(before);
    length = 2 * most + 3;
    expect(await ids()).toBe(length);
  });

  it("are read to their end where the service grants fewer of them than of other lists", async () => {
    paging(tenant, all2500.slice(0, 7), { cap: 10, counts: "page" });
    expect(await ids()).toBe(7);
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      const data = all2500.slice(skip, Math.min(5, skip + 2));
      sendJson(response, { count: data.length, data });
    };
    expect(await ids()).toBe(5);
  });

  it.each([
    ["when one before them was deleted", [2, 3, 4]],
    ["when one was added before them", [9, 1, 2, 3, 4]],
  ])("are read on when the last one has another place by then: %s", async (_, later) => {
    let list = all2500.slice(0, 4);
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const [skip, limit] = [Number(searchParams.get("skip")), Number(searchParams.get("limit"))];
      const data = list.slice(skip, skip + Math.min(3, limit));
      sendJson(response, { count: data.length, data });
      list = later.map((id) => ({ id }));
    };
    const found = await all(mapped(tenant.service.findings.pages(stream), ({ findings }) => findings));
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4, ...later]));
  });

  it.each([
    ["costs a question for each list", false, 2],
    ["costs nothing more where a count has gone beyond its page", true, 1],
  ])(
    "are read to their end when a finding was added before the question, which %s",
    async (_, countsAhead, requests) => {
      paging(tenant, all2500.slice(0, 1_500), { cap: countsAhead ? 1_000 : 2_000, counts: "list" });
      if (countsAhead) for await (const page of tenant.service.findings.pages(stream)) if (page.skip === 0) break;
      let listed = 4;
      tenant.answer = (request, response) => {
        const { searchParams } = new URL(request.url ?? "", tenant.server.url);
        const [skip, limit] = [Number(searchParams.get("skip")), Number(searchParams.get("limit"))];
        if (limit === 2) listed = 5;
        sendJson(response, { count: listed, data: all2500.slice(skip, Math.min(listed, skip + limit)) });
      };
      expect(await ids()).toBe(5);
      tenant.server.requests.length = 0;
      expect(await ids()).toBe(5);
      expect(tenant.targets()).toHaveLength(requests);
    },
  );

  it.each([500, 503])("arrive although the question is answered with %d", async (status) => {
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      if (searchParams.get("limit") === "2")
        sendJson(response, { http_status: status, errors: [{ message: "no" }] }, status);
      else sendJson(response, { count: 7, data: all2500.slice(Number(searchParams.get("skip")), 7) });
    };
    expect(await ids()).toBe(7);
  });

  it("arrive before the error that ends everything, when the question is answered with that", async () => {
    tenant.answer = (request, response) => {
      const isQuestion = new URL(request.url ?? "", tenant.server.url).searchParams.get("limit") === "2";
      if (isQuestion) sendJson(response, { http_status: 429, errors: [{ message: "limit exceeded" }] }, 429);
      else sendJson(response, { count: 7, data: all2500.slice(0, 7) });
    };
    const arrived: number[] = [];
    const read = async (): Promise<void> => {
      for await (const { findings } of tenant.service.findings.pages(stream)) arrived.push(findings.length);
    };
    await expect(read()).rejects.toMatchObject({ code: "rate_limited" });
    expect(arrived).toEqual([7]);
  });

  it("go on with the next page where the question whether there is one fails", async () => {
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const [skip, limit] = [Number(searchParams.get("skip")), Number(searchParams.get("limit"))];
      const data = all2500.slice(skip, Math.min(9, skip + Math.min(limit, 5)));
      if (limit === 1) sendJson(response, { http_status: 500, errors: [{ message: "no" }] }, 500);
      else sendJson(response, { count: data.length, data });
    };
    expect(await ids()).toBe(9);
  });
});

it("accepts the count of a page that has as many records as were requested", async () => {
  paging(tenant, [{ id: 7 }], { cap: 1_000, counts: "list" });
  await expect(tenant.service.findings.newest(stream, { required: true })).resolves.toMatchObject({ total: 1 });
});

it("says whether findings follow behind those that were counted, and rejects when the service does not", async () => {
  const { findings } = tenant.service;
  paging(tenant, [{ id: 7 }, { id: 8 }], { cap: 1, counts: "page" });
  await expect(findings.hasMore(stream, 1)).resolves.toBe(true);
  await expect(findings.hasMore(stream, 2)).resolves.toBe(false);
  tenant.respond({ count: 3, data: [] });
  await expect(findings.hasMore(stream, 2)).resolves.toBe(true);
  tenant.respond({ errors: [{ context: "", message: "invalid skip" }], http_status: 400 }, 400);
  await expect(findings.hasMore(stream, 2)).rejects.toMatchObject({ code: "bad_request" });
});

it.each([400, 404])(
  "says that no findings follow where the service answers %i past the end, and nowhere else",
  async (status) => {
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      if (skip < 2) sendJson(response, { count: 2, data: [{ id: skip }] });
      else sendJson(response, { errors: [{ context: "", message: "invalid skip" }], http_status: status }, status);
    };
    await expect(tenant.service.findings.hasMore(stream, 2)).resolves.toBe(false);
  },
);
