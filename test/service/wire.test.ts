import type http from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import { sign } from "../../src/service/signing.ts";
import { Secret } from "../../src/service/credentials.ts";
import { clientOf, closeClients, errorOf, TOKEN_ID, TOKEN_KEY } from "./support/clients.ts";
import { impatientClock, jumpingClock } from "./support/fake-clock.ts";
import { sendJson, startRawServer, startServer, type Handler, type TestServer } from "./support/servers.ts";

const servers: TestServer[] = [];

async function serve(handler: Handler): Promise<TestServer> {
  const server = await startServer(handler);
  servers.push(server);
  return server;
}

afterEach(async () => {
  closeClients();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const emptyList: Handler = (_, response) => {
  sendJson(response, { data: [] });
};

describe("a request on the wire", () => {
  it("has exactly the target that was signed, whatever characters ids and names hold", async () => {
    const heads: string[] = [];
    const server = await startRawServer((head, socket) => {
      heads.push(head);
      const body = '{"data":[]}';
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
    servers.push(server);
    const service = clientOf(`${server.url}/tenant-a/`);
    const texts = ["a+b:c$d,e'f(g)h*i j", "ZOË@例え.LOCAL", "%2F/..", "..", '[]{}|\\^`"<>#?&=;!~'];
    for (const text of texts) {
      await service.objects.search({ text, types: ["User", "AZ User"] });
      await service.findings.types(text);
    }
    expect(heads).toHaveLength(2 * texts.length);
    for (const head of heads) {
      const [, method = "", target = ""] = /^(\S+) (\S+) HTTP\/1\.1\r\n/.exec(head) ?? [];
      const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, "im").exec(head)?.[1] ?? "";
      expect(target).toMatch(/^\/tenant-a\/api\/v2\/[A-Za-z0-9._~%/?=&-]+$/);
      expect(header("Authorization")).toBe(`svcsignature ${TOKEN_ID}`);
      expect(header("Signature")).toBe(sign(TOKEN_KEY, method, target, header("RequestDate")));
      expect(header("RequestDate")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    const decoded = heads
      .map((head) => /(?:\?q=([^&]*)|domains\/([^/]*)\/)/.exec(head))
      .map((m) => m?.[1] ?? m?.[2] ?? "");
    expect(decoded.map(decodeURIComponent)).toEqual(texts.flatMap((text) => [text, text]));
  });

  it("speaks the dialect's scheme word", async () => {
    const server = await serve(emptyList);
    await clientOf(server.url, { dialect: "bloodhound-enterprise" }).environments.list();
    expect(server.requests[0]?.headers.authorization).toBe(`bhesignature ${TOKEN_ID}`);
  });

  it("carries a JWT instead of a signature when that is what there is", async () => {
    const server = await serve(emptyList);
    await clientOf(server.url, { credentials: { kind: "jwt", token: new Secret("aaa.bbb.ccc") } }).environments.list();
    expect(server.requests[0]?.headers.authorization).toBe("Bearer aaa.bbb.ccc");
    expect(server.requests[0]?.headers).not.toHaveProperty("signature");
  });

  it("tells the service how long it may work: the timeout, or what the run has left", async () => {
    const server = await serve(emptyList);
    await clientOf(server.url).environments.list();
    await clientOf(server.url, { requestTimeoutSeconds: 90 }).environments.list();
    await clientOf(server.url, { deadline: Date.now() + 9_500 }).environments.list();
    expect(server.requests.map(({ headers }) => headers["prefer"])).toEqual(["wait=30", "wait=90", "wait=10"]);
  });

  it("asks for JSON, for the list answers could be CSV", async () => {
    const server = await serve(emptyList);
    await clientOf(server.url).environments.list();
    expect(server.requests[0]?.headers.accept).toMatch(/^application\/json/);
  });

  it("reads compressed answers", async () => {
    const { gzipSync } = await import("node:zlib");
    const server = await serve((_, response) => {
      const body = gzipSync(JSON.stringify({ data: [{ id: "S-1", name: "A" }] }));
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
    });
    await expect(clientOf(server.url).environments.list()).resolves.toEqual([{ id: "S-1", name: "A" }]);
  });
});

describe("connections", () => {
  it("are kept and never more than the requests at a time", async () => {
    const waiting: http.ServerResponse[] = [];
    const server = await serve((_, response) => {
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

describe("the pace", () => {
  it("goes down to what the service announces", async () => {
    const clock = jumpingClock();
    const server = await serve((_, response) => {
      sendJson(response, { data: [] }, 200, { "x-ratelimit-limit": "1" });
    });
    const service = clientOf(server.url, { clock });
    const started = clock.now();
    for (let request = 0; request < 4; request++) await service.environments.list();
    expect(clock.now() - started).toBeGreaterThan(3_000);
  });
});

describe("lost connections", () => {
  it("are tried again twice for a GET, each time signed anew", async () => {
    const clock = impatientClock();
    const server = await serve((_, response, index) => {
      if (index < 2) response.destroy();
      else sendJson(response, { data: [{ id: "S-1" }] });
    });
    await expect(clientOf(server.url, { clock }).environments.list()).resolves.toEqual([{ id: "S-1" }]);
    const dates = server.requests.map(({ headers }) => headers["requestdate"]);
    const signatures = server.requests.map(({ method, target }, index) =>
      sign(TOKEN_KEY, method, target, String(dates[index])),
    );
    expect(server.requests.map(({ headers }) => headers["signature"])).toEqual(signatures);
    expect(clock.sleeps).toHaveLength(2);
  });

  it("are tried again when the body broke off", async () => {
    const server = await serve((_, response, index) => {
      if (index > 0) {
        sendJson(response, { data: [] });
        return;
      }
      response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
      response.write('{"data":', () => {
        response.destroy();
      });
    });
    await expect(clientOf(server.url, { clock: impatientClock() }).environments.list()).resolves.toEqual([]);
  });

  it("end in an error that says so after the third", async () => {
    const server = await serve((_, response) => {
      response.destroy();
    });
    const error = await errorOf(clientOf(server.url, { clock: impatientClock() }).environments.list());
    expect(error).toMatchObject({
      code: "network",
      whoActs: "administrator",
      method: "GET",
      path: "/api/v2/available-domains",
    });
    expect(server.requests).toHaveLength(3);
  });

  it("end in a protocol error when the body breaks off each time", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
      response.write('{"data":[]}', () => {
        response.destroy();
      });
    });
    const error = await errorOf(clientOf(server.url, { clock: impatientClock() }).environments.list());
    expect(error).toMatchObject({ code: "protocol", message: expect.stringContaining("broke off") });
    expect(server.requests).toHaveLength(3);
  });

  it("are not tried again for a deletion", async () => {
    const server = await serve((_, response) => {
      response.destroy();
    });
    const error = await errorOf(clientOf(server.url, { clock: impatientClock() }).sso.deleteSsoProvider(7));
    expect(error.code).toBe("network");
    expect(server.requests.map(({ method }) => method)).toEqual(["DELETE"]);
  });

  it("are not tried again when the pause would outlast the run", async () => {
    const server = await serve((_, response) => {
      response.destroy();
    });
    const service = clientOf(server.url, { deadline: Date.now() + 200, random: () => 0.99 });
    await expect(errorOf(service.environments.list())).resolves.toMatchObject({ code: "network" });
    expect(server.requests).toHaveLength(1);
  });

  it("name a server that refuses connections", async () => {
    const server = await serve(emptyList);
    await server.close();
    const error = await errorOf(clientOf(server.url, { clock: impatientClock() }).environments.list());
    expect(error).toMatchObject({ code: "network", cause: { code: "ECONNREFUSED" } });
    expect(error.message).toContain("Check Server");
  });
});

describe("the end of waiting", () => {
  const stall: Handler = () => undefined;
  const stallInBody: Handler = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"data": [');
  };

  it.each([
    ["no answer", stall],
    ["a body that stops", stallInBody],
  ])("is the timeout for %s", async (_, handler) => {
    const server = await serve(handler);
    const error = await errorOf(clientOf(server.url, { requestTimeoutSeconds: 0.1 }).environments.list());
    expect(error).toMatchObject({ code: "timeout", whoActs: "service" });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["no answer", stall],
    ["a body that stops", stallInBody],
  ])("is the deadline for %s when that comes first", async (_, handler) => {
    const server = await serve(handler);
    const error = await errorOf(clientOf(server.url, { deadline: Date.now() + 100 }).environments.list());
    expect(error.code).toBe("deadline");
  });

  it.each([
    ["no answer", stall],
    ["a body that stops", stallInBody],
  ])("is the abort for %s when that comes first", async (_, handler) => {
    const abort = new AbortController();
    const server = await serve((request, response, index) => {
      handler(request, response, index);
      setImmediate(() => {
        abort.abort();
      });
    });
    const error = await errorOf(clientOf(server.url, { signal: abort.signal }).environments.list());
    expect(error.code).toBe("aborted");
  });

  it("reaches requests that wait for their turn", async () => {
    const abort = new AbortController();
    const server = await serve(() => {
      abort.abort();
    });
    const service = clientOf(server.url, { signal: abort.signal, concurrentRequests: 1 });
    const errors = await Promise.all(Array.from({ length: 20 }, () => errorOf(service.environments.list())));
    expect(errors.map(({ code }) => code)).toEqual(Array(20).fill("aborted"));
    expect(server.requests).toHaveLength(1);
  });

  it("lets nothing be sent any more", async () => {
    const server = await serve(emptyList);
    await expect(
      errorOf(clientOf(server.url, { deadline: Date.now() - 1 }).environments.list()),
    ).resolves.toMatchObject({
      code: "deadline",
    });
    await expect(
      errorOf(clientOf(server.url, { signal: AbortSignal.abort() }).environments.list()),
    ).resolves.toMatchObject({
      code: "aborted",
    });
    expect(server.requests).toHaveLength(0);
  });

  it("called by a signal at the deadline is the deadline", async () => {
    const server = await serve(stall);
    const deadline = Date.now() + 100;
    const error = await errorOf(
      clientOf(server.url, { signal: AbortSignal.timeout(90), deadline }).environments.list(),
    );
    expect(error.code).toBe("deadline");
  });
});
