import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { describe, expect, it } from "@jest/globals";
import { selfSignedCertificate } from "../../../sandbox/tenant/index.ts";
import { type CheckResult, failed, ok, skipped } from "../../../src/cli/doctor/check.ts";
import { Examination } from "../../../src/cli/doctor/examination.ts";
import { networkChecks } from "../../../src/cli/doctor/network-checks.ts";
import { openTunnel, peerOf, resolve, shakeHands } from "../../../src/cli/doctor/network.ts";
import { decoded } from "../../../src/service/http/tunnel.ts";
import { systemClock as clock } from "../../../src/clock.ts";
import { Deadline } from "../../../src/deadline.ts";
import { withEnvironment } from "../../support/environment.ts";
import { startRawServer, startServer } from "../../support/raw-server.ts";

const patient = new Deadline({ clock, at: null });
const NOWHERE = "no-such-host.invalid";

/** What a check finds on the way to a server, through a proxy when one is given. */
async function run(
  name: string,
  server: string,
  proxy: string | NodeJS.ProcessEnv = "",
): Promise<CheckResult | undefined> {
  const examination = new Examination({ server, clock, deadline: patient } as ConstructorParameters<
    typeof Examination
  >[0]);
  return withEnvironment(typeof proxy === "string" ? { HTTPS_PROXY: proxy } : proxy, () =>
    networkChecks.find((check) => check.name === name)?.run(examination),
  );
}

/** A proxy that answers with this text, and remembers what it was asked; without a text, it hangs up. */
async function proxyThat(answers?: string) {
  const heads: string[] = [];
  const { url, port } = await startRawServer((head, socket) => {
    heads.push(head);
    if (answers === undefined) socket.destroy();
    else socket.end(answers);
  });
  return { url, port, heads };
}

const status = (code: number) => `HTTP/1.1 ${code} X\r\nContent-Length: 0\r\n\r\n`;

const patience = { clock, stop: patient.signal };

describe("the way to the service", () => {
  it("leads to the port of the address, or to the usual one", () => {
    const peers = ["https://a.test", "http://a.test", "https://a.test:8443", "https://[::1]/"].map((text) =>
      peerOf(new URL(text)),
    );
    expect(peers).toEqual([
      { host: "a.test", port: 443 },
      { host: "a.test", port: 80 },
      { host: "a.test", port: 8443 },
      { host: "::1", port: 443 },
    ]);
  });

  it("begins with the addresses of a name", async () => {
    const addresses = await resolve({ host: "localhost", port: 1 }, patience);
    expect(addresses.filter((address) => !["127.0.0.1", "::1"].includes(address))).toEqual([]);
    expect(addresses).not.toHaveLength(0);
  });

  it("may lead through a proxy, which gets the name and the password without percent signs", async () => {
    const proxy = await proxyThat(status(403));
    const tunnel = (user: string, host: string) =>
      openTunnel(new URL(proxy.url.replace("//", `//${user}`)), { host, port: 443 }, patience);
    expect((await tunnel("", "a.test")).status).toBe(403);
    expect((await tunnel("me:p%40ss@", "::1")).status).toBe(403);
    const basic = Buffer.from("me:p@ss").toString("base64");
    const [first = "", second = ""] = proxy.heads;
    expect(first).toMatch(/^CONNECT a\.test:443 HTTP\/1\.1\r\nHost: a\.test:443\r\n/);
    expect(first).not.toContain("Proxy-Authorization");
    expect(second).toMatch(/^CONNECT \[::1\]:443 HTTP\/1\.1\r\nHost: \[::1\]:443\r\n/);
    expect(second).toContain(`\r\nProxy-Authorization: Basic ${basic}\r\n`);
    expect([decoded("%40"), decoded("100%")]).toEqual(["@", "100%"]);
  });

  it("is not waited for once the command must end", async () => {
    const silent = await startRawServer(() => undefined);
    const stop = new AbortController();
    const peer = { host: "127.0.0.1", port: silent.port };
    const looking = shakeHands(peer, null, { clock, stop: stop.signal });
    stop.abort(new Error("Ctrl-C"));
    await expect(looking).rejects.toThrow("Ctrl-C");
    await expect(resolve(peer, { clock, stop: stop.signal })).rejects.toThrow("Ctrl-C");
  });

  it("ends with a certificate, which is looked at even when nobody trusts it", async () => {
    const names = ["localhost", "tenant.test"];
    const tls = selfSignedCertificate({ names, notAfter: new Date("2049-01-01") });
    const server = await startServer((_, response) => response.end(), tls);
    const found = await shakeHands({ host: "localhost", port: server.port }, null, patience);
    expect(found).toEqual({
      protocol: "TLSv1.3",
      chainProblem: "DEPTH_ZERO_SELF_SIGNED_CERT",
      fitsHost: true,
      issuer: "Simulated tenant",
      names: expect.stringMatching(/DNS:localhost, DNS:tenant\.test$/) as unknown,
      validTo: Date.parse("2049-01-01"),
    });
    const other = await startServer(
      (_, response) => response.end(),
      selfSignedCertificate({ names: ["other.test"], addresses: [] }),
    );
    expect(await shakeHands({ host: "127.0.0.1", port: other.port }, null, patience)).toMatchObject({
      fitsHost: false,
      names: "DNS:other.test",
    });
  });
});

