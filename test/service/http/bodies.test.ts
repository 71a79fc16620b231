import type http from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "@jest/globals";
import { retryPolicies } from "../../../src/service/connect.ts";
import { clientOf, closeClients, errorOf } from "../support/clients.ts";
import { FakeClock, settle, skippingClock } from "../../support/fake-clock.ts";
import { sendJson, startRawServer, startServer, wrapper, type Handler } from "../../support/raw-server.ts";

afterEach(closeClients);

const options = { retryPolicy: retryPolicies.none };
const MEBIBYTE = 2 ** 20;

const environments = JSON.stringify({ data: [{ id: "S-1", name: "A" }] });
const document = `# Remediation\n${"Remove the permission. ".repeat(2_000)}`;

/** Answers with a body that is encoded as its header says. */
const encoded =
  (encoding: string, body: Buffer, headers: http.OutgoingHttpHeaders = {}): Handler =>
  (_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": encoding, ...headers }).end(body);
  };

async function documentFrom(handler: Handler): Promise<string> {
  const server = await startServer(handler);
  return clientOf(server.url, options).documents.read("T0Owns", "long_remediation");
}

/** A gigabyte of text that goes over the wire as a megabyte. */
function bomb(): Buffer {
  return Buffer.concat(Array<Buffer>(1_024).fill(gzipSync(Buffer.alloc(MEBIBYTE, "a"), { level: 9 })));
}

describe("an encoded body", () => {
  it.each([
    ["gzip", gzipSync(document)],
    ["x-gzip", gzipSync(document)],
    ["GZIP", gzipSync(document)],
    ["gzip", Buffer.concat([gzipSync(document.slice(0, 50)), gzipSync(document.slice(50))])],
    ["deflate", deflateSync(document)],
    ["deflate", deflateRawSync(document)],
    ["br", brotliCompressSync(document)],
    ["identity", Buffer.from(document)],
    ["", Buffer.from(document)],
  ])("is read: %s", async (encoding, body) => {
    await expect(documentFrom(encoded(encoding, body))).resolves.toBe(document);
  });

  it.each([
    ["gzip", gzipSync(document)],
    ["deflate", deflateSync(document)],
    ["br", brotliCompressSync(document)],
  ])("that was cut off is never taken for the whole: %s", async (encoding, body) => {
    for (const length of [1, 12, Math.floor(body.length / 2), body.length - 1]) {
      const error = await errorOf(documentFrom(encoded(encoding, body.subarray(0, length))));
      expect([length, error.code, error.retryable]).toEqual([length, "protocol", true]);
    }
  });

  it("that is damaged is a protocol error", async () => {
    const damaged = gzipSync(document);
    damaged.fill(0xff, 20, 60);
    const error = await errorOf(documentFrom(encoded("gzip", damaged)));
    expect(error).toMatchObject({ code: "protocol", message: expect.stringContaining("decompressed") });
  });

  it.each(["compress", "zstd", "gzip, br", "made-up\u00ff"])(
    "in an encoding that was not asked for is a protocol error that says so: %s",
    async (encoding) => {
      const seen: http.IncomingHttpHeaders[] = [];
      const error = await errorOf(
        documentFrom((request, response, index) => {
          seen.push(request.headers);
          encoded(encoding, Buffer.from(document))(request, response, index);
        }),
      );
      expect(error).toMatchObject({ code: "protocol", message: expect.stringContaining("encoding") });
      expect(seen[0]?.["accept-encoding"]).toBe("gzip, deflate, br");
    },
  );

  it("that is empty is empty, whatever its encoding", async () => {
    await expect(documentFrom(encoded("gzip", Buffer.alloc(0)))).resolves.toBe("");
  });
});

