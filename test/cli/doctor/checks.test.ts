import { describe, expect, it } from "@jest/globals";
import { type CheckResult, failed, ok, skipped, warning } from "../../../src/cli/doctor/check.ts";
import type { Examination } from "../../../src/cli/doctor/examination.ts";
import { permissionChecks } from "../../../src/cli/doctor/permission-checks.ts";
import type { RecordedRequest } from "../../../src/cli/doctor/recorder.ts";
import { serviceChecks } from "../../../src/cli/doctor/service-checks.ts";
import * as errors from "../../../src/service/errors/errors.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const NOW = Date.parse("2030-01-31T10:00:00Z");
const clock = new FakeClock(NOW);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const service = { whoActs: "service" } as const;
const administrator = { whoActs: "administrator" } as const;
const TRY_LATER = "Try again later. If it keeps happening, contact the support of the service.";
const CHECK_ADDRESS =
  "Check that Server is the tenant's own address, with its path if it has one, and that no sign-in page or proxy intercepts the requests.";
const SET_CLOCK = "Set the clock of this machine (NTP). The time zone does not matter.";

function exchange(changes: Partial<RecordedRequest> = {}): RecordedRequest {
  const path = "/api/v2/available-domains";
  const headers = { "content-type": "application/json" };
  return { method: "GET", path, scheme: "svcsignature", status: 200, ms: 7, answeredAt: NOW, headers, ...changes };
}

interface Found {
  error?: errors.ServiceError | null;
  environments?: readonly object[];
  collected?: number;
  unreadable?: number;
  isWhole?: boolean;
  exchanges?: readonly RecordedRequest[];
  kind?: "token" | "jwt";
  refused?: number | null;
  analysis?: { completedAt: string | null; idle: boolean } | null;
  createdAt?: string | null;
}

/** What doctor has found out so far, without a service. */
function examined({ error = null, environments = [], unreadable = 0, isWhole = true, ...found }: Found): Examination {
  const { kind = "token", refused = null, analysis = null, createdAt = null, collected = 0 } = found;
  return {
    clock,
    options: { credentials: { kind, id: "1" } },
    exchanges: found.exchanges ?? [exchange()],
    first: () => Promise.resolve({ error, environments, unreadable, isWhole }),
    collected: () => Promise.resolve(environments.slice(0, collected)),
    refusedSince: () => refused,
    service: {
      dialect: "service",
      analysis: { status: () => Promise.resolve(analysis) },
      tokens: { createdAt: () => Promise.resolve(createdAt) },
    },
  } as unknown as Examination;
}

function run(name: string, found: Found): CheckResult | Promise<CheckResult> | undefined {
  return serviceChecks.find((check) => check.name === name)?.run(examined(found));
}

describe("the checks of doctor", () => {
  it("need what they build on, and only what the connector cannot do without is required", () => {
    const needs = (check: (typeof serviceChecks)[number]) => [check.name, check.needs, check.required];
    expect(serviceChecks.map(needs)).toEqual([
      ["credentials", [], true],
      ["service", ["credentials", "tls"], true],
      ["clock", ["service"], true],
      ["rate-limit", ["service"], true],
      ["dialect", ["rate-limit"], true],
      ["token", ["clock", "dialect"], true],
      ["environments", ["token"], true],
      ["analysis", ["token"], false],
      ["token-age", ["token"], false],
    ]);
    const own = ["environments"];
    const onTypes = ["environments", "permission:available-types"];
    expect(permissionChecks.map(needs)).toEqual([
      ["permission:available-types", own, true],
      ["permission:details", onTypes, true],
      ["permission:sparkline", onTypes, false],
      ["permission:title", onTypes, false],
      ["permission:search", own, false],
      ["permission:shortest-path", own, false],
      ["permission:domains", own, false],
      ["permission:azure", own, false],
      ["permission:meta-trees", own, false],
      ["permission:saml", own, false],
      ["permission:tasks/current", own, false],
      ["page-size", ["permission:details"], false],
    ]);
  });
});