describe("a check of the way to the service", () => {
  const PROXIED = "https://tenant.test";

  it("finds an address that is none", async () => {
    expect(await run("server", "http://tenant.test")).toEqual(
      failed(
        expect.stringContaining("Server") as unknown as string,
        "Enter the tenant's address, for example https://tenant.example.com.",
      ),
    );
    expect(await run("server", PROXIED)).toEqual(ok(`${PROXIED}.`, { origin: PROXIED }));
  });

  const unusable = (problem: string): CheckResult =>
    failed(
      expect.stringContaining(problem) as unknown as string,
      "Write it as http://proxy:port, or with a user name as http://user:password@proxy:port.",
    );
  const UNUSABLE = unusable("The environment variable HTTPS_PROXY is not an http:// or https:// URL.");
  it.each<[string | NodeJS.ProcessEnv, string, CheckResult]>([
    ["", PROXIED, ok("No proxy applies.", { proxy: null })],
    ["http://proxy.test:3128", "http://127.0.0.1:1", ok("No proxy applies.", { proxy: null })],
    [
      "http://proxy.test:3128",
      PROXIED,
      ok("HTTPS_PROXY names http://proxy.test:3128.", { proxy: "http://proxy.test:3128", withUserName: false }),
    ],
    [
      "HTTPS://me:secret@proxy.test:3128",
      PROXIED,
      ok("HTTPS_PROXY names https://proxy.test:3128, with a user name.", {
        proxy: "https://proxy.test:3128",
        withUserName: true,
      }),
    ],
    [
      "proxy.test:3128",
      PROXIED,
      ok("HTTPS_PROXY names http://proxy.test:3128.", { proxy: "http://proxy.test:3128", withUserName: false }),
    ],
    [
      { ALL_PROXY: "http://proxy.test:3128" },
      PROXIED,
      ok("ALL_PROXY names http://proxy.test:3128.", { proxy: "http://proxy.test:3128", withUserName: false }),
    ],
    ["xhttp://proxy.test", PROXIED, UNUSABLE],
    [{ ALL_PROXY: "socks5://proxy.test" }, PROXIED, unusable("The environment variable ALL_PROXY is not an http://")],
    [
      "http://me:100%@proxy.test:3128",
      PROXIED,
      unusable("The user name or password in the environment variable HTTPS_PROXY is not percent-encoded."),
    ],
    ["http://", PROXIED, UNUSABLE],
  ])("reads the proxy %j for %s", async (proxy, server, expected) => {
    expect(await run("proxy", server, proxy)).toEqual(expected);
  });

  it("says which name is unknown, that of the server or that of the proxy", async () => {
    const unknown = (first: string, label: string): CheckResult =>
      failed(
        expect.stringMatching(
          new RegExp(`^DNS (does not know the host name|did not answer when asked for the) .*${first}`),
        ) as unknown as string,
        expect.stringMatching(new RegExp(`${label}|HTTPS_PROXY`)) as unknown as string,
        { code: expect.any(String) as unknown as string },
      );
    expect(await run("dns", `https://${NOWHERE}`)).toEqual(unknown("server", "Server"));
    expect(await run("dns", PROXIED, `http://${NOWHERE}:3128`)).toEqual(unknown("proxy", "HTTPS_PROXY"));
    expect(await run("dns", "https://127.0.0.1")).toEqual(
      ok("127.0.0.1 is an IP address.", { addresses: ["127.0.0.1"] }),
    );
    expect((await run("dns", "https://localhost"))?.summary).toMatch(
      /^localhost is (127\.0\.0\.1|::1)(, (127\.0\.0\.1|::1))*\.$/,
    );
  });

  it("says what refuses connections, the server or the proxy", async () => {
    const refused = (first: string, label: string) =>
      failed(
        `Port 9 of the ${first} 127.0.0.1 refuses connections: nothing listens there, or a firewall rejects them (ECONNREFUSED).`,
        `Check host name and port in ${label}, and that the firewall lets this machine connect.${label === "Server" ? " If only a proxy may connect to the internet, set HTTPS_PROXY." : ""}`,
        { host: "127.0.0.1", port: 9, code: "ECONNREFUSED" },
      );
    expect(await run("tcp", "https://127.0.0.1:9")).toEqual(refused("server", "Server"));
    expect(await run("tcp", PROXIED, "http://127.0.0.1:9")).toEqual(refused("proxy", "HTTPS_PROXY"));
  });

  it.each<[string, string | undefined, string, CheckResult]>([
    ["connects", status(200), "", ok("The proxy connects to tenant.test:443.", { status: 200 })],
    [
      "refuses",
      status(403),
      "",
      failed(
        "The proxy refuses to connect to tenant.test:443 (status 403).",
        "Ask the administrator of the proxy to allow CONNECT to tenant.test:443, or add tenant.test to NO_PROXY to connect directly.",
        { status: 403 },
      ),
    ],
    [
      "wants a password",
      status(407),
      "",
      failed(
        "The proxy requires a user name and password (status 407).",
        "Write them into HTTPS_PROXY: http://user:password@proxy:port.",
        { status: 407 },
      ),
    ],
    [
      "refuses a password",
      status(407),
      "me:wrong@",
      failed(
        "The proxy refuses this user name and password (status 407).",
        "Correct them in HTTPS_PROXY. Write special characters in them with percent signs, such as %40 for @.",
        { status: 407 },
      ),
    ],
    [
      "hangs up",
      undefined,
      "",
      failed(
        "The proxy did not answer the request for a tunnel (ECONNRESET).",
        "Check that HTTPS_PROXY is the address of an HTTP proxy, with the right scheme and port.",
        { code: "ECONNRESET" },
      ),
    ],
  ])("asks a proxy that %s for a tunnel", async (_, answer, user, expected) => {
    const proxy = await proxyThat(answer);
    expect(await run("tunnel", PROXIED, proxy.url.replace("//", `//${user}`))).toEqual(expected);
  });

  it("opens the tunnel through a proxy that is named without a scheme, as requests do", async () => {
    const { port } = await proxyThat(status(200));
    expect(await run("tunnel", PROXIED, `127.0.0.1:${port}`)).toMatchObject({ status: "ok" });
  });

  it("names the variable that holds the proxy in what to do", async () => {
    const { url } = await proxyThat(status(407));
    const fix = async (name: string, proxy: string) => (await run(name, PROXIED, { ALL_PROXY: proxy }))?.fix;
    expect(await fix("dns", `http://${NOWHERE}:3128`)).not.toContain("HTTPS_PROXY");
    expect(await fix("tcp", "http://127.0.0.1:9")).toMatch(/^Check host name and port in ALL_PROXY, /);
    expect(await fix("tunnel", "http://127.0.0.1:9")).toMatch(/^Check that ALL_PROXY is the address /);
    expect(await fix("tunnel", url)).toMatch(/^Write them into ALL_PROXY: /);
    expect(await fix("tunnel", url.replace("//", "//me:wrong@"))).toMatch(/^Correct them in ALL_PROXY\. /);
  });

  it("says how to trust the certificate of a proxy", async () => {
    const proxy = createServer(selfSignedCertificate(), (socket) => socket.end()).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as AddressInfo;
    const result = await run("tunnel", PROXIED, `https://127.0.0.1:${port}`);
    proxy.close();
    expect(result).toEqual(
      failed(
        "The certificate of the proxy is not issued by a certificate authority (CA) that this machine trusts (DEPTH_ZERO_SELF_SIGNED_CERT).",
        "If that is a private CA, set the environment variable NODE_EXTRA_CA_CERTS to the file with its certificate.",
        { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
      ),
    );
  });

  it("needs no tunnel without a proxy, and no certificate on this machine", async () => {
    expect(await run("tunnel", PROXIED)).toEqual(skipped("Not needed: no proxy applies."));
    expect(await run("tls", "http://127.0.0.1:9")).toEqual(skipped("Not needed: the server is this machine."));
  });

  it("finds a server that speaks no TLS, and one behind a proxy, too", async () => {
    const plain = await proxyThat();
    const silent = failed(
      expect.stringMatching(/^The server does not complete a TLS handshake \(E\w+\)\.$/) as unknown as string,
      "Check that Server names a host and port that speak https, and that no firewall intercepts the connection.",
      { code: expect.any(String) as unknown as string },
    );
    const hanging = await startRawServer(() => undefined);
    await hanging.close();
    expect(await run("tls", `https://127.0.0.1:${hanging.port}`)).toEqual(silent);
    expect(await run("tls", PROXIED, plain.url)).toEqual(silent);
  });
});
