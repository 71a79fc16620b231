import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import { describe, expect, it } from "@jest/globals";
import { selfSignedCertificate, type Tenant, type TenantOptions } from "../../../sandbox/tenant/index.ts";
import { ask, askHere, type CallHere } from "../../support/command-line.ts";
import { builtNpmFolder } from "../../support/package.ts";
import { startRawServer } from "../../support/raw-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";
import { problemsOf, type Report } from "../report.ts";

const dataset = { environments: 2, findingTypes: 2, findingsPerPair: 30 };
const folder = temporaryFolder();

/** What doctor reports about a tenant, for programs. */
async function examine(tenant: Tenant, call: CallHere = {}): Promise<Report & { code: number | null }> {
  // Node.js reads this variable when it starts.
  const run = call.env?.["NODE_EXTRA_CA_CERTS"] === undefined ? askHere : ask;
  const { code, out, error } = await run(tenant, ["doctor", "--json"], call);
  expect(error).toBe("");
  return { code, ...(JSON.parse(out) as Report) };
}

function trusted(name: string, options: Parameters<typeof selfSignedCertificate>[0]) {
  const tls = selfSignedCertificate(options);
  const file = join(folder, name);
  writeFileSync(file, tls.cert);
  return { tls, env: { NODE_EXTRA_CA_CERTS: file } };
}