describe("who answers in place of the service", () => {
  const facts = { status: 200, contentType: "application/json", ms: 7 };
  const html = { "content-type": "Text/HTML; charset=utf-8" };
  const gateway = (status: number, headers: Record<string, string>): Found => ({
    error: new errors.ServerError("Down.", { ...service, status }),
    exchanges: [exchange({ status, headers })],
  });
  const summary = (name: string, status: number) =>
    `A gateway in front of the service${name} answers with status ${status}: it has no response of the service.`;
  const fix = "Try again later. If it keeps happening, tell whoever runs this gateway, or the support of the service.";

  it.each<[string, Found, CheckResult]>([
    ["the service", {}, ok("The service answers (7 ms).", facts)],
    [
      "the service, which refuses",
      { error: new errors.ForbiddenError("No.", administrator), exchanges: [exchange({ status: 403 })] },
      ok("The service answers (7 ms).", { ...facts, status: 403 }),
    ],
    [
      "nobody",
      { error: new errors.NetworkError("Connection refused.", service), exchanges: [] },
      failed("Connection refused.", CHECK_ADDRESS, { status: null, contentType: null, ms: 0, code: "network" }),
    ],
    [
      "a service that is broken",
      { error: new errors.ServerError("Broken.", { ...service, status: 500 }), exchanges: [exchange({ status: 500 })] },
      failed("Broken.", TRY_LATER, { ...facts, status: 500, code: "server" }),
    ],
    [
      "a service that is too slow",
      { error: new errors.TimeoutError("Slow.", service), exchanges: [exchange({ status: null })] },
      failed("Slow.", TRY_LATER, { ...facts, status: null, code: "timeout" }),
    ],
    [
      "the service, which rejects the request",
      {
        error: new errors.BadRequestError("No.", { ...service, status: 400, wrapped: true }),
        exchanges: [exchange({ status: 400 })],
      },
      ok("The service answers (7 ms).", { ...facts, status: 400 }),
    ],
    [
      "a gateway that rejects the request",
      {
        error: new errors.BadRequestError("No.", { ...administrator, status: 405 }),
        exchanges: [exchange({ status: 405 })],
      },
      failed("No.", CHECK_ADDRESS, { ...facts, status: 405, code: "bad_request" }),
    ],
    [
      "a web page",
      { error: new errors.ProtocolError("No JSON.", service), exchanges: [exchange({ headers: html })] },
      failed("A web page answers in place of the service (status 200).", CHECK_ADDRESS, {
        ...facts,
        contentType: html["content-type"],
      }),
    ],
    [
      "a gateway that names itself",
      gateway(502, { via: "1.1 edge", server: "nginx" }),
      failed(summary(" (1.1 edge)", 502), fix, { ...facts, status: 502, contentType: null, gateway: "1.1 edge" }),
    ],
    [
      "a gateway that names its program",
      gateway(503, { server: "nginx" }),
      failed(summary(" (nginx)", 503), fix, { ...facts, status: 503, contentType: null, gateway: "nginx" }),
    ],
    [
      "a gateway without a name",
      gateway(504, {}),
      failed(summary("", 504), fix, { ...facts, status: 504, contentType: null, gateway: null }),
    ],
  ])("is %s", async (_, found, expected) => {
    expect(await run("service", found)).toEqual(expected);
  });
});

describe("the clock of this machine", () => {
  const dated = (aheadMs: number, found: Found = {}): Found => {
    const headers = { date: new Date(NOW - aheadMs).toUTCString() };
    return { ...found, exchanges: [exchange({ headers: {} }), exchange({ headers })] };
  };
  const rejected = (skewMs: number | null) => new errors.ClockSkewError("Skewed.", administrator, skewMs);

  it.each<[string, Found, CheckResult]>([
    ["the same", dated(5 * MINUTE), ok("This machine and the service have the same time.", { skewMs: 5 * MINUTE })],
    [
      "minutes ahead",
      dated(5 * MINUTE + 1_000),
      warning("The clock of this machine is 5 min ahead of the service's.", SET_CLOCK, { skewMs: 5 * MINUTE + 1_000 }),
    ],
    [
      "minutes behind",
      dated(-59 * MINUTE),
      warning("The clock of this machine is 59 min behind the service's.", SET_CLOCK, { skewMs: -59 * MINUTE }),
    ],
    [
      "hours ahead by a header, while the signature is accepted",
      dated(3 * HOUR),
      warning(
        "The clock of this machine is 3 h ahead of the service's, by the Date header of its responses. The service accepts the signatures nevertheless, so the header may be wrong.",
        "Check the clock of this machine, and that of the gateway or proxy in front of the service.",
        { skewMs: 3 * HOUR },
      ),
    ],
    [
      "hours ahead, and the token is refused",
      dated(3 * HOUR, { error: new errors.UnauthenticatedError("No.", administrator) }),
      failed(
        "The clock of this machine is 3 h ahead of the service's. The service rejects signatures that are more than 1 h off.",
        SET_CLOCK,
        { skewMs: 3 * HOUR },
      ),
    ],
    [
      "hours ahead, which a bearer token does not mind",
      dated(3 * HOUR, { kind: "jwt" }),
      warning("The clock of this machine is 3 h ahead of the service's.", SET_CLOCK, { skewMs: 3 * HOUR }),
    ],
    [
      "as far off as the service says, when no header tells",
      { error: rejected(-2 * HOUR) },
      failed(
        "The clock of this machine is 2 h behind the service's. The service rejects signatures that are more than 1 h off.",
        SET_CLOCK,
        { skewMs: -2 * HOUR },
      ),
    ],
    [
      "wrong, and nobody says by how much",
      { error: rejected(null) },
      failed("The clocks differ too much. The service rejects signatures that are more than 1 h off.", SET_CLOCK, {
        skewMs: null,
      }),
    ],
    [
      "not comparable",
      { exchanges: [exchange({ headers: { date: "yesterday" } }), exchange({ answeredAt: null })] },
      skipped("The responses have no readable Date header, so the clocks cannot be compared.", { skewMs: null }),
    ],
  ])("is %s", async (_, found, expected) => {
    expect(await run("clock", found)).toEqual(expected);
  });

  it("is not blamed when the service refuses a user after it has checked the signature", async () => {
    const known = new errors.ForbiddenError("No.", administrator);
    expect(await run("clock", dated(3 * HOUR, { error: Object.assign(known, { authenticated: true }) }))).toMatchObject(
      {
        status: "warning",
      },
    );
  });
});

