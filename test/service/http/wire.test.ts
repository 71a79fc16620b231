import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "@jest/globals";
import { Deadline } from "../../../src/deadline.ts";
import { httpTransport } from "../../../src/service/http/http-transport.ts";
import { parseServerAddress } from "../../../src/service/http/server-address.ts";
import { sign } from "../../../src/service/http/signing.ts";
import { Secret } from "../../../src/service/credentials.ts";
import { clientOf, closeClients, errorOf, TOKEN_ID, TOKEN_KEY } from "../support/clients.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { sendJson, startRawServer, startServer, type Handler } from "../../support/raw-server.ts";

afterEach(closeClients);

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
    const server = await startServer(emptyList);
    await clientOf(server.url, { dialect: "bloodhound-enterprise" }).environments.list();
    expect(server.requests[0]?.headers.authorization).toBe(`bhesignature ${TOKEN_ID}`);
  });

  it("carries a JWT instead of a signature when that is what there is", async () => {
    const server = await startServer(emptyList);
    await clientOf(server.url, { credentials: { kind: "jwt", token: new Secret("aaa.bbb.ccc") } }).environments.list();
    expect(server.requests[0]?.headers.authorization).toBe("Bearer aaa.bbb.ccc");
    expect(server.requests[0]?.headers).not.toHaveProperty("signature");
  });

  it("tells the service how long it may work: the timeout, or what the run has left", async () => {
    const server = await startServer(emptyList);
    await clientOf(server.url).environments.list();
    await clientOf(server.url, { requestTimeoutSeconds: 90 }).environments.list();
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: clock.now() + 9_500 });
    await clientOf(server.url, { clock, deadline }).environments.list();
    expect(server.requests.map(({ headers }) => headers["prefer"])).toEqual(["wait=30", "wait=90", "wait=10"]);
  });

  it("asks for JSON, for the list answers could be CSV", async () => {
    const server = await startServer(emptyList);
    await clientOf(server.url).environments.list();
    expect(server.requests[0]?.headers.accept).toMatch(/^application\/json/);
  });

  it("reads compressed answers", async () => {
    const { gzipSync } = await import("node:zlib");
    const server = await startServer((_, response) => {
      const body = gzipSync(JSON.stringify({ data: [{ id: "S-1", name: "A" }] }));
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
    });
    await expect(clientOf(server.url).environments.list()).resolves.toEqual({
      environments: [{ id: "S-1", name: "A" }],
      unreadable: 0,
    });
  });
});

describe("the end of waiting", () => {
  const stall: Handler = () => undefined;
  const stallInBody: Handler = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"data": [');
  };
  const stalls: [string, Handler][] = [
    ["no answer", stall],
    ["a body that stops", stallInBody],
  ];

  /** A server that stalls and then lets this happen. */
  const serveAndThen = (handler: Handler, then: () => void) =>
    startServer((request, response, index) => {
      handler(request, response, index);
      setImmediate(then);
    });

  it.each(stalls)("is the timeout for %s", async (_, handler) => {
    const clock = new FakeClock();
    const server = await serveAndThen(handler, () => {
      clock.advance(35_000);
    });
    const error = await errorOf(clientOf(server.url, { clock }).environments.list());
    expect(error).toMatchObject({ code: "timeout", whoActs: "service" });
    expect(server.requests).toHaveLength(1);
  });

  it("is a quarter after the time that the service has, and not before", async () => {
    const clock = new FakeClock();
    const server = await serveAndThen(stall, () => {
      clock.advance(4_999);
    });
    let error: unknown = null;
    const asked = errorOf(clientOf(server.url, { clock, requestTimeoutSeconds: 4 }).environments.list());
    void asked.then((settled) => (error = settled));
    while (server.requests.length === 0) await settle();
    await settle();
    expect(error).toBeNull();
    clock.advance(1);
    await expect(asked).resolves.toMatchObject({ code: "timeout" });
  });

  it.each(stalls)("is the deadline for %s when that comes first", async (_, handler) => {
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: clock.now() + 100 });
    const server = await serveAndThen(handler, () => {
      clock.advance(100);
    });
    const error = await errorOf(clientOf(server.url, { clock, deadline }).environments.list());
    expect(error.code).toBe("deadline");
  });

  it.each(stalls)("is the stop for %s when that comes first", async (_, handler) => {
    const stop = new AbortController();
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: clock.now() + 100, stops: [stop.signal] });
    const server = await serveAndThen(handler, () => {
      stop.abort();
    });
    const error = await errorOf(clientOf(server.url, { clock, deadline }).environments.list());
    expect(error.code).toBe("aborted");
  });

  it("reaches requests that wait for their turn", async () => {
    const stop = new AbortController();
    const clock = new FakeClock();
    const deadline = new Deadline({ clock, at: null, stops: [stop.signal] });
    const server = await startServer(() => {
      stop.abort();
    });
    const service = clientOf(server.url, { clock, deadline, concurrentRequests: 1 });
    const errors = await Promise.all(Array.from({ length: 20 }, () => errorOf(service.environments.list())));
    expect(errors.map(({ code }) => code)).toEqual(Array(20).fill("aborted"));
    expect(server.requests).toHaveLength(1);
  });

  it("lets nothing be sent any more", async () => {
    const server = await startServer(emptyList);
    const clock = new FakeClock();
    const over = new Deadline({ clock, at: clock.now() - 1 });
    const stopped = new Deadline({ clock, at: null, stops: [AbortSignal.abort()] });
    const codes = [over, stopped].map(async (deadline) => {
      const { code } = await errorOf(clientOf(server.url, { clock, deadline }).environments.list());
      return code;
    });
    expect(await Promise.all(codes)).toEqual(["deadline", "aborted"]);
    expect(server.requests).toHaveLength(0);
  });
});

describe("the transport", () => {
  it.each([
    ["", (text: string) => text],
    ["gzip", (text: string) => gzipSync(text)],
  ])(
    "tells of each part of a body as it arrives, and of what comes out of a compressed one: %s",
    async (encoding, write) => {
      let finish: () => void = () => undefined;
      const server = await startServer((_, response) => {
        response.writeHead(200, { "content-encoding": encoding });
        response.write(write("x".repeat(2_000)));
        finish = () => response.end(write("y".repeat(500)));
      });
      const transport = httpTransport(parseServerAddress(server.url));
      let arrived = 0;
      const { body } = await transport.send({
        method: "GET",
        target: "/",
        headers: {},
        largestBody: 10_000,
        signal: new AbortController().signal,
        onHead: () => undefined,
        onBody: (bytes) => {
          arrived += bytes;
          if (arrived === 2_000) finish();
        },
      });
      transport.close();
      expect([arrived, body.length]).toEqual([2_500, 2_500]);
    },
  );
});
