import { describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Tenant, TenantOptions } from "../../../sandbox/tenant/index.ts";
import { startTenant } from "../../support/tenant.ts";
import { ask, send, signature } from "./client.ts";

const NOW = Date.parse("2026-05-04T10:30:00Z");
const TARGET = "/api/v2/search?q=HELP%20DESK&type=Group";
const HOUR = 3_600_000;

let tenant: Tenant;

async function start(options: TenantOptions = {}): Promise<Tenant> {
  tenant = await startTenant({
    clock: { now: () => NOW },
    dataset: { environments: 1, findingTypes: 1, findingsPerPair: 1 },
    ...options,
  });
  return tenant;
}

const at = (time: number): string => new Date(time).toISOString();
const headers = (more: Partial<Parameters<typeof signature>[0]> = {}): Record<string, string> =>
  signature({ id: tenant.tokenId, key: tenant.tokenKey, target: TARGET, date: at(NOW), ...more });
const without = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers()).filter(([header]) => header !== name));

describe("a signed request", () => {
  it("is accepted when method, raw target with its query, hour and empty body were signed", async () => {
    await start();
    expect((await send(tenant, TARGET, { headers: headers() })).status).toBe(200);
  });

  it("is accepted in either dialect under its own scheme word only, in any letter case", async () => {
    await start({ dialect: "bloodhound-enterprise" });
    expect((await send(tenant, TARGET, { headers: headers({ scheme: "BHESignature" }) })).status).toBe(200);
    const refused = await send(tenant, TARGET, { headers: headers() });
    expect(refused.status).toBe(400);
    expect(refused.json.errors[0].message).toContain("Unexpected authorization scheme: svcsignature.");
  });

  it("covers a body when there is one", async () => {
    await start();
    const target = "/api/v2/saml/providers/1";
    const signed = headers({ method: "DELETE", target, body: "{}" });
    const sending = { method: "DELETE", headers: { ...signed, "Content-Length": "2" } };
    expect((await send(tenant, target, { ...sending, body: "[]" })).status).toBe(401);
    expect((await send(tenant, target, { ...sending, body: "{}" })).status).toBe(200);
  });

  it("is refused when another spelling of the same target was signed", async () => {
    await start();
    const refused = await send(tenant, TARGET, {
      headers: headers({ target: "/api/v2/search?q=HELP+DESK&type=Group" }),
    });
    expect(refused.status).toBe(401);
    expect(refused.json.errors[0].message).toBe(
      "unable to validate request signature for client: digest validation failed: signature digest mismatch",
    );
  });

  it("is signed with the hour as the client wrote it, offset included", async () => {
    await start();
    expect((await send(tenant, TARGET, { headers: headers({ date: "2026-05-04T12:30:00+02:00" }) })).status).toBe(200);
    expect((await send(tenant, TARGET, { headers: headers({ date: "2026-05-04T12:30:00Z" }) })).status).toBe(401);
  });

  it("may be an hour old or early, and no more", async () => {
    await start();
    for (const offset of [-HOUR, HOUR]) {
      expect((await send(tenant, TARGET, { headers: headers({ date: at(NOW + offset) }) })).status).toBe(200);
    }
    const late = await send(tenant, TARGET, { headers: headers({ date: at(NOW - HOUR - 90_000) }) });
    expect(late.status).toBe(401);
    expect(late.json.errors[0].message).toContain(
      "signature too far behind by 1.50 minutes. Server time is 2026-05-04T10:30:00Z. Client time is 2026-05-04T09:28:30Z",
    );
    const early = await send(tenant, TARGET, { headers: headers({ date: at(NOW + 2 * HOUR) }) });
    expect(early.json.errors[0].message).toContain("signature too far ahead by 60.00 minutes.");
  });

  it("is judged by the tenant's skewed clock", async () => {
    await start({ clockSkewMs: 3 * HOUR });
    expect((await send(tenant, TARGET, { headers: headers() })).status).toBe(401);
    tenant.control.skewClock(0);
    expect((await send(tenant, TARGET, { headers: headers() })).status).toBe(200);
  });

  it("covers the prefix that a reverse proxy adds", async () => {
    await start({ pathPrefix: "/apa" });
    expect(tenant.url).toMatch(/\/apa$/);
    const target = `/apa${TARGET}`;
    expect((await send(tenant, target, { headers: headers({ target }) })).status).toBe(200);
    expect((await send(tenant, target, { headers: headers() })).status).toBe(401);
  });
});