describe("the rate limit", () => {
  const announced = (headers: Record<string, string>): Found => ({ exchanges: [exchange(), exchange({ headers })] });

  it.each<[string, Found, CheckResult]>([
    [
      "not announced",
      {},
      ok("The service does not announce how many requests remain. It answered without refusing any.", {
        limit: null,
        remaining: null,
      }),
    ],
    [
      "announced",
      announced({ "x-ratelimit-limit": "55", "x-ratelimit-remaining": "1" }),
      ok("1 of 55 requests remain.", { limit: 55, remaining: 1 }),
    ],
    [
      "announced in another spelling, and used up",
      announced({ "x-rate-limit-limit": "55", "x-rate-limit-remaining": "0" }),
      warning("0 of 55 requests remain.", "Run other integrations at other times.", { limit: 55, remaining: 0 }),
    ],
    [
      "announced in part",
      announced({ "x-ratelimit-remaining": "7" }),
      ok("7 of an unknown number of requests remain.", { limit: null, remaining: 7 }),
    ],
    [
      "reached for a moment",
      { refused: 0 },
      ok("The service refused requests for a moment (status 429), and then answered.", {
        limit: null,
        remaining: null,
      }),
    ],
    [
      "exhausted",
      { error: new errors.RateLimitedError("Refused.", { ...service, retryAfterMs: 3_000 }) },
      failed(
        "The rate limit is exhausted: the service refuses further requests for now (status 429).",
        "Wait 1 min and try again. The limit counts all clients behind the same address: run other integrations less often, or at other times.",
        { limit: null, remaining: null, code: "rate_limited", retryAfterMs: 3_000 },
      ),
    ],
  ])("is %s", async (_, found, expected) => {
    expect(await run("rate-limit", found)).toEqual(expected);
  });
});

describe("the credentials", () => {
  it.each<[string, string, Found, CheckResult]>([
    [
      "dialect",
      "a signature that is accepted",
      {},
      ok("The service accepts the signature scheme svcsignature.", { dialect: "service", scheme: "svcsignature" }),
    ],
    [
      "dialect",
      "a bearer token, which is not signed",
      { kind: "jwt", exchanges: [exchange({ scheme: "Bearer" })] },
      skipped("Not needed: a bearer token is not signed.", { scheme: "Bearer" }),
    ],
    [
      "dialect",
      "a signature scheme that is not accepted",
      { error: new errors.SchemeRejectedError("Unknown scheme.", administrator) },
      failed(
        "The service does not accept the signature scheme (svcsignature).",
        "Check that Server is the tenant's own address. If it is, install the newest version of this package.",
        { scheme: "svcsignature" },
      ),
    ],
    ["token", "a token that is accepted", {}, ok("The service accepts the credentials.")],
    [
      "token",
      "a token of a disabled user",
      { error: new errors.ForbiddenError("Disabled.", { ...administrator, status: 403 }) },
      failed("Disabled.", "Enable the user of the token, and give it the role Auditor or another that can read.", {
        code: "forbidden",
        status: 403,
        requestId: null,
      }),
    ],
    [
      "token",
      "a request that is rejected for another reason",
      { error: new errors.BadRequestError("Rejected. Install the newest version.", { ...service, status: 400 }) },
      failed(
        "Rejected. Install the newest version.",
        "Try again later. If it keeps happening, contact the support of the service.",
        { code: "bad_request", status: 400, requestId: null },
      ),
    ],
    [
      "token",
      "a token that is rejected",
      { error: new errors.UnauthenticatedError("Rejected.", { ...administrator, status: 401, requestId: "r-1" }) },
      failed(
        "Rejected.",
        "Copy Token ID and Token Key again, both from the same API token. If the key is lost, create a new token in the service.",
        { code: "unauthenticated", status: 401, requestId: "r-1" },
      ),
    ],
    [
      "token",
      "a bearer token that is rejected",
      { kind: "jwt", error: new errors.UnauthenticatedError("Rejected.", administrator) },
      failed("Rejected.", "Get a new bearer token, or use an API token, which does not expire that soon.", {
        code: "unauthenticated",
        status: null,
        requestId: null,
      }),
    ],
    [
      "token-age",
      "a token whose age is known",
      { createdAt: new Date(NOW - 3 * DAY).toISOString() },
      ok("The API token was made 3 d ago.", { createdAt: new Date(NOW - 3 * DAY).toISOString() }),
    ],
    ["token-age", "a token whose age is unknown", {}, skipped("The service does not say how old the API token is.")],
    ["token-age", "a bearer token", { kind: "jwt" }, skipped("Not needed: a bearer token soon expires.")],
  ])("are judged by %s: %s", async (name, _, found, expected) => {
    expect(await run(name, found)).toEqual(expected);
  });
});