/** A proxy that answers every request for a tunnel with this status. */
async function refusingProxy(status: number): Promise<string> {
  const proxy = await startRawServer((_, socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`));
  return proxy.url;
}

interface Fault {
  options?: TenantOptions;
  /** Changes the tenant, or where it is looked for. */
  inject?: (tenant: Tenant) => Partial<Tenant> | undefined;
  call?: CallHere | (() => Promise<CallHere>);
}

const other = trusted("other.crt", { names: ["elsewhere.example"], addresses: [] });
const expired = trusted("expired.crt", { notBefore: new Date("2020-01-01"), notAfter: new Date("2020-02-01") });

const faults: [cause: string, fault: Fault, check: string, summary: RegExp, fix: RegExp][] = [
  [
    "a wrong host",
    { inject: () => ({ url: "https://no-such-host.invalid" }) },
    "dns",
    /^DNS .* no-such-host\.invalid.* \((ENOTFOUND|EAI_AGAIN)\)\.$/,
    /^Check the /,
  ],
  [
    "a closed port",
    { inject: () => ({ url: "https://127.0.0.1:9" }) },
    "tcp",
    /^Port 9 of the server 127\.0\.0\.1 refuses connections.*\(ECONNREFUSED\)\.$/,
    /^Check host name and port in Server/,
  ],
  [
    "a self-signed certificate",
    { options: { tls: selfSignedCertificate() } },
    "tls",
    /not issued by a certificate authority \(CA\) that this machine trusts\. Its issuer is Simulated tenant \(DEPTH_ZERO_SELF_SIGNED_CERT\)\.$/,
    /NODE_EXTRA_CA_CERTS/,
  ],
  [
    "a certificate of another host",
    { options: { tls: other.tls }, call: { env: other.env } },
    "tls",
    /^The certificate is for another host name than 127\.0\.0\.1\. It is for DNS:elsewhere\.example\.$/,
    /^Enter one of these names as Server/,
  ],
  [
    "an expired certificate",
    { options: { tls: expired.tls }, call: { env: expired.env } },
    "tls",
    /^The certificate expired on 2020-02-01\.$/,
    /^Renew the certificate/,
  ],
  [
    "a proxy that refuses",
    {
      options: { tls: selfSignedCertificate() },
      call: async () => ({ env: { HTTPS_PROXY: await refusingProxy(403) } }),
    },
    "tunnel",
    /^The proxy refuses to connect to 127\.0\.0\.1:\d+ \(status 403\)\.$/,
    /allow CONNECT to 127\.0\.0\.1:\d+/,
  ],
  [
    "a proxy that wants a password",
    {
      options: { tls: selfSignedCertificate() },
      call: async () => ({ env: { HTTPS_PROXY: await refusingProxy(407) } }),
    },
    "tunnel",
    /requires a user name and password/,
    /http:\/\/user:password@proxy:port/,
  ],
  [
    "a proxy that refuses the password",
    {
      options: { tls: selfSignedCertificate() },
      call: async () => ({ env: { HTTPS_PROXY: (await refusingProxy(407)).replace("//", "//user:wrong@") } }),
    },
    "tunnel",
    /^The proxy refuses this user name and password \(status 407\)\.$/,
    /^Correct them in HTTPS_PROXY/,
  ],
  [
    "an unusable proxy setting",
    { options: { tls: selfSignedCertificate() }, call: { env: { HTTPS_PROXY: "socks5://127.0.0.1:1080" } } },
    "proxy",
    /HTTPS_PROXY is not an http:\/\/ or https:\/\/ URL/,
    /^Write it as http:\/\/proxy:port, or/,
  ],
  [
    "a clock that is 3 h behind",
    { options: { clockSkewMs: 3 * 3_600_000 } },
    "clock",
    /^The clock of this machine is 3 h behind the service's\. The service rejects signatures/,
    /NTP/,
  ],
  [
    "a clock that is 3 h ahead, of a service that does not tell the time",
    { options: { clockSkewMs: -3 * 3_600_000, dateHeader: false } },
    "clock",
    /^The clock of this machine is 3 h ahead of the service's/,
    /NTP/,
  ],
  [
    "a key with a tab in it",
    { call: { input: "abc\tdefghijk" } },
    "credentials",
    /^Token Key contains/,
    /^Correct the profile, or enter Token ID and Token Key again\.$/,
  ],
  [
    "a wrong key",
    { call: { input: "b3RoZXIga2V5" } },
    "token",
    /signature digest mismatch/,
    /^Copy Token ID and Token Key again/,
  ],
  [
    "a disabled user",
    {
      options: {
        tokens: [{ id: "00000000-0000-4000-8000-000000000001", key: "a2V5IG9mIGEgdXNlcg==", disabled: true }],
      },
    },
    "token",
    /user disabled/,
    /^Enable the user/,
  ],
  [
    "a missing permission",
    {
      inject({ control, data }) {
        for (const { id } of data.environments) control.forbid(id);
        return undefined;
      },
    },
    "permission:available-types",
    /^Permission denied.*Used by the connector\.$/,
    /role Auditor/,
  ],
  [
    "a web page instead of the service",
    {
      inject({ control }) {
        control.fault({ effect: { kind: "html" } });
        return undefined;
      },
    },
    "service",
    /^A web page answers in place of the service \(status 200\)\.$/,
    /^Check that Server is the tenant's own address/,
  ],
  [
    "a gateway that does not reach the service",
    {
      inject({ control }) {
        const headers = { server: "nginx/1.29" };
        control.fault({ effect: { kind: "status", status: 502, body: "html", headers } });
        return undefined;
      },
    },
    "service",
    /^A gateway in front of the service \(nginx\/1\.29\) answers with status 502: it has no response of the service\.$/,
    /whoever runs this gateway/,
  ],
  [
    "a sign-in page that the server redirects to",
    {
      inject({ control }) {
        control.fault({ effect: { kind: "redirect", location: "https://login.example/" } });
        return undefined;
      },
    },
    "service",
    /^The server redirects to https:\/\/login\.example\//,
    /^Check that Server/,
  ],
  [
    "a service that is broken",
    {
      inject({ control }) {
        control.fault({ effect: { kind: "status", status: 500 } });
        return undefined;
      },
    },
    "service",
    /^The service reported an internal error/,
    /^Try again later/,
  ],
  [
    "no environment with data",
    {
      inject({ control, data }) {
        for (const { id } of [...data.environments]) control.removeEnvironment(id);
        return undefined;
      },
    },
    "environments",
    /^The token sees no environments\.$/,
    /access to the environments/,
  ],
];

describe("doctor", () => {
  it("tells people, check by check, that the connector can run", async () => {
    const tenant = await startTenant({ dataset });
    const { code, out, error } = await askHere(tenant, ["doctor"]);
    const lines = out
      .replace(/Package .*\./, "Package 1, Node.js 1.")
      .replaceAll(String(tenant.port), "1")
      .replaceAll(/\(\d+ ms\)/g, "(1 ms)")
      .split("\n")
      .map((line) => line.trimEnd());
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(lines).toEqual([
      "ok       Versions                     Package 1, Node.js 1.",
      "ok       Server address               http://127.0.0.1:1.",
      "ok       Proxy settings               No proxy applies.",
      "ok       Name resolution              127.0.0.1 is an IP address.",
      "ok       TCP connection               Port 1 of 127.0.0.1 accepts connections (1 ms).",
      "skipped  Proxy tunnel                 Not needed: no proxy applies.",
      "skipped  TLS certificate              Not needed: the server is this machine.",
      "ok       Form of the credentials      They can be sent. Whether the service accepts them is checked below.",
      "ok       Service                      The service answers (1 ms).",
      "ok       Clock                        This machine and the service have the same time.",
      "ok       Rate limit                   The service does not announce how many requests remain. It answered without refusing any.",
      "ok       Dialect                      The service accepts the signature scheme svcsignature.",
      "ok       Credentials                  The service accepts the credentials.",
      "ok       Environments                 The token sees 2 environments, 2 with collected data.",
      "skipped  Analysis                     The service does not say when its last analysis ended. The connector finds out what is new in other ways.",
      "skipped  Token age                    The service does not say how old the API token is.",
      "ok       Permission: available-types  Allowed. Used by the connector.",
      "ok       Permission: details          Allowed. Used by the connector.",
      "ok       Permission: sparkline        Allowed. Used by the connector.",
      "ok       Permission: title            Allowed. Used by the connector.",
      "ok       Permission: search           Allowed. Used by the actions.",
      "ok       Permission: shortest-path    Allowed. Used by the actions.",
      "ok       Permission: domains          Allowed. Used by the actions.",
      "skipped  Permission: azure            Not tried: no environment with collected data is a cloud tenant.",
      "ok       Permission: meta-trees       Allowed. Used by the command line.",
      "ok       Permission: saml             Allowed. Used by the command line.",
      "ok       Permission: tasks/current    Allowed. Used by the command line.",
      "ok       Page size                    One answer held all findings of a stream (30).",
      "",
      "The connector can run.",
      "",
    ]);
  });

  it("tells programs the same, with facts", async () => {
    const tenant = await startTenant({ dataset });
    const { code, out } = await askHere(tenant, ["doctor", "--json"]);
    const steady = out
      .replaceAll(String(tenant.port), "1")
      .replaceAll(/\(\d+ ms\)/g, "(1 ms)")
      .replaceAll(/"(ms|skewMs)": -?\d+/g, '"$1": 1')
      .replace(/Package [^"]*/, "Package 1, Node.js 1.")
      .replaceAll(/"(package|node|cLibrary|platform|architecture)": [^,\n]*/g, '"$1": ""');
    expect(code).toBe(0);
    expect(steady).toMatchSnapshot();
  });

  it("finds nothing wrong with a tenant of BloodHound Enterprise behind TLS, and says which dialect it speaks", async () => {
    const { tls, env } = trusted("good.crt", {});
    const tenant = await startTenant({ dataset, tls, dialect: "bloodhound-enterprise", maxPageSize: 20 });
    const report = await examine(tenant, { env });
    expect([report.code, report.canRun]).toEqual([0, true]);
    expect(problemsOf(report).map(({ name }) => name)).toEqual(["page-size"]);
    const facts = Object.fromEntries(report.checks.map((check) => [check.name, check.facts]));
    expect(facts).toMatchObject({
      dialect: { dialect: "bloodhound-enterprise", scheme: "bhesignature" },
      analysis: { offered: true, idle: true },
      tls: { issuer: "Simulated tenant", fitsHost: true },
      "page-size": { granted: 20, total: 30 },
      environments: { environments: 2, collected: 2 },
    });
  });

  it.each(faults)("finds %s, and says what to do", async (_, { options, inject, call = {} }, name, summary, fix) => {
    const tenant = await startTenant({ dataset, ...options });
    const report = await examine({ ...tenant, ...inject?.(tenant) }, typeof call === "function" ? await call() : call);
    const found = report.checks.filter(({ status }) => status === "failed")[0];
    expect(found).toMatchObject({
      name,
      required: true,
      summary: expect.stringMatching(summary) as unknown,
      fix: expect.stringMatching(fix) as unknown,
    });
    expect([report.code, report.canRun]).toEqual([1, false]);
    const later = report.checks.slice(report.checks.findIndex((check) => check.name === name) + 1);
    expect(
      later.filter(
        ({ status, summary: text }) =>
          status === "skipped" && !/^(Not (checked|tried)|The service does not say)/.test(text),
      ),
    ).toEqual([]);
  });

  it("only warns when the connector can do without: one environment, an operation of the actions", async () => {
    const tenant = await startTenant({ dataset });
    const [environment] = tenant.data.environments;
    tenant.control.forbid(environment!.id);
    tenant.control.fault({
      path: "^/api/v2/search",
      effect: { kind: "status", status: 403, message: "not authorized" },
    });
    const report = await examine(tenant);
    expect([report.code, report.canRun]).toEqual([0, true]);
    const problems = problemsOf(report);
    expect(problems.map(({ name, status }) => [name, status])).toEqual(
      expect.arrayContaining([
        ["permission:available-types", "warning"],
        ["permission:search", "warning"],
      ]),
    );
    expect(problems[0]?.summary).toContain(environment!.name);
    const { out } = await askHere(tenant, ["doctor"]);
    expect(out.split("\n").at(-2)).toBe(`The connector can run. Problems that do not stop it: ${problems.length}.`);
  });

  it("says which operations the service does not offer, and asks about the others", async () => {
    const tenant = await startTenant({ dataset });
    const missing = { kind: "body", transform: () => "404 page not found", status: 404 } as const;
    tenant.control.fault({ path: "^/api/v2/(search|meta-trees)", effect: missing });
    const report = await examine(tenant);
    expect([report.code, report.canRun]).toEqual([0, true]);
    expect(problemsOf(report).map(({ name, status, summary }) => [name, status, summary])).toEqual([
      [
        "permission:search",
        "failed",
        "The service, or a gateway in front of it, does not offer GET /api/v2/search (status 404). Used by the actions.",
      ],
      [
        "permission:meta-trees",
        "failed",
        "The service, or a gateway in front of it, does not offer GET /api/v2/meta-trees/{domain_id} (status 404). Used by the command line.",
      ],
    ]);
  });

  it("knows how old the analysis and the token are in every form of an instant that RFC 3339 allows", async () => {
    const tenant = await startTenant({ dataset });
    const token = { id: tenant.tokenId, created_at: "2016-12-31 23:59:60Z" };
    const status = { status: "idle", last_complete_analysis_at: "2016-12-31 23:59:60.5Z" };
    for (const [path, data] of Object.entries({ tokens$: { tokens: [token] }, "datapipe/status$": status }))
      tenant.control.fault({ path, effect: { kind: "body", transform: () => JSON.stringify({ data }), status: 200 } });
    const { checks } = await examine(tenant);
    const said = (name: string) => checks.find((check) => check.name === name)?.summary;
    expect(said("token-age")).toMatch(/^The API token was made \d+ d .*ago\.$/);
    expect(said("analysis")).toMatch(/^The last analysis ended \d+ d .*ago\.$/);
  });

  it("does not judge the size of a page by a stream that has no findings any more", async () => {
    const tenant = await startTenant({ dataset });
    const empty = { kind: "body", transform: () => '{"data":[],"count":0}', status: 200 } as const;
    tenant.control.fault({ path: "^/api/v2/domains/[^/]+/details", effect: empty });
    const { checks } = await examine(tenant);
    expect(checks.find(({ name }) => name === "page-size")).toMatchObject({
      status: "skipped",
      summary: "The stream that was tried has no findings at the moment.",
    });
  });

  it("answers with its exit code also when its reader has seen enough", async () => {
    const tenant = await startTenant({ dataset });
    const program = join(await builtNpmFolder(), "cli.mjs");
    const connection = `--server ${tenant.url} --token-id ${tenant.tokenId}`;
    const line = `set -o pipefail; echo b3RoZXIga2V5 | "$0" "$1" doctor ${connection} | head -n 1`;
    const outcome = await new Promise((resolve) => {
      execFile("bash", ["-c", line, process.execPath, program], (error, out, said) => {
        resolve([error?.code, out.split("\n").length, said]);
      });
    });
    expect(outcome).toEqual([1, 2, ""]);
  });

  it("tells people what failed, what to do, and what it could not check", async () => {
    const tenant = await startTenant({ dataset });
    const { code, out } = await askHere(tenant, ["doctor"], { input: "b3RoZXIga2V5" });
    expect(code).toBe(1);
    const lines = out.split("\n");
    const at = lines.findIndex((line) => line.startsWith("FAILED   Credentials"));
    expect(lines[at + 1]).toBe(
      `${" ".repeat(38)}Copy Token ID and Token Key again, both from the same API token. If the key is lost, create a new token in the service.`,
    );
    expect(lines[at + 2]).toBe("skipped  Environments                 Not checked, because it needs: Credentials.");
    expect(lines.at(-2)).toBe("The connector cannot run. Fix first: Credentials.");
  });

  it("writes a report for a support case that holds no secrets, for its owner only", async () => {
    const proxyPassword = "proxy-pass-1234567";
    const tenant = await startTenant({ dataset });
    const file = join(folder, "report.json");
    const env = { HTTPS_PROXY: `http://user:${proxyPassword}@127.0.0.1:9` };
    const { code, error } = await askHere(tenant, ["doctor", "--bundle", file], { env });
    expect(code).toBe(0);
    expect(error).toContain(`Wrote ${file}.`);
    const content = readFileSync(file, "utf8");
    expect(content).not.toContain(tenant.tokenKey);
    expect(content).not.toContain(proxyPassword);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(content)).toMatchObject({
      canRun: true,
      environmentVariables: expect.arrayContaining(["HTTPS_PROXY"]) as unknown,
      exchanges: expect.arrayContaining([
        expect.objectContaining({ method: "GET", path: "/api/v2/available-domains", status: 200 }),
      ]) as unknown,
    });
    expect(content).not.toMatch(/"signature"|\?finding=/i);
  });

  it.each(["http://", ""])("masks the password of a proxy whose address begins with %j", async (scheme) => {
    const proxyPassword = "proxy-pass-1234567";
    const tenant = await startTenant({ dataset });
    tenant.control.fault({ effect: { kind: "status", status: 400, message: `not with ${proxyPassword}` } });
    const env = { HTTPS_PROXY: `${scheme}user:${proxyPassword}@127.0.0.1:9` };
    const { out } = await askHere(tenant, ["doctor", "--json"], { env });
    expect(out).toContain("not with ");
    expect(out).not.toContain(proxyPassword);
  });

  it("sends no password to a proxy whose certificate is not trusted, whatever the environment says of certificates", async () => {
    const heard: string[] = [];
    const proxy = tls.createServer(selfSignedCertificate(), (socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (bytes) => {
        heard.push(String(bytes));
        socket.end("HTTP/1.1 403 No\r\n\r\n");
      });
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const tenant = await startTenant({ dataset, tls: selfSignedCertificate() });
    const env = { HTTPS_PROXY: `https://user:password@127.0.0.1:${port}`, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { out } = await ask(tenant, ["doctor", "--json"], { env });
    proxy.close();
    expect(heard).toEqual([]);
    const problems = problemsOf(JSON.parse(out) as Report);
    expect(problems).toMatchObject([{ name: "tunnel", facts: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } }]);
  });

  it("ends with 2 when the report cannot be written, and with 1 when Server is no address", async () => {
    const tenant = await startTenant({ dataset });
    const unwritable = await askHere(tenant, ["doctor", "--bundle", join(folder, "missing", "report.json")]);
    expect([unwritable.code, unwritable.error]).toEqual([2, expect.stringContaining("cannot be written")]);
    const report = await examine({ ...tenant, url: "http://tenant.example.com" });
    expect([report.code, problemsOf(report).map(({ name }) => name)]).toEqual([1, ["server"]]);
  });
});