describe("a body that is larger than its operation needs", () => {
  it.each([
    ["a document", (at: string) => clientOf(at, options).documents.read("T0Owns", "title")],
    ["an analysis time", (at: string) => clientOf(at, options).analysis.status()],
    [
      "a sparkline",
      (at: string) => clientOf(at, options).findings.sparkline({ environmentId: "S-1", findingType: "T" }),
    ],
    ["a probe", (at: string) => clientOf(at, options).findings.newest({ environmentId: "S-1", findingType: "T" })],
    ["the list of environments", (at: string) => clientOf(at, options).environments.list()],
    ["the list of finding types", (at: string) => clientOf(at, options).findings.types("S-1")],
  ])("is refused before it is unpacked: %s", async (_, ask) => {
    const server = await startServer(encoded("gzip", bomb()));
    const before = process.memoryUsage().rss;
    const error = await errorOf(ask(server.url));
    expect(error).toMatchObject({ code: "protocol", message: expect.stringContaining("larger") });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MEBIBYTE);
  });

  it("is refused by its compressed length, also when nothing comes out of it", async () => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
      response.write(gzipSync("").subarray(0, 10));
      const emptyBlocks = Buffer.alloc(500_000, Buffer.from([0, 0, 0, 0xff, 0xff]));
      const more = (): void => {
        if (!response.destroyed) response.write(emptyBlocks, more);
      };
      more();
    });
    const error = await errorOf(clientOf(server.url, options).documents.read("T0Owns", "title"));
    expect(error).toMatchObject({ code: "protocol", message: expect.stringContaining("larger") });
  });

  it.each<[string, number, string, (url: string) => Promise<unknown>]>([
    ["a description", 1_024, "text/plain", (url) => clientOf(url, options).documents.read("T0Owns", "title")],
    ["a graph of paths", 17, "application/json", (url) => clientOf(url, options).paths.shortest("S-1-1", "S-1-2")],
  ])("is refused by its announced length without reading it: %s", async (_, mebibytes, type, read) => {
    let written = 0;
    const server = await startServer((__, response) => {
      response.writeHead(200, { "content-type": type, "content-length": mebibytes * MEBIBYTE });
      written = response.write("a") ? 1 : 0;
    });
    const error = await errorOf(read(server.url));
    expect(error).toMatchObject({ code: "protocol", message: expect.stringContaining("larger") });
    expect(written).toBe(1);
  });

  it("does not hide an error status: its beginning is read, and no more", async () => {
    const text = JSON.stringify(wrapper(401, "token expired")) + " ".repeat(10 * MEBIBYTE);
    const limited = await startServer((_, response) => {
      response.writeHead(429, { "content-type": "text/plain", "content-encoding": "gzip" }).end(bomb());
    });
    const rejected = await startServer((_, response) => {
      response.writeHead(401, { "content-type": "application/json" }).end(text);
    });
    const [first, second] = await Promise.all([
      errorOf(clientOf(limited.url, options).environments.list()),
      errorOf(clientOf(rejected.url, options).environments.list()),
    ]);
    expect([first.code, second.code]).toEqual(["rate_limited", "unauthenticated"]);
  });
});

describe("an error status", () => {
  it.each([
    ["breaks off", { "content-length": 1_000 }],
    ["is no gzip", { "content-encoding": "gzip" }],
    ["has an unknown encoding", { "content-encoding": "zstd" }],
  ])("counts although its body %s", async (_, headers) => {
    const server = await startServer((_request, response) => {
      response.writeHead(429, { "content-type": "text/plain", "retry-after": "7", ...headers });
      response.write("Limit exceeded", () => {
        if ("content-length" in headers) response.destroy();
        else response.end();
      });
    });
    const error = await errorOf(clientOf(server.url, options).environments.list());
    expect(error).toMatchObject({ code: "rate_limited", status: 429, retryAfterMs: 7_000 });
  });

  it("of 429 keeps further requests back from its head on, also where its body stalls", async () => {
    const clock = new FakeClock();
    let sent = 0;
    const server = await startServer((_, response) => {
      sent += 1;
      response.writeHead(429, { "content-type": "text/plain" }).flushHeaders();
    });
    const service = clientOf(server.url, { clock, requestsPerSecond: 1 });
    const ends = ["S-1", "S-2"].map((id) => errorOf(service.findings.types(id)));
    for (let second = 0; second < 20; second++) {
      for (let turn = 0; turn < 20; turn++) await settle();
      clock.advance(1_000);
    }
    expect((await Promise.all(ends)).map(({ code }) => code)).toEqual(["rate_limited", "rate_limited"]);
    expect(sent).toBe(1);
  });
});