describe("a request that is not signed properly", () => {
  const prefix = "unable to validate request signature for client: ";
  const cases: [title: string, status: number, message: string, change: () => Record<string, string>][] = [
    ["no Authorization", 401, "not authenticated", () => without("Authorization")],
    ["one word", 400, `${prefix}Expected only two components`, () => ({ ...headers(), Authorization: "svcsignature" })],
    [
      "three words",
      400,
      `${prefix}Expected only two components`,
      () => ({ ...headers(), Authorization: "svcsignature a b" }),
    ],
    ["a token id that is no UUID", 400, `${prefix}Token ID is malformed.`, () => headers({ id: "abc" })],
    ["another scheme", 400, `${prefix}Unexpected authorization scheme`, () => headers({ scheme: "Basic" })],
    ["no date", 400, `${prefix}no request date header`, () => without("RequestDate")],
    ["a malformed date", 400, `${prefix}malformed request date`, () => headers({ date: "2026-05-04 10:30" })],
    ["no signature", 400, `${prefix}no signature header`, () => without("Signature")],
    [
      "a signature that is not base64",
      400,
      `${prefix}malformed signature header`,
      () => ({ ...headers(), Signature: "a*b" }),
    ],
    ["an unknown token", 401, `${prefix}resource not found`, () => headers({ id: randomUUID() })],
    ["a wrong key", 401, `${prefix}digest validation failed`, () => headers({ key: "another" })],
  ];

  it.each(cases)("with %s gets %i", async (_title, status, message, change) => {
    await start();
    const refused = await send(tenant, TARGET, { headers: change() });
    expect(refused.status).toBe(status);
    expect(refused.json).toEqual({
      http_status: status,
      timestamp: at(NOW),
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      errors: [{ context: "login", message: expect.stringContaining(message) }],
    });
    expect(refused.headers["request-id"]).toBe(refused.json.request_id);
  });

  it("is refused for a disabled user and for a tenant without API keys", async () => {
    const token = { id: randomUUID(), key: "k" };
    await start({ tokens: [{ ...token, disabled: true }] });
    expect((await send(tenant, TARGET, { headers: headers() })).json).toMatchObject({
      http_status: 403,
      errors: [{ message: `${prefix}user disabled` }],
    });
    await start({ tokens: [token], apiKeysDisabled: true });
    expect((await send(tenant, TARGET, { headers: headers() })).json).toMatchObject({
      http_status: 401,
      errors: [{ message: `${prefix}use of API keys has been disabled` }],
    });
  });
});

describe("a JWT", () => {
  it("is accepted until it expires", async () => {
    let now = NOW;
    await start({ clock: { now: () => now } });
    const jwt = tenant.control.issueJwt(NOW + HOUR);
    const bearer = { headers: { Authorization: `Bearer ${jwt}` } };
    expect((await send(tenant, TARGET, bearer)).status).toBe(200);
    now += HOUR;
    const expired = await send(tenant, TARGET, bearer);
    expect(expired.status).toBe(401);
    expect(expired.json.errors[0].message).toBe("Token Authorization failed.");
  });

  it("is refused when the tenant did not issue it", async () => {
    await start({ jwts: [{ token: "one.two.three" }] });
    expect((await send(tenant, TARGET, { headers: { Authorization: "Bearer one.two.three" } })).status).toBe(200);
    expect((await send(tenant, TARGET, { headers: { Authorization: "Bearer one.two.four" } })).status).toBe(401);
  });
});

describe("an environment that a token may not read", () => {
  it("is listed and answers 403, until it is allowed", async () => {
    tenant = await startTenant();
    const [first, second] = tenant.data.environments;
    tenant.control.forbid(first!.id);
    expect((await ask(tenant, "/api/v2/available-domains")).json.data).toHaveLength(5);
    expect((await ask(tenant, `/api/v2/domains/${first!.id}/available-types`)).status).toBe(403);
    expect((await ask(tenant, `/api/v2/domains/${first!.id}/details?finding=T0GenericAll`)).status).toBe(403);
    expect((await ask(tenant, `/api/v2/meta-trees/${first!.id}`)).status).toBe(403);
    expect((await ask(tenant, `/api/v2/domains/${second!.id}/available-types`)).status).toBe(200);
    tenant.control.allow(first!.id);
    expect((await ask(tenant, `/api/v2/domains/${first!.id}/available-types`)).status).toBe(200);
  });
});

describe("the header Date", () => {
  it("gives the tenant's own time, in refusals too", async () => {
    await start();
    const date = async (more: Record<string, string> = headers()) =>
      (await send(tenant, TARGET, { headers: more })).headers.date;
    expect(await date()).toBe("Mon, 04 May 2026 10:30:00 GMT");
    tenant.control.skewClock(3 * HOUR);
    expect(await date()).toBe("Mon, 04 May 2026 13:30:00 GMT");
    tenant.control.setRateLimit({ perSecond: 0 });
    expect(await date()).toBe("Mon, 04 May 2026 13:30:00 GMT");
  });

  it("can be left out", async () => {
    await start({ dateHeader: false });
    const reply = await send(tenant, TARGET, { headers: headers() });
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty("date");
  });
});

describe("the header Prefer", () => {
  it("is applied when it fits the pattern and refused when not", async () => {
    await start();
    const prefer = (value: string) => send(tenant, TARGET, { headers: { ...headers(), Prefer: value } });
    expect((await prefer("wait=60")).headers["preference-applied"]).toBe("wait=60.00");
    expect((await prefer("wait=-1")).headers["preference-applied"]).toBe("wait=-1.00");
    expect((await send(tenant, TARGET, { headers: headers() })).headers["preference-applied"]).toBe("wait=30.00");
    for (const bad of ["wait=-2", "wait=1.5", "respond-async"]) expect((await prefer(bad)).status).toBe(400);
  });
});
