import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { AttackPathClient, type ServiceError } from "../../src/client/index.ts";
import { sendJson, startServer, type TestServer } from "../support/raw-server.ts";

/** What the service lists, how many of that a page holds, and whether it counts. */
const service = { list: [] as unknown[], size: 2, counts: true, ignoresSkip: false };
let server: TestServer;
let client: AttackPathClient;

beforeEach(async () => {
  Object.assign(service, { list: [], size: 2, counts: true, ignoresSkip: false });
  server = await startServer((request, response) => {
    const query = new URL(request.url ?? "", "http://localhost").searchParams;
    const skip = service.ignoresSkip ? 0 : Number(query.get("skip"));
    const { list, size, counts } = service;
    sendJson(response, { ...(counts && { count: list.length }), data: list.slice(skip, skip + size) });
  });
  client = new AttackPathClient({ server: server.url, credentials: { bearerToken: "t" }, requestsPerSecond: 10_000 });
});
afterEach(() => {
  client.close();
});

const lists = {
  search: () => client.search("name"),
  "related objects": () => client.relatedToDirectoryObject("users", "S-1", "memberships"),
  "related cloud objects": () => client.relatedToCloudObject("users", "0a", "roles"),
};

/** What a list gives, and the error that it ends in. */
async function read(list: AsyncIterable<unknown>): Promise<{ given: unknown[]; error: ServiceError | null }> {
  const given: unknown[] = [];
  try {
    for await (const each of list) given.push(each);
  } catch (error) {
    return { given, error: error as ServiceError };
  }
  return { given, error: null };
}

/** The same object as a search lists it, and as a list of related ones does. */
const object = (id: number) => ({ objectid: `S-${id}`, objectID: `S-${id}`, name: `NAME ${id}` });

describe.each(Object.entries(lists))("a list of the client: %s", (_, list) => {
  it.each([
    [1, true],
    [1, false],
    [2, true],
    [2, false],
    [3, false],
  ])("is read to its end in pages of %i (counted: %j), each object once", async (size, counts) => {
    Object.assign(service, { size, counts, list: [1, 2, 3, 4, 5].map(object) });
    const { given, error } = await read(list());
    expect(error).toBeNull();
    expect(given).toHaveLength(5);
  });

  it.each([true, false])(
    "goes on behind entries that name no object, and counts them (counted: %j)",
    async (counts) => {
      const nameless = [
        { objectID: "", type: "A" },
        { type: "B", label: "B" },
      ];
      Object.assign(service, { counts, list: [object(1), ...nameless, object(2), object(3)] });
      const { given, error } = await read(list());
      expect(given).toHaveLength(3);
      expect(error).toMatchObject({ code: "protocol", message: expect.stringMatching(/without .*: 2\./) });
    },
  );

  it.each([true, false])(
    "gives nothing twice when the service sends one page for ever (counted: %j)",
    async (counts) => {
      Object.assign(service, { counts, ignoresSkip: true, list: [1, 2, 3].map(object) });
      const { given, error } = await read(list());
      expect(given).toHaveLength(2);
      expect(error).toMatchObject({ code: "protocol" });
      expect(server.requests.length).toBeLessThan(12);
    },
  );
});

describe("environments of the client", () => {
  it("come as far as the service lists them, and then the list rejects", async () => {
    Object.assign(service, { ignoresSkip: true, list: [{ id: "S-1" }, { id: "S-2" }, { id: "S-3" }] });
    const { given, error } = await read(client.environments());
    expect(given).toMatchObject([{ id: "S-1" }, { id: "S-2" }]);
    expect(error).toMatchObject({ code: "protocol" });
  });
});
