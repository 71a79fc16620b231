import { afterEach, describe, expect, it } from "@jest/globals";
import { AttackPathClient, BadRequestError } from "../../src/client/index.ts";
import { sendJson, startServer, wrapper } from "../support/raw-server.ts";

const stream = { environmentId: "S-1", findingType: "T0Owns" };

const clients: AttackPathClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

/** A service that rejects the filter. */
async function start() {
  const data = ["2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "0001-01-01T00:00:00Z"].map((created_at, id) => ({
    id,
    created_at,
  }));
  const server = await startServer((request, response) => {
    if (request.url?.includes("created_at=") === true) sendJson(response, wrapper(400, "invalid filter"), 400);
    else sendJson(response, { count: data.length, data });
  });
  const client = new AttackPathClient({
    server: server.url,
    credentials: { tokenId: "id", tokenKey: "canary-token-key-7c1d" },
  });
  clients.push(client);
  const read = async (createdFrom: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const finding of client.findings({ ...stream, createdFrom })) ids.push(finding.finding_id);
    return ids;
  };
  return { server, client, read };
}

describe("createdFrom", () => {
  it("leaves out older findings although the service rejects the filter, and keeps those without a usable time", async () => {
    const { read } = await start();
    await expect(read("2026-02-01T00:00:00Z")).resolves.toEqual(["1", "2"]);
  });

  it("is compared to the millisecond", async () => {
    const { read } = await start();
    await expect(read("2026-03-01T00:00:00.0009Z")).resolves.toEqual(["1", "2"]);
    await expect(read("2026-03-01T00:00:00.001Z")).resolves.toEqual(["2"]);
  });

  it("is refused before anything is listed when the findings of all environments are asked for", async () => {
    const { server, client } = await start();
    const all = client.allFindings({ createdFrom: "2026-02-01" });
    await expect(all.next()).rejects.toThrow(BadRequestError);
    expect(server.requests).toHaveLength(0);
  });

  it.each(["yesterday", "2026-02-01", "2026-02-01T00:00:00+02:00", "2026-02-30T00:00:00Z"])(
    "is refused before a request is sent when it is no instant in UTC: %s",
    async (createdFrom) => {
      const { server, read } = await start();
      await expect(read(createdFrom)).rejects.toThrow(BadRequestError);
      expect(server.requests).toHaveLength(0);
    },
  );
});
