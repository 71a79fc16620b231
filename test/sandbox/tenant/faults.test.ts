import { afterEach, describe, expect, it } from "@jest/globals";
import { Agent } from "node:http";
import {
  selfSignedCertificate,
  busiestWindow,
  mostInFlight,
  type Fault,
  type Tenant,
  type TenantOptions,
} from "../../../sandbox/tenant/index.ts";
import { startControlServer, type ControlServer } from "../../../sandbox/tenant/control-server.ts";
import { startTenant } from "../../support/tenant.ts";
import { ask, send } from "./client.ts";

let tenant: Tenant;
let control: ControlServer | undefined;
afterEach(() => control?.close());

const DOMAINS = "/api/v2/available-domains";

async function start(fault?: Fault, options: TenantOptions = {}): Promise<Tenant> {
  tenant = await startTenant({ dataset: { environments: 2, findingTypes: 2, findingsPerPair: 30 }, ...options });
  if (fault !== undefined) tenant.control.fault(fault);
  return tenant;
}

describe("a fault", () => {
  it("makes pages of a list that comes in one piece, or cuts it off", async () => {
    await start({ path: "available-types$", effect: { kind: "paged", size: 1 } });
    const types = `/api/v2/domains/${tenant.data.environments[0]!.id}/available-types`;
    const all = tenant.data.findingTypes(tenant.data.environments[0]!.id);
    expect((await ask(tenant, `${types}?skip=1&limit=5`)).json).toMatchObject({ count: 2, data: all.slice(1) });
    expect((await ask(tenant, `${types}?skip=2`)).json).toMatchObject({ count: 2, data: [] });
    tenant.control.clearFaults();
    tenant.control.fault({ path: "available-types$", effect: { kind: "cut-list", size: 1 } });
    expect((await ask(tenant, `${types}?skip=1`)).json).toMatchObject({ count: 2, data: all.slice(0, 1) });
  });

  it("hits the requests that fit its path, its query and its turn, and no others", async () => {
    await start({
      path: /\/details$/,
      query: { skip: "10" },
      from: 2,
      times: 1,
      effect: { kind: "status", status: 503 },
    });
    const id = tenant.data.environments[0]!.id;
    const page = async (skip: number) =>
      (await ask(tenant, `/api/v2/domains/${id}/details?finding=T0GenericAll&skip=${skip}`)).status;
    expect(await page(10)).toBe(200);
    expect(await page(0)).toBe(200);
    expect(await page(10)).toBe(503);
    expect(await page(10)).toBe(200);
    expect((await ask(tenant, DOMAINS)).status).toBe(200);
  });

  it.each([
    ["json", "application/json"],
    ["html", "text/html; charset=utf-8"],
    ["text", "text/plain; charset=utf-8"],
    ["empty", undefined],
  ] as const)("is a status with a %s body", async (body, type) => {
    await start({ effect: { kind: "status", status: 500, body, message: "broken", headers: { "Retry-After": "7" } } });
    const reply = await ask(tenant, DOMAINS);
    expect(reply.status).toBe(500);
    expect(reply.headers["content-type"]).toBe(type);
    expect(reply.headers["retry-after"]).toBe("7");
    if (body === "json") expect(reply.json).toMatchObject({ http_status: 500, errors: [{ message: "broken" }] });
    if (body === "empty") expect(reply.text).toBe("");
  });

  it("is a connection that drops before the answer, or in the middle of it", async () => {
    await start({ times: 1, effect: { kind: "drop" } });
    await expect(ask(tenant, DOMAINS)).rejects.toMatchObject({ code: "ECONNRESET" });
    tenant.control.fault({ times: 1, effect: { kind: "drop", at: "mid-body" } });
    await expect(ask(tenant, DOMAINS)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(tenant.requests.map((request) => request.status)).toEqual([0, 200]);
    expect((await ask(tenant, DOMAINS)).status).toBe(200);
  });

  it.each(["before", "mid-body"] as const)("is a stall %s, which lasts until the client goes", async (at) => {
    await start({ effect: { kind: "stall", at } });
    const impatient = new AbortController();
    tenant.control.fault({
      effect: {
        kind: "run",
        run: () =>
          void setImmediate(() => {
            impatient.abort();
          }),
      },
    });
    await expect(ask(tenant, DOMAINS, { signal: impatient.signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is a truncated body whose length is declared truthfully", async () => {
    await start({ effect: { kind: "truncate" } });
    const reply = await ask(tenant, DOMAINS);
    expect(reply.status).toBe(200);
    expect(reply.json).toBeUndefined();
    expect(Number(reply.headers["content-length"])).toBe(reply.text.length);
    expect(reply.text).toMatch(/^\{"data":\[/);
  });

  it("is a page of HTML with status 200", async () => {
    await start({ effect: { kind: "html" } });
    const reply = await ask(tenant, DOMAINS);
    expect(reply).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
  });

  it("is a redirect", async () => {
    await start({ effect: { kind: "redirect", location: "http://127.0.0.1:9/elsewhere", status: 307 } });
    expect(await ask(tenant, DOMAINS)).toMatchObject({
      status: 307,
      headers: { location: "http://127.0.0.1:9/elsewhere" },
    });
  });

  it("is a null list, an empty page with a promising count, or any other body", async () => {
    await start({ times: 1, effect: { kind: "null-data" } });
    tenant.control.fault({ from: 2, times: 1, effect: { kind: "empty-page" } });
    tenant.control.fault({ from: 3, effect: { kind: "body", transform: (body) => body.replaceAll("T0", "T9") } });
    const target = `/api/v2/domains/${tenant.data.environments[0]!.id}/details?finding=T0GenericAll`;
    expect((await ask(tenant, target)).json).toMatchObject({ count: 30, data: null });
    expect((await ask(tenant, target)).json).toMatchObject({ count: 30, data: [] });
    expect((await ask(tenant, target)).json.data[0]!.Finding).toBe("T9GenericAll");
  });

  it("is a page that comes again, or one that is left out, under the skip that was asked for", async () => {
    await start({ path: "details$", query: { skip: "10" }, times: 1, effect: { kind: "wrong-page", skip: 0 } });
    tenant.control.fault({
      path: "details$",
      query: { skip: "10" },
      from: 2,
      effect: { kind: "wrong-page", skip: 20 },
    });
    const target = `/api/v2/domains/${tenant.data.environments[0]!.id}/details?finding=T0GenericAll`;
    const page = async (skip: number) => {
      const { json } = await ask(tenant, `${target}&skip=${skip}`);
      return { skip: json.skip, first: json.data[0]?.id, count: json.count };
    };
    expect(await page(0)).toEqual({ skip: 0, first: 1, count: 30 });
    expect(await page(10)).toEqual({ skip: 10, first: 1, count: 30 });
    expect(await page(10)).toEqual({ skip: 10, first: 21, count: 30 });
  });

  it.each([
    ["too large", 7, 37],
    ["too small", -7, 23],
    ["missing", null, undefined],
  ])("is a count that is %s", async (_title, by, count) => {
    await start({ path: "details$", effect: { kind: "wrong-count", by } });
    const { json } = await ask(
      tenant,
      `/api/v2/domains/${tenant.data.environments[0]!.id}/details?finding=T0GenericAll`,
    );
    expect(json.count).toBe(count);
    expect(json.data).toHaveLength(10);
  });

  it("is a list with items that do not belong there, and leaves refusals alone", async () => {
    await start({
      path: "/(available-types|details)$",
      effect: { kind: "more-items", items: [7, null, { a: 1 }, ["b"]] },
    });
    const path = `/api/v2/domains/${tenant.data.environments[0]!.id}`;
    expect((await ask(tenant, `${path}/available-types`)).json.data).toEqual([
      "T0GenericAll",
      "T0GenericWrite",
      7,
      null,
      { a: 1 },
      ["b"],
    ]);
    expect((await ask(tenant, `${path}/details?finding=T0GenericAll`)).json.data[11]).toBeNull();
    expect((await ask(tenant, `${path}/details`)).json).toMatchObject({ http_status: 400 });
  });

  it("is slowness, which the service ends at the time that the client prefers", async () => {
    await start({ effect: { kind: "slow", milliseconds: 5 } });
    expect((await ask(tenant, DOMAINS)).status).toBe(200);
    const impatient = await ask(tenant, DOMAINS, { headers: { Prefer: "wait=0" } });
    expect(impatient.json).toMatchObject({ http_status: 500, errors: [{ message: "request timed out" }] });
  });

  it("is a change of the data between two pages", async () => {
    await start();
    const { id } = tenant.data.environments[0]!;
    tenant.control.fault({
      query: { skip: "10" },
      times: 1,
      effect: { kind: "run", run: (control) => void control.removeFinding(id, "T0GenericAll", 3) },
    });
    const target = `/api/v2/domains/${id}/details?finding=T0GenericAll`;
    const first = (await ask(tenant, target)).json;
    const second = (await ask(tenant, `${target}&skip=10`)).json;
    expect([first.count, second.count]).toEqual([30, 29]);
    expect([first.data[9]!.id, second.data[0]!.id]).toEqual([10, 12]);
  });

  it("is cleared with all others", async () => {
    await start({ effect: { kind: "html" } });
    tenant.control.clearFaults();
    expect((await ask(tenant, DOMAINS)).json.data).toHaveLength(2);
  });
});

describe("a tenant that goes away", () => {
  it("breaks the request at hand, refuses connections, and comes back on the same port", async () => {
    await start({ from: 2, times: 1, effect: { kind: "run", run: (control) => control.goAway() } });
    const agent = new Agent({ keepAlive: true });
    expect((await ask(tenant, DOMAINS, { agent })).status).toBe(200);
    await expect(ask(tenant, DOMAINS, { agent })).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(ask(tenant, DOMAINS, { agent })).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await tenant.control.comeBack();
    expect((await ask(tenant, DOMAINS, { agent })).status).toBe(200);
    agent.destroy();
  });
});

describe("the rate limit", () => {
  it("refuses what is beyond the window with plain text and X-RateLimit headers", async () => {
    await start(undefined, { rateLimit: { perSecond: 3 } });
    const replies = await Promise.all(Array.from({ length: 5 }, () => ask(tenant, DOMAINS)));
    const refused = replies.filter((reply) => reply.status === 429);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({
      text: "Limit exceeded",
      headers: { "content-type": "text/plain; charset=utf-8", "x-ratelimit-limit": "3", "x-ratelimit-remaining": "0" },
    });
    const reset = Number(refused[0]!.headers["x-ratelimit-reset"]) * 1000;
    expect(Math.abs(reset - Date.now())).toBeLessThan(3000);
    expect(refused[0]!.headers["retry-after"]).toBeUndefined();
    expect(replies.find((reply) => reply.status === 200)!.headers["x-ratelimit-limit"]).toBeUndefined();
    expect(busiestWindow(tenant.requests)).toBe(5);
  });

  it("can answer as older servers and gateways do, and be lifted", async () => {
    await start(undefined, { rateLimit: { perSecond: 0, style: "json", retryAfter: true } });
    const refused = await ask(tenant, DOMAINS);
    expect(refused.json).toMatchObject({ http_status: 429, errors: [{ context: "middleware" }] });
    expect(refused.headers).toMatchObject({ "retry-after": "1", "x-rate-limit-limit": "0" });
    tenant.control.setRateLimit(null);
    expect((await ask(tenant, DOMAINS)).status).toBe(200);
  });
});

describe("what the tenant notes", () => {
  it("is every request with its target, status, bytes and connection", async () => {
    await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const reply = await ask(tenant, `${DOMAINS}?sort_by=-name`, { agent });
    await ask(tenant, "/api/v2/nothing", { agent });
    await ask(tenant, DOMAINS);
    agent.destroy();
    expect(tenant.requests).toMatchObject([
      {
        method: "GET",
        path: DOMAINS,
        target: `${DOMAINS}?sort_by=-name`,
        status: 200,
        bytes: reply.text.length,
        connection: 1,
      },
      { path: "/api/v2/nothing", status: 404, connection: 1 },
      { path: DOMAINS, status: 200, connection: 2 },
    ]);
    expect(tenant.connections).toBe(2);
    expect(tenant.traffic.sent).toBeGreaterThan(reply.text.length);
    expect(mostInFlight(tenant.requests)).toBe(1);
  });
});

describe("TLS", () => {
  it("is refused by a client that does not know the certificate, and works for one that does", async () => {
    const certificate = selfSignedCertificate();
    await start(undefined, { tls: certificate });
    expect(tenant.url).toMatch(/^https:/);
    await expect(ask(tenant, DOMAINS)).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect((await ask(tenant, DOMAINS, { ca: certificate.cert })).status).toBe(200);
    expect(tenant.requests).toHaveLength(1);
  });

  it("can show a certificate for another name, or one that has expired", async () => {
    const other = selfSignedCertificate({ addresses: [], names: ["elsewhere.test"] });
    await start(undefined, { tls: other });
    await expect(ask(tenant, DOMAINS, { ca: other.cert })).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    });
    const old = selfSignedCertificate({ notBefore: new Date("2020-01-01"), notAfter: new Date("2021-01-01") });
    await start(undefined, { tls: old });
    await expect(ask(tenant, DOMAINS, { ca: old.cert })).rejects.toMatchObject({ code: "CERT_HAS_EXPIRED" });
  });
});

describe("the control server", () => {
  it("sets faults and adds findings for who has its token", async () => {
    await start();
    const server = (control = await startControlServer(tenant));
    const order = (method: string, path: string, body?: unknown, token = server.token) =>
      fetch(`${server.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect((await order("POST", "/faults", {}, "guess")).status).toBe(401);
    expect((await order("POST", "/faults", { path: "domains$", effect: { kind: "status", status: 502 } })).status).toBe(
      200,
    );
    expect((await ask(tenant, DOMAINS)).status).toBe(502);
    expect((await order("DELETE", "/faults")).status).toBe(200);
    expect((await ask(tenant, DOMAINS)).status).toBe(200);
    const environmentId = tenant.data.environments[0]!.id;
    const added = await order("POST", "/findings", { environmentId, findingType: "T0GenericAll", records: 2 });
    expect(await added.json()).toMatchObject([{ DomainSID: environmentId }, { DomainSID: environmentId }]);
    const finding = { environmentId, findingType: "T0GenericAll", id: 1 };
    for (const [method, path] of [
      ["POST", "/accept-finding"],
      ["POST", "/delete-finding"],
      ["DELETE", "/findings"],
    ] as const) {
      expect(await (await order(method, path, finding)).json()).toBe(true);
    }
    expect(await (await order("DELETE", "/findings", finding)).json()).toBe(false);
    expect((await order("POST", "/findings", { environmentId: "nowhere", findingType: "X" })).status).toBe(400);
    for (const [fault, told] of [
      [{}, "A fault needs an effect"],
      [{ effect: { kind: "bogus" } }, "must be one of: status, drop,"],
      [{ effect: { kind: "slow" } }, 'The effect "slow" needs "milliseconds".'],
      [{ path: "[", effect: { kind: "html" } }, "must be a regular expression"],
    ] as const) {
      const refused = await order("POST", "/faults", fault);
      expect([refused.status, await refused.json()]).toEqual([
        400,
        { error: expect.stringContaining(told) as unknown },
      ]);
    }
    expect((await order("GET", "/elsewhere")).status).toBe(404);
    expect(await (await order("GET", "/state")).json()).toMatchObject({ requests: 2, connections: tenant.connections });
  });
});

describe("an unknown request", () => {
  it("is a 404, a wrong method a 405, and a broken escape a 400", async () => {
    await start();
    expect((await ask(tenant, "/api/v2/nothing")).json).toMatchObject({
      http_status: 404,
      errors: [{ message: "resource not found" }],
    });
    expect((await ask(tenant, DOMAINS, { method: "DELETE" })).status).toBe(405);
    expect((await ask(tenant, "/api/v2/users/%ZZ")).status).toBe(400);
    expect((await send(tenant, DOMAINS)).status).toBe(401);
  });
});
