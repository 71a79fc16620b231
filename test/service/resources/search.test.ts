import { describe, expect, it } from "@jest/globals";
import { searchPages } from "../../../src/service/resources/objects.ts";
import { sendJson } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";
import { errorOf } from "../support/clients.ts";

const tenant = answering();

describe("search", () => {
  it("sends text, types, place and number", async () => {
    tenant.respond({ data: [{ objectid: "S-1", name: "ALICE", type: "User" }, { name: "nobody" }] });
    await expect(
      tenant.service.objects.search({ text: "alice", types: ["User", "AZUser"], skip: 10, limit: 100 }),
    ).resolves.toEqual({
      records: [{ objectid: "S-1", name: "ALICE", type: "User" }, { name: "nobody" }],
      total: null,
    });
    await tenant.service.objects.search({ text: "alice" });
    expect(tenant.targets()).toEqual([
      "GET /api/v2/search?q=alice&type=User&type=AZUser&skip=10&limit=100",
      "GET /api/v2/search?q=alice",
    ]);
  });

  it("is not taken from the answer to another search", async () => {
    tenant.respond({ data: [{ objectid: "S-1", name: "BOB" }] });
    await expect(errorOf(tenant.service.objects.search({ text: "alice" }))).resolves.toMatchObject({
      code: "protocol",
      message: expect.stringContaining("is about another search"),
    });
    for (const text of ["s-1", "bo", " bob "]) {
      await expect(tenant.service.objects.search({ text })).resolves.toMatchObject({ records: [{}] });
    }
  });

  it("gives each object once, page by page, also when the service grants one a page", async () => {
    const all = ["S-1", "S-2", "S-3"].map((objectid) => ({ objectid, name: "ALICE" }));
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      sendJson(response, { data: skip < all.length ? all.slice(skip, skip + 1) : null });
    };
    const found: unknown[] = [];
    for await (const page of searchPages(tenant.service.objects, { text: "alice" })) found.push(...page);
    expect(found).toEqual(all);
    // Two pages in a row are empty.
    expect(tenant.server.requests).toHaveLength(5);
  });

  /** Answers searches from the list of everything that matches; `send` makes the response of a place. */
  function searchIn(all: readonly { objectid: string }[], send: (rows: { objectid: string }[]) => unknown) {
    tenant.answer = (request, response) => {
      const query = new URL(request.url ?? "", tenant.server.url).searchParams;
      const [skip, limit] = [Number(query.get("skip")), Number(query.get("limit"))];
      sendJson(response, send(all.slice(skip, skip + limit)));
    };
  }
  async function idsFound(): Promise<string[]> {
    const found: string[] = [];
    for await (const page of searchPages(tenant.service.objects, { text: "alice" }))
      found.push(...page.map(({ objectid }) => objectid));
    return found;
  }
  const matches = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => ({ objectid: `${prefix}-${index}`, name: "ALICE" }));

  it.each([
    ["all of the first page", 0, 300],
    ["all but one of the first page", 1, 300],
    ["some of each page", 100, 200],
  ])(
    "reads on when the service removes %s, which the token may not see, and gives no count",
    async (_, seen, hidden) => {
      // Visible and hidden ones take turns, then come more hidden ones, then the last one.
      const turns = matches(Math.min(seen, hidden), "S").flatMap((one, index) => [one, { objectid: `H-${index}` }]);
      const all = [...turns, ...matches(hidden, "H"), { objectid: "S-LAST", name: "ALICE" }];
      searchIn(all, (rows) => {
        const visible = rows.filter(({ objectid }) => objectid.startsWith("S-"));
        return { data: visible.length === 0 ? null : visible };
      });
      const found = await idsFound();
      expect(found).toHaveLength(seen + 1);
      expect(found.at(-1)).toBe("S-LAST");
      expect(tenant.server.requests.length).toBeLessThan(10);
    },
  );

  it("reads a full page on once more when its count may be that of the page", async () => {
    searchIn(matches(502, "S"), (rows) => ({ count: rows.length, limit: 250, data: rows }));
    expect(await idsFound()).toHaveLength(502);
  });

  it.each([
    [250, 2],
    [249, 1],
    [251, 2],
    [0, 1],
  ])("believes the count of %d objects that a service counts, in %d requests", async (count, requests) => {
    searchIn(matches(count, "S"), (rows) => ({ count, data: rows }));
    expect(await idsFound()).toHaveLength(count);
    expect(tenant.server.requests).toHaveLength(requests);
  });

  it("is read from its beginning again when an object is added between full pages, and gives each once", async () => {
    const all = matches(600, "S");
    let answers = 0;
    searchIn(all, (rows) => {
      if ((answers += 1) === 1) all.unshift({ objectid: "NEW", name: "ALICE" });
      return { data: rows };
    });
    const found = await idsFound();
    expect(found).toHaveLength(601);
    expect(new Set(found)).toEqual(new Set(["NEW", ...matches(600, "S").map(({ objectid }) => objectid)]));
  });

  it("is not known when the list changes between full pages again and again, or never ends", async () => {
    const all = matches(600, "S");
    searchIn(all, (rows) => {
      all.shift();
      return { data: rows };
    });
    await expect(idsFound()).rejects.toThrow("changed while it was read");
    let next = 0;
    const search = () => Promise.resolve({ records: [{ objectid: `S-${(next += 1)}` }], total: null });
    const endless = async (): Promise<void> => {
      for await (const page of searchPages({ search }, { text: "alice" })) expect(page).toHaveLength(1);
    };
    await expect(endless()).rejects.toThrow("has no end");
  });
});
