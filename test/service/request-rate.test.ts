import type http from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import { startTenant } from "../support/tenant.ts";
import { Secret } from "../../src/service/credentials.ts";
import { clientOf, closeClients, errorOf } from "./support/clients.ts";
import { FakeClock, skippingClock, settle } from "../support/fake-clock.ts";
import { sendJson, startServer, type TestServer } from "../support/raw-server.ts";

/** A server that never answers what concerns the environment `hung`, and everything else at once. */
const serveSome = () =>
  startServer((request, response) => {
    if (request.url?.includes("/hung/") !== true) sendJson(response, { data: [] });
  });

async function arrived(server: TestServer, requests: number): Promise<void> {
  while (server.requests.length < requests) await settle();
}

afterEach(closeClients);

describe("the pace", () => {
  it("goes down to what the service announces", async () => {
    const clock = skippingClock();
    const server = await startServer((_, response) => {
      sendJson(response, { data: [] }, 200, { "x-ratelimit-limit": "1" });
    });
    const service = clientOf(server.url, { clock });
    const started = clock.now();
    for (let request = 0; request < 4; request++) await service.environments.list();
    expect(clock.now() - started).toBeGreaterThan(3_000);
  });

  it("by default never meets the limit of a tenant that enforces 55 requests a second", async () => {
    const tenant = await startTenant({ rateLimit: { perSecond: 55 }, latencyMs: 5 });
    const service = clientOf(tenant.url, {
      credentials: { kind: "token", id: tenant.tokenId, key: new Secret(tenant.tokenKey) },
    });
    await Promise.all(Array.from({ length: 120 }, () => service.environments.list()));
    expect(tenant.requests.map(({ status }) => status)).toEqual(Array(120).fill(200));
  });
});

describe("connections", () => {
  it("are kept and never more than the requests at a time", async () => {
    const waiting: http.ServerResponse[] = [];
    const server = await startServer((_, response) => {
      waiting.push(response);
      setImmediate(() => {
        for (const next of waiting.splice(0)) sendJson(next, { data: [] });
      });
    });
    const service = clientOf(server.url, { concurrentRequests: 4 });
    await Promise.all(Array.from({ length: 40 }, () => service.environments.list()));
    expect(server.requests).toHaveLength(40);
    expect(server.connections).toBeLessThanOrEqual(4);
  });
});

describe("requests that hang", () => {
  it("hold up the others for a second, and not until their timeout", async () => {
    const clock = new FakeClock();
    const server = await serveSome();
    const service = clientOf(server.url, { clock });
    const hung = Array.from({ length: 8 }, () => errorOf(service.findings.types("hung")));
    await arrived(server, 8);
    const others = Promise.all(Array.from({ length: 8 }, () => service.findings.types("other")));
    await settle();
    expect(server.requests).toHaveLength(8);
    clock.advance(1_000);
    await others;
    clock.advance(34_000);
    expect((await Promise.all(hung)).map(({ code }) => code)).toEqual(Array(8).fill("timeout"));
  });

  it("are given up, the longest wait first, when they hold every connection and others wait", async () => {
    const clock = new FakeClock();
    const server = await serveSome();
    const service = clientOf(server.url, { clock, requestsPerSecond: 1_000, concurrentRequests: 64 });
    const given: string[] = [];
    for (let index = 0; index < 64; index++) {
      void errorOf(service.findings.types("hung")).then(({ message }) => given.push(message));
    }
    await arrived(server, 64);
    clock.advance(1_999);
    const other = service.findings.types("other");
    await settle();
    expect(given).toEqual([]);
    clock.advance(1);
    await other;
    expect(given).toEqual([
      expect.stringContaining("No complete response arrived within 2 s while other requests were waiting"),
    ]);
    expect(server.requests).toHaveLength(65);
  });
});
