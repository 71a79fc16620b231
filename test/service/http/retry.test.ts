import type http from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Deadline } from "../../../src/deadline.ts";
import { retryPolicies } from "../../../src/service/connect.ts";
import { BrokenBodyError } from "../../../src/service/errors/connection-errors.ts";
import { ServerError } from "../../../src/service/errors/errors.ts";
import { retryDelayMs } from "../../../src/service/http/retry-policy.ts";
import { sign } from "../../../src/service/http/signing.ts";
import { clientOf, closeClients, errorOf, recordingLog, TOKEN_KEY } from "../support/clients.ts";
import { FakeClock, skippingClock } from "../../support/fake-clock.ts";
import { jsonAnswer, networkOf } from "../support/networks.ts";
import { sendJson, startServer, wrapper, type Handler } from "../../support/raw-server.ts";

afterEach(closeClients);

const drop: Handler = (_, response) => {
  response.destroy();
};
const breakOff: Handler = (_, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
  response.write('{"data":[]}', () => {
    response.destroy();
  });
};
const status =
  (code: number, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    sendJson(response, wrapper(code, "not now"), code, headers);
  };
const succeed: Handler = (_, response) => {
  sendJson(response, { data: [{ id: "S-1" }] });
};

const temporary: [string, Handler][] = [
  ["a dropped connection", drop],
  ["a body that broke off", breakOff],
  ...[408, 502, 503, 504].map((code): [string, Handler] => [String(code), status(code)]),
];

describe("a GET", () => {
  it.each(temporary)("is retried twice after %s, each time signed anew", async (_, fail) => {
    const clock = skippingClock();
    const server = await startServer((request, response, index) => {
      (index < 2 ? fail : succeed)(request, response, index);
    });
    await expect(clientOf(server.url, { clock }).environments.list()).resolves.toEqual({
      environments: [{ id: "S-1" }],
      unreadable: 0,
    });
    const dates = server.requests.map(({ headers }) => String(headers["requestdate"]));
    expect(new Set(dates).size).toBe(3);
    expect(server.requests.map(({ headers }) => headers["signature"])).toEqual(
      dates.map((date) => sign(TOKEN_KEY, "GET", "/api/v2/available-domains", date)),
    );
  });

  it.each(temporary)("ends in the error of the third attempt when %s lasts", async (_, fail) => {
    const log = recordingLog();
    const server = await startServer(fail);
    const error = await errorOf(clientOf(server.url, { clock: skippingClock(), log }).environments.list());
    expect(error).toMatchObject({ method: "GET", path: "/api/v2/available-domains", retryable: true });
    expect(server.requests).toHaveLength(3);
    expect(log.lines.filter(({ level }) => level === "info")).toHaveLength(2);
    expect(log.lines.filter(({ level }) => level === "warn").length).toBeLessThanOrEqual(1);
  });

  it.each([400, 401, 403, 404, 409, 429, 500, 501])("is not retried after %i", async (code) => {
    const server = await startServer(status(code, { "retry-after": "1" }));
    await errorOf(clientOf(server.url, { clock: skippingClock() }).environments.list());
    expect(server.requests).toHaveLength(1);
  });

  it.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"])(
    "is retried after %s, before its response or in the middle of it",
    async (code) => {
      const fault = Object.assign(new Error(code), { code });
      const transport = networkOf((_, index) => {
        if (index === 0) throw fault;
        if (index === 1) throw new BrokenBodyError(fault);
        return jsonAnswer({ data: [] });
      });
      const service = clientOf("https://tenant.example.com", { transport, clock: skippingClock() });
      await expect(service.environments.list()).resolves.toEqual({ environments: [], unreadable: 0 });
      expect(transport.requests).toHaveLength(3);
    },
  );

  it("is retried on a new connection when the idle ones turn out to be dead, however many they are", async () => {
    const waiting: http.ServerResponse[] = [];
    const used = new Set<unknown>();
    const server = await startServer((request, response, index) => {
      const { socket } = request;
      if (used.has(socket)) {
        socket.resetAndDestroy();
        return;
      }
      used.add(socket);
      waiting.push(response);
      if (index >= 7) for (const next of waiting.splice(0)) sendJson(next, { data: [] });
    });
    const service = clientOf(server.url, { clock: skippingClock() });
    await Promise.all(Array.from({ length: 8 }, () => service.environments.list()));
    await service.environments.list();
    expect(server.requests).toHaveLength(8 + 2);
    expect(server.connections).toBe(8 + 1);
  });

  it.each([1, 3])(
    "meets connections that are closed without a word after %i responses, which costs no retry",
    async (most) => {
      const served = new Map<unknown, number>();
      const server = await startServer(({ socket }, response) => {
        const before = served.get(socket) ?? 0;
        served.set(socket, before + 1);
        if (before === most) socket.resetAndDestroy();
        else sendJson(response, { data: [] });
      });
      const service = clientOf(server.url, { requestsPerSecond: 10_000, retryPolicy: retryPolicies.none });
      const requests = Array.from({ length: 60 }, (_, index) => [
        service.findings.types(`S-${index}`),
        // An optional one.
        service.findings.sparkline({ environmentId: `S-${index}`, findingType: "T" }),
      ]);
      await expect(Promise.all(requests.flat())).resolves.toHaveLength(120);
    },
  );

  it("waits for longer before the second retry, somewhere in the whole of the range", async () => {
    const server = await startServer(drop);
    const random = [0.999, 0.999];
    const clock = skippingClock();
    await errorOf(clientOf(server.url, { clock, random: () => random.pop() ?? 0 }).environments.list());
    expect(clock.sleeps).toEqual([249.75, 499.5]);
  });

  it("waits as long as Retry-After says, in seconds or as a date by the service's own clock", async () => {
    const headers = [
      { "retry-after": "7" },
      { "retry-after": "Thu, 20 Aug 2026 14:05:15 GMT", date: "Thu, 20 Aug 2026 14:05:06 GMT" },
    ];
    const clock = skippingClock();
    const server = await startServer((request, response, index) => {
      (index < 2 ? status(503, headers[index]) : succeed)(request, response, index);
    });
    await clientOf(server.url, { clock, random: () => 0 }).environments.list();
    expect(clock.sleeps).toEqual([7_000, 9_000]);
  });

  it.each([
    ["a deadline", "60", 59_000],
    ["what a request may take", "31", 600_000],
  ])("is not retried when Retry-After is later than %s", async (_, retryAfter, timeMs) => {
    const clock = new FakeClock();
    const server = await startServer(status(503, { "retry-after": retryAfter }));
    const deadline = new Deadline({ clock, at: clock.now() + timeMs });
    const error = await errorOf(clientOf(server.url, { clock, deadline }).environments.list());
    expect(error).toMatchObject({ code: "server", status: 503, retryAfterMs: Number(retryAfter) * 1000 });
    expect(server.requests).toHaveLength(1);
  });

  it("is not retried when the delay would outlast the run", async () => {
    const server = await startServer(drop);
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: clock.now() + 200 });
    const service = clientOf(server.url, { clock, deadline, random: () => 0.99 });
    await expect(errorOf(service.environments.list())).resolves.toMatchObject({ code: "network" });
    expect(server.requests).toHaveLength(1);
  });

  it("ends with the run when that is stopped during the delay", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const deadline = new Deadline({ clock, at: null, stops: [stop.signal] });
    const server = await startServer(drop);
    const asked = errorOf(clientOf(server.url, { clock, deadline }).environments.list());
    while (server.requests.length === 0 || !clock.busy) await new Promise(setImmediate);
    stop.abort();
    await expect(asked).resolves.toMatchObject({ code: "aborted" });
    expect(server.requests).toHaveLength(1);
  });

  it("is not retried under the policy that says so", async () => {
    const server = await startServer(drop);
    await errorOf(clientOf(server.url, { retryPolicy: retryPolicies.none }).environments.list());
    expect(server.requests).toHaveLength(1);
  });

  it("names a server that refuses connections", async () => {
    const server = await startServer(succeed);
    await server.close();
    const error = await errorOf(clientOf(server.url, { clock: skippingClock() }).environments.list());
    expect(error).toMatchObject({ code: "network", cause: { code: "ECONNREFUSED" } });
  });
});

