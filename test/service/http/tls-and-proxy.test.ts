import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { selfSignedCertificate, type CertificateOptions } from "../../../sandbox/tenant/index.ts";
import { Deadline } from "../../../src/deadline.ts";
import { ConnectionPool } from "../../../src/service/http/connection-pool.ts";
import { parseServerAddress } from "../../../src/service/http/server-address.ts";
import { withEnvironment } from "../../support/environment.ts";
import { FakeClock, skippingClock } from "../../support/fake-clock.ts";
import { rootDir } from "../../support/package.ts";
import { type Handler, sendJson, startRawServer, startServer, type TestServer } from "../../support/raw-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { clientOf, closeClients, errorOf, recordingLog, TOKEN_KEY } from "../support/clients.ts";

const run = promisify(execFile);
const folder = temporaryFolder();
const program = join(folder, "ask.mjs");

/** Bundled once, because each process would otherwise compile all sources again. */
beforeAll(async () => {
  await build({
    entryPoints: [join(rootDir, "test/service/support/ask.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "silent",
  });
});

/** A certificate that is its own authority, made for this run. */
function makeCertificate(name: string, options: CertificateOptions): { key: string; cert: string; file: string } {
  const certificate = selfSignedCertificate(options);
  const file = join(folder, `${name}.crt`);
  writeFileSync(file, certificate.cert);
  return { ...certificate, file };
}

interface Outcome {
  environments?: unknown[];
  error?: { code: string; message: string; whoActs: string };
}

/** What a process with these environment variables gets from the server: Node.js reads those on TLS by itself. */
async function ask(server: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const { stdout } = await run(process.execPath, [program, server], {
    cwd: rootDir,
    env: { PATH: process.env["PATH"], ...env },
  });
  return outcomeIn(stdout);
}

/** The same in this process, where no authority is trusted but the usual ones. */
async function askHere(server: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const list = () => clientOf(server, { clock: skippingClock() }).environments.list();
  const outcome = withEnvironment(env, list).catch((error: unknown) => ({ error }));
  return outcomeIn(JSON.stringify(await outcome));
}

function outcomeIn(json: string): Outcome {
  expect(json).not.toContain(TOKEN_KEY);
  return JSON.parse(json) as Outcome;
}

interface ProxyOptions {
  /** Answers every CONNECT like this. */
  refuse?: { status: number; body: string };
  /** Where every tunnel ends, whatever was asked for. */
  leadsTo?: TestServer;
}

/** A proxy that opens tunnels. */
function startProxy({ refuse, leadsTo }: ProxyOptions = {}): Promise<TestServer & { heads: string[] }> {
  const heads: string[] = [];
  return startRawServer((head, socket) => {
    heads.push(head);
    if (refuse) {
      socket.end(
        `HTTP/1.1 ${refuse.status} No\r\nContent-Type: application/json\r\nContent-Length: ${refuse.body.length}\r\n\r\n${refuse.body}`,
      );
      return;
    }
    const [, host = "", port = ""] = /^CONNECT (\S+):(\d+) /.exec(head) ?? [];
    socket.removeAllListeners("data");
    const upstream = net.connect(leadsTo?.port ?? Number(port), leadsTo ? "127.0.0.1" : host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
  }).then((proxy) => Object.assign(proxy, { heads }));
}

/** Also of a connection that is reset. */
function closeOf(socket: net.Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => {
      resolve();
    });
  });
}

