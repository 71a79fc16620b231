import { describe, expect, it } from "@jest/globals";
import { sendJson, wrapper } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";
import { countFindings, paging } from "../support/paged.ts";

const tenant = answering();

const stream = { environmentId: "S-1", findingType: "T0Owns" };
const all2500 = Array.from({ length: 2_500 }, (_, id) => ({ id: id + 1 }));

const ids = (query = stream): Promise<number> => countFindings(tenant, query);

it("A count that is right in a short list proves nothing about greater ones", async () => {
  let [list, cap] = [all2500.slice(0, 7), 1_000];
  tenant.answer = (request, response) => {
    const { searchParams } = new URL(request.url ?? "", tenant.server.url);
    const skip = Number(searchParams.get("skip"));
    const data = list.slice(skip, skip + Math.min(cap, Number(searchParams.get("limit"))));
    sendJson(response, { count: cap === 1_000 ? list.length : data.length, data });
  };
  expect(await ids()).toBe(7);
  [list, cap] = [all2500.slice(0, 300), 73];
  expect(await ids({ ...stream, findingType: "T0Logins" })).toBe(300);
});

it("A count that may end with what was shown is not trusted because a shorter list was whole", async () => {
  paging(tenant, all2500.slice(0, 49), { cap: 1_000, counts: "shown", most: 50 });
  expect(await ids()).toBe(49);
  paging(tenant, all2500.slice(0, 300), { cap: 1_000, counts: "shown", most: 50 });
  expect(await ids({ ...stream, findingType: "T0Logins" })).toBe(300);
});

it.each([400, 404])("A list that became shorter than a place is read from its start after a %i", async (pastEnd) => {
  paging(tenant, all2500.slice(0, 2), { cap: 10, counts: "list", pastEnd });
  expect(await countFindings(tenant, { ...stream, resume: { skip: 8, after: "8" } })).toBe(2);
});

it("A list that has grown at its beginning goes on although the service fails to show by how much", async () => {
  const grown = all2500.slice(0, 8);
  let requests = 0;
  tenant.answer = (request, response) => {
    const { searchParams } = new URL(request.url ?? "", tenant.server.url);
    const list = requests++ === 0 ? grown.slice(2) : grown;
    const skip = Number(searchParams.get("skip"));
    const data = list.slice(skip, skip + Math.min(3, Number(searchParams.get("limit"))));
    if (requests === 3) sendJson(response, wrapper(500, "internal error"), 500);
    else sendJson(response, { count: data.length, data });
  };
  expect(await ids()).toBe(8);
});

describe("findings of a service that counts wrongly, and limits what may be asked for", () => {
  it.each<[string, "page" | "most", number]>([
    ["counts those of a page", "page", 100],
    ["counts those of a page of an unusual size", "page", 73],
    ["counts those of a page as large as asked for", "page", 1_000],
    ["counts at most a thousand", "most", 1_000],
  ])("are read to their end where the service takes no small limit, and %s", async (_, counts, cap) => {
    const list = all2500.slice(0, cap + 350);
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const limit = Number(searchParams.get("limit"));
      if (limit < 10) {
        sendJson(response, wrapper(400, "limit must be at least 10"), 400);
        return;
      }
      const skip = Number(searchParams.get("skip"));
      const data = list.slice(skip, skip + Math.min(cap, limit));
      sendJson(response, { count: counts === "page" ? data.length : Math.min(cap, list.length), skip, data });
    };
    expect(await ids()).toBe(list.length);
    expect(await ids()).toBe(list.length);
  });

  it.each<[string, (shown: number) => number, number]>([
    ["counts those of a page", (shown) => shown, 100],
    ["counts those of a page as large as asked for", (shown) => shown, 1_000],
    ["counts no further than its page", () => 100, 100],
  ])("are not said to be all where the service ignores positions, and %s", async (_, count, cap) => {
    tenant.answer = (request, response) => {
      const limit = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("limit"));
      const data = all2500.slice(0, Math.min(cap, limit));
      sendJson(response, { count: count(data.length), skip: 0, data });
    };
    await expect(ids()).rejects.toThrow("keeps changing while it is read");
  });

  it("are not said to be all where the service takes no positions, and counts those of a page as large as asked for", async () => {
    tenant.answer = (request, response) => {
      const { searchParams } = new URL(request.url ?? "", tenant.server.url);
      const data = all2500.slice(0, Number(searchParams.get("limit") ?? 100));
      if (searchParams.get("skip") === "0") sendJson(response, { count: data.length, skip: 0, data });
      else sendJson(response, wrapper(400, "skip is not supported"), 400);
    };
    await expect(ids()).rejects.toThrow("skip is not supported");
  });

  it.each([
    [10, 100],
    [34, 67],
    [1_000, 100],
  ])(
    "are read to their end where pages of %i end just where the service counts no further, at %i, and one list does, too",
    async (cap, most) => {
      for (const [findingType, length] of [
        ["A", most],
        ["B", 130],
        ["C", 3],
        ["D", 130],
      ] as const) {
        tenant.answer = (request, response) => {
          const { searchParams } = new URL(request.url ?? "", tenant.server.url);
          const skip = Number(searchParams.get("skip"));
          const data = all2500.slice(skip, Math.min(length, skip + Math.min(cap, Number(searchParams.get("limit")))));
          sendJson(response, { count: Math.min(most, length), skip, data });
        };
        expect(await ids({ ...stream, findingType })).toBe(length);
      }
    },
  );
});