describe("the environments that the token sees", () => {
  const environments = [{ id: "1" }, { id: "2" }];
  const facts = { environments: 2, collected: 0, unreadable: 0 };

  it.each<[string, Found, CheckResult]>([
    [
      "all readable",
      { environments, collected: 1 },
      ok("The token sees 2 environments, 1 with collected data.", { ...facts, collected: 1 }),
    ],
    [
      "missing in part",
      { environments, collected: 2, unreadable: 1, isWhole: false },
      warning(
        "The token sees 2 environments, 2 with collected data. The service lists 1 environment without a usable id. Not all environments could be listed, so some are missing.",
        TRY_LATER,
        { ...facts, collected: 2, unreadable: 1 },
      ),
    ],
    [
      "without data, and others are missing",
      { environments, isWhole: false },
      failed(
        "The service lists 2 environments, none of them with collected data. Not all environments could be listed, so some are missing.",
        TRY_LATER,
        facts,
      ),
    ],
    [
      "without data",
      { environments },
      failed(
        "None of the 2 environments that the token sees has collected data.",
        "Collect data first: there are no findings without it.",
        facts,
      ),
    ],
    [
      "without a usable id",
      { unreadable: 3 },
      failed("The service lists 3 environments without a usable id.", TRY_LATER, {
        ...facts,
        environments: 0,
        unreadable: 3,
      }),
    ],
    [
      "none",
      {},
      failed("The token sees no environments.", "Give the user of the token access to the environments.", {
        ...facts,
        environments: 0,
      }),
    ],
  ])("are %s", async (_, found, expected) => {
    expect(await run("environments", found)).toEqual(expected);
  });
});

describe("the last analysis", () => {
  const ago = (ms: number) => new Date(NOW - ms).toISOString();
  const facts = { offered: true, idle: true };

  it.each<[string, Found, CheckResult]>([
    [
      "unknown",
      {},
      skipped(
        "The service does not say when its last analysis ended. The connector finds out what is new in other ways.",
        { offered: false },
      ),
    ],
    [
      "complete",
      { analysis: { completedAt: ago(7 * DAY), idle: true } },
      ok("The last analysis ended 7 d ago.", { ...facts, completedAt: ago(7 * DAY) }),
    ],
    [
      "complete, and another one is running",
      { analysis: { completedAt: ago(2 * HOUR), idle: false } },
      ok("The last analysis ended 2 h ago. Another one is running.", {
        offered: true,
        idle: false,
        completedAt: ago(2 * HOUR),
      }),
    ],
    [
      "long ago",
      { analysis: { completedAt: ago(8 * DAY), idle: true } },
      warning(
        "The last analysis ended 8 d ago.",
        "Check in the service that data is still collected: without it there are no new findings.",
        { ...facts, completedAt: ago(8 * DAY) },
      ),
    ],
    [
      "the first one",
      { analysis: { completedAt: null, idle: false } },
      warning(
        "No analysis is complete yet. Another one is running.",
        "Wait for the first analysis: it makes the findings.",
        { offered: true, idle: false, completedAt: null },
      ),
    ],
  ])("is %s", async (_, found, expected) => {
    expect(await run("analysis", found)).toEqual(expected);
  });
});