describe("https", () => {
  const open: TestServer[] = [];
  let certificate: ReturnType<typeof makeCertificate>;
  let server: TestServer;

  beforeAll(async () => {
    certificate = makeCertificate("good", { names: ["localhost"] });
    server = await startServer((_, response) => {
      sendJson(response, { data: [{ id: "S-1" }] });
    }, certificate);
  });

  afterEach(async () => {
    server.requests.length = 0;
    closeClients();
    await Promise.all(open.splice(0).map((other) => other.close()));
  });

  afterAll(() => server.close());

  const trusting = () => ({ NODE_EXTRA_CA_CERTS: certificate.file });

  async function proxyWith(options?: ProxyOptions): Promise<Awaited<ReturnType<typeof startProxy>>> {
    const proxy = await startProxy(options);
    open.push(proxy);
    return proxy;
  }

  it("trusts an authority that NODE_EXTRA_CA_CERTS names", async () => {
    await expect(ask(server.url, trusting())).resolves.toEqual({ environments: [{ id: "S-1" }] });
  });

  it("refuses a certificate that signed itself, and says what to do", async () => {
    const { error } = await askHere(server.url);
    expect(error).toMatchObject({ code: "tls", whoActs: "administrator" });
    expect(error?.message).toMatch(/CA Certificate File.* NODE_EXTRA_CA_CERTS/);
    expect(server.requests).toHaveLength(0);
  });

  it("cannot be talked out of it by NODE_TLS_REJECT_UNAUTHORIZED", async () => {
    const { error } = await ask(server.url, { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(error?.code).toBe("tls");
    expect(server.requests).toHaveLength(0);
  });

  it("refuses a certificate of another host", async () => {
    const other = makeCertificate("other", { names: ["elsewhere.example"], addresses: [] });
    const wrong = await startServer((_, response) => {
      sendJson(response, { data: [] });
    }, other);
    open.push(wrong);
    const { error } = await ask(wrong.url, { NODE_EXTRA_CA_CERTS: other.file });
    expect(error?.code).toBe("tls");
    expect(error?.message).toContain("another host name");
  });

  it("says that a server requires a client certificate, and not that nothing was sent", async () => {
    const strict = await startServer(
      (_, response) => {
        sendJson(response, { data: [] });
      },
      { ...certificate, requestCert: true, rejectUnauthorized: true },
    );
    open.push(strict);
    const { error } = await ask(strict.url, trusting());
    expect(error?.code).toBe("tls");
    expect(error?.message).toContain("requires a client certificate");
    expect(error?.message).not.toContain("Nothing was sent");
    expect(strict.requests).toHaveLength(0);
  });

  it("says so when the server does not speak TLS", async () => {
    const plain = await startServer((_, response) => {
      sendJson(response, { data: [] });
    });
    open.push(plain);
    const { error } = await askHere(plain.url.replace("http:", "https:"));
    expect(error?.code).toBe("tls");
    expect(plain.requests).toHaveLength(0);
  });

  it("goes through the tunnel of HTTPS_PROXY, which sees no header of the request", async () => {
    const proxy = await proxyWith();
    const outcome = await ask(server.url, { ...trusting(), HTTPS_PROXY: proxy.url.replace("//", "//user:pass@") });
    expect(outcome).toEqual({ environments: [{ id: "S-1" }] });
    expect(proxy.heads).toHaveLength(1);
    expect(proxy.heads[0]).toMatch(new RegExp(`^CONNECT 127\\.0\\.0\\.1:${server.port} HTTP/1\\.1`));
    expect(proxy.heads[0]).toContain(`Proxy-Authorization: Basic ${Buffer.from("user:pass").toString("base64")}`);
    expect(proxy.heads[0]).not.toMatch(/svcsignature|RequestDate|\nSignature/i);
    expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  it("verifies the server's certificate behind a proxy too", async () => {
    const proxy = await proxyWith();
    const { error } = await ask(server.url, { HTTPS_PROXY: proxy.url, NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(error?.code).toBe("tls");
    expect(server.requests).toHaveLength(0);
  });

  it("checks the certificate behind a proxy against the IP address that was asked for, not against the proxy's name", async () => {
    const respond: Handler = (_, response) => {
      sendJson(response, { data: [] });
    };
    const byAddress = makeCertificate("address", { names: [], addresses: ["127.0.0.1"] });
    const byName = makeCertificate("name", { names: ["localhost"], addresses: [] });
    const [right, wrong] = await Promise.all([startServer(respond, byAddress), startServer(respond, byName)]);
    open.push(right, wrong);
    const { url } = await proxyWith();
    for (const HTTPS_PROXY of [url, url.replace("127.0.0.1", "localhost")]) {
      const env = (file: string) => ({ NODE_EXTRA_CA_CERTS: file, HTTPS_PROXY });
      await expect(ask(right.url, env(byAddress.file))).resolves.toEqual({ environments: [] });
      const { error } = await ask(wrong.url, env(byName.file));
      expect(error?.code).toBe("tls");
      expect(error?.message).toMatch(/another host name.*Check Server/);
    }
    expect(wrong.requests).toHaveLength(0);
  });

  it("speaks the dialect of BloodHound Enterprise from the first request where the host name says so", async () => {
    const host = "demo.bloodhoundenterprise.io";
    const enterprise = makeCertificate("enterprise", { names: [host], addresses: [] });
    const tenant = await startServer((_, response) => {
      sendJson(response, { data: [] });
    }, enterprise);
    open.push(tenant);
    const proxy = await proxyWith({ leadsTo: tenant });
    const env = { NODE_EXTRA_CA_CERTS: enterprise.file, HTTPS_PROXY: proxy.url };
    await expect(ask(`${host.toUpperCase()}./ui/explore?x=1`, env)).resolves.toEqual({ environments: [] });
    expect(tenant.requests).toHaveLength(1);
    expect(tenant.requests[0]).toMatchObject({
      target: "/api/v2/available-domains",
      headers: { host, authorization: expect.stringMatching(/^bhesignature /) },
    });
  });

  it("goes straight where NO_PROXY says so", async () => {
    const proxy = await proxyWith();
    const outcome = await ask(server.url, { ...trusting(), HTTPS_PROXY: proxy.url, NO_PROXY: "example.com,127.0.0.1" });
    expect(outcome.environments).toHaveLength(1);
    expect(proxy.heads).toEqual([]);
  });

  it.each([
    [407, "user name and password"],
    [403, "Check HTTPS_PROXY"],
    [502, "Check HTTPS_PROXY"],
  ])("does not take the proxy's %i for an answer of the service", async (status, advice) => {
    const proxy = await proxyWith({ refuse: { status, body: '{"errors":[{"message":"path not found"}]}' } });
    const { error } = await askHere(server.url, { HTTPS_PROXY: proxy.url });
    expect(error?.code).toBe("network");
    expect(error?.message).toContain(`(status ${status})`);
    expect(error?.message).toContain(advice);
    expect(server.requests).toHaveLength(0);
  });

  it("says whether the proxy wants a password, or refuses the one that it got", async () => {
    const { url } = await proxyWith({ refuse: { status: 407, body: "" } });
    const said = async (proxy: string) => (await askHere(server.url, { HTTPS_PROXY: proxy })).error?.message;
    expect(await said(url)).toContain("The proxy requires a user name and password (status 407).");
    expect(await said(url.replace("//", "//user:wrong@"))).toContain(
      "The proxy refuses this user name and password (status 407). The request did not reach the service. Correct them in HTTPS_PROXY.",
    );
  });

  it.each(["http://127.0.0.1:1", "http://proxy.invalid:3128"])(
    "says that there is no connection to the proxy %s",
    async (proxy) => {
      const { error } = await askHere(server.url, { HTTPS_PROXY: proxy });
      expect(error).toMatchObject({ code: "network", whoActs: "administrator" });
      expect(error?.message).toMatch(/^There is no connection to the proxy \(E[A-Z_]+\)\..* Check HTTPS_PROXY, /);
    },
  );

  it("tries a proxy again that closes the connection instead of an answer", async () => {
    let connects = 0;
    const proxy = await startRawServer((_, socket) => {
      connects++;
      socket.end();
    });
    open.push(proxy);
    const { error } = await askHere(server.url, { HTTPS_PROXY: proxy.url });
    expect(error?.code).toBe("network");
    expect(error?.message).toMatch(/^There is no connection to the proxy \(ECONNRESET\)\..* Check HTTPS_PROXY, /);
    expect(connects).toBe(3);
  });

  it("blames a proxy without TLS, and not the server, for the handshake that it does not make", async () => {
    const proxy = net.createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as net.AddressInfo;
    const { error } = await askHere(server.url, { HTTPS_PROXY: `https://127.0.0.1:${port}` });
    proxy.close();
    expect(error).toMatchObject({ code: "network", whoActs: "administrator" });
    expect(error?.message).toMatch(/^There is no connection to the proxy \(E[A-Z_]+\)\..* Check HTTPS_PROXY, /);
  });

  it.each(["SSH-2.0-OpenSSH_9.2\r\n\r\n", "\0\r\n\r\n", "220 mail.example.com ESMTP\r\nhello\r\n\r\n"])(
    "says that what answers %j is no proxy",
    async (answer) => {
      const proxy = await startRawServer((_, socket) => socket.end(answer));
      open.push(proxy);
      const { error } = await askHere(server.url, { HTTPS_PROXY: proxy.url });
      expect(error).toMatchObject({ code: "network", whoActs: "administrator" });
      expect(error?.message).toContain(
        "The address in HTTPS_PROXY does not answer like a proxy. The request did not reach the service. Check HTTPS_PROXY, above all its port.",
      );
    },
  );

  it("does not read the headers of a proxy that never end", async () => {
    const header = Buffer.alloc(65_536, "y");
    let closed: Promise<unknown> = Promise.resolve();
    const proxy = await startRawServer((_, socket) => {
      closed = closeOf(socket);
      const write = (): void => {
        while (socket.write(header));
      };
      socket.on("drain", write);
      socket.write("HTTP/1.1 200 OK\r\nX: ");
      write();
    });
    open.push(proxy);
    const { error } = await askHere("https://tenant.example.com", { HTTPS_PROXY: proxy.url });
    expect(error).toMatchObject({ code: "network", whoActs: "administrator" });
    expect(error?.message).toContain("The address in HTTPS_PROXY does not answer like a proxy.");
    await closed;
  });

  it("checks the certificate of a proxy that speaks TLS against the proxy's name, and not the server's", async () => {
    const named = makeCertificate("proxy", { names: ["localhost"], addresses: [] });
    const proxy = tls.createServer(named, (socket) => socket.end("HTTP/1.1 403 No\r\n\r\n")).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as net.AddressInfo;
    const HTTPS_PROXY = `https://localhost:${port}`;
    const { error } = await ask("https://tenant.example.com", { NODE_EXTRA_CA_CERTS: named.file, HTTPS_PROXY });
    const untrusted = (await ask("https://tenant.example.com", { HTTPS_PROXY })).error;
    proxy.close();
    expect(error?.message).toContain("The proxy did not connect to the server (status 403).");
    expect(untrusted).toMatchObject({ code: "network", whoActs: "administrator" });
    expect(untrusted?.message).toMatch(
      /^This machine does not trust the certificate of the proxy \([A-Z_]+\)\. The request did not reach the service\. .* NODE_EXTRA_CA_CERTS /,
    );
  });

  describe("a proxy that does not answer", () => {
    const CONSEQUENCE =
      "The request did not reach the service. Check HTTPS_PROXY, and that the proxy works and can reach the server.";

    it.each([
      ["says nothing", ""],
      ["does not finish its answer", "HTTP/1.1 200 OK\r\n"],
    ])("is named when the request times out because it %s, and its connection is closed", async (_, answer) => {
      const clock = new FakeClock();
      let closed: Promise<unknown> = Promise.resolve();
      const proxy = await startRawServer((__, socket) => {
        closed = closeOf(socket);
        socket.write(answer, () => {
          clock.advance(60_000);
        });
      });
      open.push(proxy);
      const list = () => clientOf("https://tenant.example.com", { clock }).environments.list();
      const error = await withEnvironment({ HTTPS_PROXY: proxy.url }, () => errorOf(list()));
      expect(error).toMatchObject({ code: "network", whoActs: "administrator" });
      expect(error.message).toContain(`The proxy did not connect to the server within 1 min. ${CONSEQUENCE}`);
      await closed;
    });

    it("is named when the run reaches its deadline", async () => {
      const clock = new FakeClock();
      const deadline = new Deadline({ clock, at: clock.now() + 20_000 });
      const proxy = await startRawServer(() => {
        clock.advance(20_000);
      });
      open.push(proxy);
      const list = () => clientOf("https://tenant.example.com", { clock, deadline }).environments.list();
      const error = await withEnvironment({ HTTPS_PROXY: proxy.url }, () => errorOf(list()));
      expect(error.code).toBe("deadline");
      expect(error.message).toContain(
        `The run reached its deadline before the proxy connected to the server. ${CONSEQUENCE}`,
      );
    });

    it("is not blamed for a service that does not answer through its tunnel", async () => {
      const clock = new FakeClock();
      const proxy = await startRawServer((head, socket) => {
        if (!head.startsWith("CONNECT")) return;
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        // The handshake that comes through the tunnel is not answered.
        socket.removeAllListeners("data");
        socket.once("data", () => {
          clock.advance(60_000);
        });
      });
      open.push(proxy);
      const list = () => clientOf("https://tenant.example.com", { clock }).environments.list();
      const error = await withEnvironment({ HTTPS_PROXY: proxy.url }, () => errorOf(list()));
      expect(error.code).toBe("timeout");
      expect(error.message).toContain("The service did not respond within 35 s.");
    });
  });

  it("names HTTPS_PROXY when that is no address, without repeating it", async () => {
    const { error } = await askHere(server.url, { HTTPS_PROXY: "socks5://user:pass-word@proxy:1" });
    expect(error).toMatchObject({ code: "configuration" });
    expect(error?.message).toContain("HTTPS_PROXY");
    expect(error?.message).not.toContain("pass-word");
  });

  it("shows no request when HTTPS_PROXY cannot be used, because none was sent", async () => {
    const log = recordingLog();
    const list = () => clientOf(server.url, { log }).environments.list();
    const error = await withEnvironment({ HTTPS_PROXY: "socks5://proxy:1" }, () => errorOf(list()));
    expect(error.message).toContain("No request was sent.");
    expect(log.lines).toEqual([]);
  });

  it.each([
    ["in the password", "user:50%off"],
    ["at the end of the user name", "us%4:1off"],
  ])("asks for a percent sign %s of HTTPS_PROXY to be encoded, without repeating it", async (_, login) => {
    const { error } = await askHere(server.url, { HTTPS_PROXY: `http://${login}@127.0.0.1:1` });
    expect(error).toMatchObject({ code: "configuration", whoActs: "administrator" });
    expect(error?.message).toContain("%25");
    expect(error?.message).not.toMatch(/50%|us%4|off/);
  });

  it("keeps http to this machine itself: no proxy is asked", async () => {
    const plain = await startServer((_, response) => {
      sendJson(response, { data: [] });
    });
    open.push(plain);
    const proxy = await proxyWith();
    await expect(askHere(plain.url, { HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url })).resolves.toMatchObject({
      environments: [],
    });
    expect(proxy.heads).toEqual([]);
  });
});

it("leaves each address of a host a second, so that a distant one is not given up for one that is out of reach", async () => {
  const pool = new ConnectionPool(parseServerAddress("https://tenant.example.com"));
  await expect(pool.get()).resolves.toMatchObject({ options: { autoSelectFamilyAttemptTimeout: 1_000 } });
});
