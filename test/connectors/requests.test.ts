import { describe, expect, it } from "@jest/globals";
import type { Tenant, TenantOptions } from "../../sandbox/tenant/index.ts";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { movableClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const E = 3;
const T = 2;
/** Findings per stream. */
const F = 6;

/** The last part of the path of each request that arrived since the last call, sorted, with how often it was asked. */
function watch(tenant: Tenant): () => Record<string, number> {
  let from = 0;
  return () => {
    const asked: Record<string, number> = {};
    for (const { path } of tenant.requests.slice(from)) {
      const name = path.split("/").at(-1) ?? "";
      asked[name] = (asked[name] ?? 0) + 1;
    }
    from = tenant.requests.length;
    return asked;
  };
}

async function start(options: TenantOptions = {}) {
  const clock = movableClock();
  const dataset = { environments: E, findingTypes: T, findingsPerPair: F };
  const tenant = await startTenant({ dataset, clock, ...options });
  return { tenant, host: new TestHost(tenant, { clock }), clock, requests: watch(tenant) };
}

/** A tenant that was polled until every piece of evidence is known. */
async function quiet(options: TenantOptions = {}, prepare: (tenant: Tenant) => void = () => undefined) {
  const started = await start(options);
  prepare(started.tenant);
  for (let poll = 0; poll < 3; poll++) {
    expect((await started.host.poll()).status).toBe("completed");
    started.clock.moveOn(MINUTE);
  }
  started.requests();
  return started;
}

const withoutSparkline = ({ control }: Tenant): void => {
  control.fault({ path: "/sparkline$", effect: { kind: "null-data" } });
};

describe("a first poll", () => {
  it("asks for each list, each stream and each description once, once for what follows a list, and for no evidence", async () => {
    const { host, requests } = await start({ analysisStatus: true });
    await host.poll();
    expect(requests()).toEqual({
      "available-domains": 1,
      "available-types": E,
      details: E * T + 1,
      title: T,
      short_description: T,
      short_remediation: T,
      long_remediation: T,
    });
  });
});

describe("the dialect of a tenant", () => {
  const dialect = "bloodhound-enterprise";

  it("is found out with one request in the first poll, and is remembered", async () => {
    const { host, requests } = await start({ dialect });
    await host.poll();
    expect(requests()).toEqual({
      "available-domains": 2,
      "available-types": E,
      details: E * T + 1,
      "title.md": T,
      "short_description.md": T,
      "short_remediation.md": T,
      "long_remediation.md": T,
    });
    await host.poll();
    expect(requests()).toMatchObject({ "available-domains": 1, status: 1 });
    await host.poll();
    expect(requests()).toEqual({ "available-domains": 1, status: 1 });
  });

  it("is found out again when the state remembers the wrong one, or none", async () => {
    const { tenant, host } = await quiet({ dialect });
    for (const remembered of ["standard", "klingon", ""]) {
      host.state = { ...(host.state as JsonObject), dialect: remembered };
      const before = tenant.requests.length;
      expect((await host.poll()).status).toBe("completed");
      const rejected = tenant.requests.slice(before).filter(({ status }) => status === 400);
      expect(rejected.length).toBeGreaterThanOrEqual(1);
      expect(rejected.length).toBeLessThanOrEqual(2);
      expect(host.state).toMatchObject({ dialect });
    }
    expect(host.stored.repeated).toEqual([]);
  });
});

describe("a quiet poll", () => {
  it("takes two requests when the tenant tells the time of its analysis: the second poll reads it, the third skips", async () => {
    const { host, requests } = await start({ analysisStatus: true });
    await host.poll();
    requests();
    await host.poll();
    expect(requests()).toEqual({ "available-domains": 1, status: 1, "available-types": E, details: E * T });
    const third = await host.poll();
    expect(requests()).toEqual({ "available-domains": 1, status: 1 });
    expect(third).toMatchObject({ status: "completed", json: { environmentsSkipped: E } });
  });

  it("takes one request for each environment and one more when there is only the sparkline", async () => {
    const { host, requests } = await quiet();
    await host.poll();
    expect(requests()).toEqual({ "available-domains": 1, sparkline: E });
  });

  it("asks each stream for one record and a count when there is no evidence at all", async () => {
    const { tenant, host, requests } = await quiet({}, withoutSparkline);
    await host.poll();
    const { sparkline = 0, ...others } = requests();
    expect(others).toEqual({ "available-domains": 1, "available-types": E, details: E * T });
    // An empty sparkline says nothing, and a null list is asked for once more.
    expect(sparkline).toBeLessThanOrEqual(2 * E);
    const probes = tenant.requests.filter(({ path }) => path.endsWith("/details")).slice(-E * T);
    expect(probes.every(({ bytes }) => bytes < 4_000)).toBe(true);
  });

  it("is not asked for the time of the analysis again for a day when the tenant does not offer it", async () => {
    const { host, clock, requests } = await quiet();
    await host.poll();
    expect(requests()).not.toHaveProperty("status");
    clock.moveOn(24 * HOUR);
    await host.poll();
    await host.poll();
    expect(requests()).toHaveProperty("status", 1);
  });

  it("reads everything again after an hour", async () => {
    const { host, clock, requests } = await quiet({ analysisStatus: true });
    clock.moveOn(HOUR);
    await host.poll();
    expect(requests()).toMatchObject({ "available-types": E, details: E * T + 1 });
    // Evidence is asked for by the poll after it: only then can it lead to a skip.
    await host.poll();
    requests();
    await host.poll();
    expect(requests()).toEqual({ "available-domains": 1, status: 1 });
  });
});

describe("a new analysis", () => {
  it.each<[string, TenantOptions, (tenant: Tenant) => void]>([
    ["the tenant tells its time", { analysisStatus: true }, () => undefined],
    ["only the sparkline shows it", {}, () => undefined],
    ["nothing shows it but the findings", {}, withoutSparkline],
  ])("is found in the next poll when %s", async (_, options, prepare) => {
    const { tenant, host } = await quiet(options, prepare);
    tenant.control.analyse(firstStream(tenant).environmentId, { findings: 2 });
    expect((await host.poll()).events).toHaveLength(2 * T);
    expect([host.stored.size, host.stored.repeated]).toEqual([E * T * F + 2 * T, []]);
  });

  it("that is running is waited for without its sparkline, and nothing that it adds meanwhile is missed", async () => {
    const { tenant, host, requests } = await quiet({ analysisStatus: true });
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.beginAnalysis();
    tenant.control.addFindings(environmentId, findingType, 1);
    expect((await host.poll()).events).toHaveLength(1);
    expect(requests()).not.toHaveProperty("sparkline");
    tenant.control.addFindings(environmentId, findingType, 1);
    tenant.control.endAnalysis();
    expect((await host.poll()).events).toHaveLength(1);
    expect(host.stored.repeated).toEqual([]);
  });

  it("that no evidence shows is found within the hour", async () => {
    const { tenant, host, clock } = await quiet();
    tenant.control.analyse(firstStream(tenant).environmentId, { findings: 1, sparkline: false });
    expect((await host.poll()).events).toEqual([]);
    clock.moveOn(HOUR);
    expect((await host.poll()).events).toHaveLength(T);
    expect(host.stored.repeated).toEqual([]);
  });
});

describe("evidence", () => {
  it("is not trusted after the selection has changed", async () => {
    const { tenant, host } = await quiet({ analysisStatus: true });
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.addFindings(environmentId, findingType, 2);
    const { events } = await host.poll({ fields: { "Selected Environments": [environmentId] } });
    expect(events).toHaveLength(2);
  });

  it("does not skip an environment whose last read failed", async () => {
    const { tenant, host } = await quiet({ analysisStatus: true });
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.analyse(environmentId, { findings: 1 });
    const broken = { path: `${environmentId}/details`, query: { finding: findingType } };
    tenant.control.fault({ ...broken, effect: { kind: "status", status: 500 } });
    expect((await host.poll()).status).toBe("partial");
    tenant.control.clearFaults();
    expect((await host.poll()).events).toHaveLength(1);
  });

  it.each([500, 403])("that cannot be had (%i) costs nothing but requests", async (status) => {
    const { tenant, host, clock } = await quiet({ analysisStatus: true });
    tenant.control.fault({ path: "datapipe/status|sparkline", effect: { kind: "status", status } });
    tenant.control.analyse(firstStream(tenant).environmentId, { findings: 1 });
    const { status: ended, events } = await host.poll();
    expect([ended, events.length]).toEqual(["completed", T]);
    clock.moveOn(MINUTE);
    expect((await host.poll()).status).toBe("completed");
  });
});