it.each(temporary)("a deletion is never retried, not after %s either", async (_, fail) => {
  const server = await startServer(fail);
  await errorOf(clientOf(server.url, { clock: skippingClock() }).sso.deleteSsoProvider(7));
  expect(server.requests.map(({ method }) => method)).toEqual(["DELETE"]);
});

it("a request that makes the server close each connection is sent on a new one once", async () => {
  const server = await startServer(({ url = "", socket }, response) => {
    if (url.includes("sparkline")) socket.resetAndDestroy();
    else sendJson(response, { data: [] });
  });
  const service = clientOf(server.url);
  await service.findings.types("S-1");
  const error = await errorOf(service.findings.sparkline({ environmentId: "S-1", findingType: "T" }));
  expect([error.code, server.requests.length]).toEqual(["network", 3]);
});

it("a deletion is sent once, also on a connection that had been closed", async () => {
  const server = await startServer(({ method, socket }, response) => {
    if (method === "DELETE") socket.resetAndDestroy();
    else sendJson(response, { data: [] });
  });
  const service = clientOf(server.url, { clock: skippingClock() });
  await service.findings.types("S-1");
  await expect(errorOf(service.sso.deleteSsoProvider(7))).resolves.toMatchObject({ code: "network" });
  expect(server.requests.map(({ method }) => method)).toEqual(["GET", "DELETE"]);
});

it("no delay is longer than the run or than the policy allows, and no request is sent more than three times", () => {
  const policy = retryPolicies.standard;
  fc.assert(
    fc.property(
      fc.nat(5),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.option(fc.nat(100_000)),
      fc.nat(100_000),
      (retries, random, retryAfterMs, remainingMs) => {
        const error = new ServerError("failed", { whoActs: "service", retryable: true, retryAfterMs });
        const delayMs = retryDelayMs(policy, { method: "GET", error, retries, remainingMs, random });
        if (retries >= 2) expect(delayMs).toBeNull();
        if (delayMs === null) return;
        expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
        expect(delayMs).toBeLessThan(remainingMs);
        expect(delayMs).toBeLessThan((retryAfterMs ?? 0) + 1_000);
        expect(delayMs).toBeLessThan(policy.longestRetryAfterMs + 1_000);
      },
    ),
  );
});