describe("a status that has no body", () => {
  it.each([204, 205])("%i is no list, and an empty document", async (status) => {
    const server = await startServer((_, response) => {
      response.writeHead(status).end();
    });
    const service = clientOf(server.url, options);
    await expect(errorOf(service.environments.list())).resolves.toMatchObject({ code: "protocol" });
    await expect(service.documents.read("T0Owns", "title")).resolves.toBe("");
  });

  it.each([204, 304])("%i with a body all the same spoils no later response", async (status) => {
    const server = await startRawServer((head, socket) => {
      const isFirst = head.includes("/api/v2/available-domains");
      socket.write(
        isFirst
          ? `HTTP/1.1 ${status} Odd\r\nContent-Length: ${environments.length}\r\n\r\n${environments}`
          : `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"data":[]}`,
      );
    });
    const service = clientOf(server.url, { clock: skippingClock() });
    await expect(errorOf(service.environments.list())).resolves.toMatchObject({ code: "protocol" });
    await expect(service.findings.types("S-1")).resolves.toEqual({ types: [], unreadable: 0 });
  });

  it.each([
    [202, "a promise"],
    [206, "only a part"],
  ])("%i is %s, and never taken for the whole", async (status) => {
    const error = await errorOf(
      documentFrom((_, response) => {
        response.writeHead(status, { "content-type": "text/plain", "content-range": "bytes 0-4/100" }).end("# Rem");
      }),
    );
    expect(error).toMatchObject({ code: "protocol", status });
  });
});

describe("a length that is announced", () => {
  it("is longer than what comes: the connection was closed too early", async () => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": 100 });
      response.write("# Remediation", () => response.destroy());
    });
    const error = await errorOf(clientOf(server.url, options).documents.read("T0Owns", "title"));
    expect(error).toMatchObject({ code: "protocol", retryable: true });
  });

  it("is shorter than what comes: the rest spoils no later response", async () => {
    const server = await startRawServer((_, socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"data":[]}${environments}`,
      );
    });
    const service = clientOf(server.url, { clock: skippingClock() });
    for (let time = 0; time < 3; time++) {
      await expect(service.findings.types("S-1")).resolves.toEqual({ types: [], unreadable: 0 });
    }
  });
});

describe("a redirect that leads nowhere", () => {
  it.each([300, 301, 302, 304, 307])("is a protocol error that names the status: %i", async (status) => {
    const server = await startServer((_, response) => {
      response.writeHead(status).end();
    });
    const error = await errorOf(clientOf(server.url, options).environments.list());
    expect(error).toMatchObject({ code: "protocol", status });
    expect(error.message).not.toContain("redirects to");
  });

  it("is what a 304 is, also with an address", async () => {
    const server = await startServer((_, response) => {
      response.writeHead(304, { location: "/ui/login" }).end();
    });
    const error = await errorOf(clientOf(server.url, options).environments.list());
    expect(error).toMatchObject({ code: "protocol", status: 304 });
  });
});

it("a 429 that may be retried at once says nothing of 0 s", async () => {
  const server = await startServer((_, response) => {
    sendJson(response, wrapper(429, "Too many requests"), 429, { "retry-after": "0" });
  });
  const error = await errorOf(clientOf(server.url, options).environments.list());
  expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 0 });
  expect(error.message).not.toContain("0 s");
});
